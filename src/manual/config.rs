//! The page about the settings.

use super::markdown::{listed, sentence};
use super::page::Page;
use crate::config::{Setting, ValueType};

/// The page `gitarborist-config(5)`.
pub(super) fn page() -> Page {
    let prose = include_str!("pages/config.md");
    let (description, chapters) = prose.split_once("\n# ").expect("the page has chapters");
    let everyday = Setting::EVERYDAY.map(item).concat();
    let advanced: String = Setting::advanced().into_iter().map(item).collect();
    Page {
        name: "gitarborist-config".to_owned(),
        section: 5,
        about: "settings of git arborist".to_owned(),
        command: None,
        description: description.to_owned(),
        chapters: format!(
            "# The ten settings of a night\n\n{everyday}\n# {chapters}\n# Other settings\n\n{advanced}\n# See also\n\n`git-arborist`(1), `git-arborist-init`(1), \
             `gitarborist-plans`(5), `git-config`(1)\n"
        ),
    }
}

fn item(setting: Setting) -> String {
    let rule = setting.rule();
    let default = rule.default.map(|default| format!("The default is `{default}`."));
    let env = match rule.env {
        Some(env) => format!("The environment variable is `{env}`."),
        None => "Only git's configuration may set it.".to_owned(),
    };
    let is_barred = rule.env.is_some() && Setting::NOT_IN_FILE.contains(&setting);
    let file = is_barred.then(|| "`.arborist/config.json` must not set it.".to_owned());
    let sentences = [Some(sentence(rule.about)), kind(rule.value), default, Some(env), file];
    format!("- `arborist.{}`: {}\n", rule.key, sentences.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// What a value must be, as a sentence; `None` if the description says it.
fn kind(value: ValueType) -> Option<String> {
    Some(match value {
        ValueType::Text | ValueType::Switch => return None,
        ValueType::Subject => {
            "The value is a text with {id} that ends in {summary}, such as `chore({id}): {summary}`."
                .to_owned()
        }
        ValueType::Folder => "The value is a folder inside the work tree.".to_owned(),
        ValueType::Count => "The value is a whole number from 1.".to_owned(),
        ValueType::Number => "The value is a whole number from 0.".to_owned(),
        ValueType::Percent => "The value is a percentage from 0 to 100.".to_owned(),
        ValueType::Paths => "The value is a list of patterns for paths, separated by spaces.".to_owned(),
        ValueType::Time => "The value is a length of time, such as `90` (seconds) or `1h30m`.".to_owned(),
        ValueType::Dollars => "The value is an amount in US dollars, such as `2.50`.".to_owned(),
        ValueType::Tokens => "The value is a number of tokens, such as `500k`.".to_owned(),
        ValueType::Words { of, .. } => format!("The value is one of {}.", listed(of.iter().copied())),
    })
}
