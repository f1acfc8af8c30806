//! Makes findings from facts that only a repository knows: files, task ids, settings (W102, W107, W108).

use super::{Finding, LinePart, NamedReference, Rule};
use crate::record::TrailerKey;
use crate::suggest::slip_of;
use crate::text::advice;

/// The finding for a path that is neither in the index nor on disk.
#[must_use]
pub fn missing_file(named: &NamedReference) -> Finding {
    let what = format!("`{}` is neither in the index nor on disk", named.text);
    Finding::new(Rule::MissingFile, named.span.clone(), what).help("correct the path, or `git add` the file")
}

/// The finding for a task that is not in the tree `file`; `known` are the ids that are.
#[must_use]
pub fn unknown_task<'a>(named: &NamedReference, file: &str, known: impl Iterator<Item = &'a str>) -> Finding {
    let what = format!("`{}` is not in {file}", named.text);
    let help = match slip_of(&named.text, known) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("{} lists the ids", advice::status()),
    };
    Finding::new(Rule::UnknownTask, named.span.clone(), what).help(help)
}

/// The finding for the marker of a phase of which these tasks are still open.
#[must_use]
pub fn open_phase(named: &NamedReference, open: &[&str]) -> Finding {
    let are = if open.len() == 1 { "is" } else { "are" };
    let what = format!("the phase `{}` is not complete: {} {are} still open", named.text, open.join(", "));
    let help = format!("{} marks it when its last task is complete and its tests pass", advice::gardener());
    Finding::new(Rule::OpenPhase, named.span.clone(), what).help(help)
}

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
