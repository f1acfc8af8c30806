//! Makes findings from the settings of a repository, which a message does not know (W108).

use super::{Finding, LinePart, Rule};
use crate::record::TrailerKey;

/// One entry of git's configuration that may change how git reads trailers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting<'a> {
    /// The key, as git prints it.
    pub key: &'a str,
    /// Its value.
    pub value: &'a str,
}

/// The finding for settings that make this clone's git read other trailers than everybody else's.
#[must_use]
pub fn disagreement<'a>(settings: impl Iterator<Item = Setting<'a>>) -> Option<Finding> {
    let mut last: [Option<(Setting<'a>, String)>; 2] = [None, None];
    let mut alias = None;
    for setting in settings {
        match setting.key {
            "trailer.separators" => {
                let bad = !setting.value.contains(':');
                last[0] = bad.then(|| {
                    (setting, "it leaves out the colon, so git does not recognise our trailers".to_owned())
                });
            }
            "core.commentchar" | "core.commentstring" => {
                let hides = |key: TrailerKey| format!("{}: ", key.name()).starts_with(setting.value);
                let bad = !setting.value.is_empty() && TrailerKey::ALL.into_iter().any(hides);
                last[1] = bad.then(|| (setting, "git takes our trailers for comments".to_owned()));
            }
            key if key.starts_with("trailer.") && is_alias(setting) => {
                alias = Some((setting, "git prints our keys under that name".to_owned()));
            }
            _ => {}
        }
    }
    let (setting, why) = last.into_iter().flatten().next().or(alias)?;
    let what = format!(
        "the setting `{} = {}` makes `git log` read other trailers: {why}",
        setting.key, setting.value
    );
    let span = LinePart { line: 1, column: 1, end: 1 };
    let help = format!("`git config --unset {}` makes both agree", setting.key);
    Some(Finding::new(Rule::GitDisagrees, span, what).help(help))
}

/// Whether git reads one of our keys as an abbreviation of this one.
fn is_alias(setting: Setting<'_>) -> bool {
    let Some(name) = setting.key.strip_prefix("trailer.") else { return false };
    let long = match name.rsplit_once('.') {
        Some((_, "key")) => setting.value.trim_end_matches([':', ' ']),
        Some((alias, _)) => alias,
        None => return false,
    };
    let long = long.to_ascii_lowercase();
    TrailerKey::ALL.iter().any(|key| {
        let ours = key.name().to_ascii_lowercase();
        long.starts_with(&ours) && long != ours
    })
}
