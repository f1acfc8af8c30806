//! `init --show-config`: every setting, its value and where it comes from.

use crate::config::{Config, Setting, Value};
use crate::text::one_line;

/// A line for each setting, each level of a rule and each runner that git's configuration defines.
pub(super) fn listed(config: &Config) -> String {
    let mut rows: Vec<[String; 3]> = Vec::new();
    for setting in Setting::ALL {
        let [text, origin] = match config.value(setting) {
            Some(Value { text, origin }) => [one_line(&text), origin.to_string()],
            None => ["-".to_owned(), "not set".to_owned()],
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
    let line = |[key, value, origin]: &[String; 3]| format!("{key:<keys$}  {value:<values$}  {origin}\n");
    rows.iter().map(|row| format!("{}\n", line(row).trim_end())).collect()
}
