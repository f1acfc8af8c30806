//! What `init` says about settings: the list of `--show-config`, and that a runner is not known.

use crate::agents::{AGENTS, Agent};
use crate::config::{Config, Origin, Setting, Value};
use crate::error::{Error, Kind, Result};
use crate::report::{Screen, Style};
use crate::session::Session;
use crate::text::one_line;

/// The origin of a setting that has no value.
const UNSET: &str = "not set";

/// A line for each setting, each level of a rule and each runner that git's configuration defines. What is not set is
/// less visible.
pub(crate) fn listed(config: &Config, screen: &Screen) -> String {
    let mut rows: Vec<[String; 3]> = Vec::new();
    for setting in Setting::ALL {
        let [text, origin] = match config.value(setting) {
            Some(Value { text, origin }) => [one_line(&text), origin.to_string()],
            None => ["-".to_owned(), UNSET.to_owned()],
        };
        rows.push([format!("arborist.{}", setting.rule().key), text, origin]);
    }
    for (rule, level) in config.levels() {
        rows.push([format!("arborist.hook.level.{rule}"), level.word().to_owned(), String::new()]);
    }
    for name in config.runner_names() {
        let command = config.runner_command(name).unwrap_or_default();
        rows.push([format!("arborist.runner.{name}.command"), one_line(command), "git config".to_owned()]);
    }
    let width = |column: usize| {
        rows.iter().map(|row| row[column].chars().count()).filter(|width| *width <= 32).max().unwrap_or(0)
    };
    let (keys, values) = (width(0), width(1));
    let line = |[key, value, origin]: &[String; 3]| {
        let line = format!("{key:<keys$}  {value:<values$}  {origin}");
        let is_set = origin != UNSET && *origin != Origin::Default.to_string();
        if is_set { line.trim_end().to_owned() } else { screen.out.paint(Style::Dim, &line) }
    };
    rows.iter().map(|row| line(row) + "\n").collect()
}

/// Refuses a runner, or a list of runners that step in for each other, if one is not known.
pub(crate) fn check_runner(session: &Session, names: &str) -> Result<()> {
    let is_known = |name: &str| Agent::named(name).is_some() || session.config.runner_command(name).is_some();
    let Some(name) = names.split(',').map(str::trim).find(|name| !is_known(name)) else { return Ok(()) };
    let agents: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    Err(Error::new(
        Kind::Input,
        format!("the agent `{}` is not known", one_line(name)),
        format!(
            "The known agents are {}. `git config arborist.runner.NAME.command COMMAND` defines another one.",
            agents.join(", ")
        ),
    ))
}
