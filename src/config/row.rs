//! What a row of the table of settings says, and which values a type has.

use std::num::NonZeroU32;

use super::amount::{DOLLARS, DURATION, TOKENS, parse_dollars, parse_duration, parse_tokens};
use crate::plan::PathPattern;
use crate::record::SubjectForm;

/// The type of a setting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// One line of text that is not empty.
    Text,
    /// The form of subjects of commits.
    Subject,
    /// A folder inside the work tree, with `/`.
    Folder,
    /// A whole number from 1.
    Count,
    /// A whole number from 0.
    Number,
    /// A percentage from 0 to 100, with at most two decimals.
    Percent,
    /// Patterns for paths of the work tree, separated by blanks. Values of one layer and those of the layers below add up;
    /// an empty value drops those before it.
    Paths,
    /// A length of time of at least a second: seconds, or with a unit as in `30m`.
    Time,
    /// An amount of money above 0, in US dollars.
    Dollars,
    /// A number of tokens above 0, possibly in thousands or millions as in `500k`.
    Tokens,
    /// `true` or `false`, in the words that git knows.
    Switch,
    /// One of these words.
    Words {
        /// The words.
        of: &'static [&'static str],
        /// The words, as messages list them.
        told: &'static str,
    },
}

/// A row of the table.
#[derive(Clone, Copy, Debug)]
pub struct SettingRule {
    /// The key after `arborist.`, which is also the key in the committed file.
    pub key: &'static str,
    /// The environment variable; `None` if only git's configuration may set it.
    pub env: Option<&'static str>,
    /// The type of its value.
    pub value: ValueType,
    /// The default.
    pub default: Option<&'static str>,
    /// Its description, as one clause for help and documentation.
    pub about: &'static str,
}

impl ValueType {
    /// The text in its canonical form.
    ///
    /// # Errors
    /// What the text must be, if it is not valid: the words after "It must be".
    pub fn check(self, text: &str) -> Result<String, &'static str> {
        match self {
            Self::Text if text.trim().is_empty() || text.contains(['\n', '\0']) => Err("one line of text"),
            Self::Text => Ok(text.to_owned()),
            Self::Subject => SubjectForm::parse(text).map(|_| text.trim().to_owned()).ok_or(
                "a text with {id} as a word that ends in {summary}, for example chore({id}): {summary}",
            ),
            Self::Folder => folder(text).ok_or("a folder inside the work tree, for example spec/logs"),
            Self::Count => text
                .trim()
                .parse::<NonZeroU32>()
                .map(|count| count.to_string())
                .or(Err("a whole number from 1")),
            Self::Number => {
                text.trim().parse::<u32>().map(|number| number.to_string()).or(Err("a whole number from 0"))
            }
            Self::Percent => percent(text).ok_or("a percentage from 0 to 100, for example 80 or 87.5"),
            Self::Paths => {
                paths(text).ok_or("patterns for paths from the top of the work tree, separated by spaces")
            }
            Self::Time => parse_duration(text).map(|time| time.as_secs().to_string()).ok_or(DURATION),
            Self::Dollars => parse_dollars(text).map(|cost| cost.to_string()).ok_or(DOLLARS),
            Self::Tokens => parse_tokens(text).map(|tokens| tokens.to_string()).ok_or(TOKENS),
            Self::Switch => match text.to_ascii_lowercase().as_str() {
                "true" | "yes" | "on" | "1" => Ok("true".to_owned()),
                "false" | "no" | "off" | "0" | "" => Ok("false".to_owned()),
                _ => Err("true or false"),
            },
            Self::Words { of, told } => {
                let word = of.iter().find(|word| word.eq_ignore_ascii_case(text.trim()));
                word.map(|word| (*word).to_owned()).ok_or(told)
            }
        }
    }
}

/// A percentage without a sign: digits, and up to two decimals.
fn percent(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('%').trim_end();
    let (whole, decimals) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let plain = !whole.is_empty()
        && whole.len() <= 3
        && is_number(whole)
        && is_number(decimals)
        && decimals.len() <= 2;
    let value: f64 = text.parse().ok().filter(|_| plain)?;
    (value <= 100.0).then(|| value.to_string())
}

/// Patterns for paths, with one space between them.
fn paths(text: &str) -> Option<String> {
    let patterns: Vec<&str> = text.split_whitespace().collect();
    patterns.iter().all(|pattern| PathPattern::parse(pattern).is_ok()).then(|| patterns.join(" "))
}

/// A relative path without `.`, `..` or empty parts, and not inside a git directory.
fn folder(text: &str) -> Option<String> {
    let path = text.strip_suffix('/').unwrap_or(text);
    let part = |part: &str| !matches!(part, "" | "." | "..") && !part.eq_ignore_ascii_case(".git");
    let plain = !path.chars().any(|c| c.is_control() || c == '\\' || c == ':');
    (plain && path.split('/').all(part)).then(|| path.to_owned())
}
