//! What the settings say about the briefs of agents, with the files that the user has chosen for them.

use std::path::{Component, Path, PathBuf};

use crate::config::{CheckLevel, Config, Origin, Setting};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::plan::PathPattern;
use crate::run::BriefSettings;
use crate::session::{Call, Session};
use crate::suggest;
use crate::text::{clean, one_line};
use crate::workflow::UserTemplate;

/// How long such a file may be, in bytes.
const LONGEST: u64 = 1 << 18;

/// The settings that name a file.
const FILES: [Setting; 4] =
    [Setting::PromptImplement, Setting::PromptRed, Setting::PromptReview, Setting::PromptExtra];

/// Reads what agents are told.
///
/// # Errors
/// [`Kind::Input`] if a file that the settings name cannot be used.
pub(crate) fn brief_settings(call: &Call, session: &Session) -> Result<BriefSettings> {
    let config = &session.config;
    let read = |setting| read(call, session, setting);
    let template = |setting| read(setting)?.map(|text| parse(&text, setting, config)).transpose();
    let suite_runs = config.check_level(Setting::TrustSuite) != CheckLevel::Off;
    Ok(BriefSettings {
        protects: config.check_level(Setting::TrustProtect) == CheckLevel::Require,
        suite: config.optional(Setting::Suite).filter(|_| suite_runs),
        implement: template(Setting::PromptImplement)?,
        red: template(Setting::PromptRed)?,
        review: template(Setting::PromptReview)?,
        extra: read(Setting::PromptExtra)?.unwrap_or_default(),
    })
}

/// The files of the work tree that the settings name: an agent that could change them would write the next briefs.
pub(crate) fn files_of_briefs(config: &Config, top: &Path) -> Vec<PathPattern> {
    let named = FILES.into_iter().filter_map(|setting| config.optional(setting));
    let inside = named.filter_map(|named| {
        let path = PathBuf::from(named);
        let path = if path.is_absolute() { path.strip_prefix(top).ok()?.to_path_buf() } else { path };
        let path = path.to_str()?.trim_start_matches("./").to_owned();
        PathPattern::parse(&path).ok()
    });
    inside.collect()
}

/// The file that a setting names, as text without anything that moves a cursor.
fn read(call: &Call, session: &Session, setting: Setting) -> Result<Option<String>> {
    let Some(value) = session.config.value(setting) else { return Ok(None) };
    let refused = |why: &str| refused(&value.text, setting, why);
    let path = Path::new(&value.text);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if matches!(value.origin, Origin::File(_)) && !is_inside {
        return Err(refused("a committed file may only name a file inside of the work tree"));
    }
    let path = match (path.strip_prefix("~"), call.environment.path("HOME")) {
        (Ok(below), Some(home)) => home.join(below),
        _ => session.work_tree.top.join(path),
    };
    let bytes = files::read(&path, LONGEST).map_err(|error| refused(&error.to_string()))?;
    let text = String::from_utf8(bytes).map_err(|_| refused("it is not UTF-8"))?;
    Ok(Some(clean(text.as_bytes())))
}

/// Reads a template. A section whose name is misspelt would be missing without a word.
fn parse(text: &str, setting: Setting, config: &Config) -> Result<UserTemplate> {
    for word in UserTemplate::other_words(text) {
        if let Some(meant) = suggest::slip_of(word, UserTemplate::names()) {
            let why = format!("it has {{{word}}}, which is no section; {{{meant}}} is one");
            return Err(refused(&config.text(setting), setting, &why));
        }
    }
    UserTemplate::parse(text).map_err(|missing| {
        let missing: Vec<String> = missing.iter().map(|name| format!("{{{name}}}")).collect();
        refused(&config.text(setting), setting, &format!("it has no {}", missing.join(" and no ")))
    })
}

fn refused(named: &str, setting: Setting, why: &str) -> Error {
    let key = setting.rule().key;
    let remedy = match setting {
        Setting::PromptExtra => format!("Change the file, or name another one in arborist.{key}."),
        _ => format!(
            "A template needs {{sections}}, or {{task}} and {{answer}}. Change the file, or name another one in arborist.{key}."
        ),
    };
    Error::new(Kind::Input, format!("{} (arborist.{key}) cannot be used: {why}", one_line(named)), remedy)
}
