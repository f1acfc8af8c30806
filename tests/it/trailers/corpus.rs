//! The corpus of messages whose trailers are known, one JSON object a line.

use git_arborist::record::RawTrailer;
use serde_json::Value;

/// A message and what git reads from it.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) message: Vec<u8>,
    pub(crate) expected: Vec<RawTrailer>,
}

pub(crate) fn cases() -> Vec<Case> {
    include_str!("../../corpus/trailers.jsonl").lines().map(case).collect()
}

fn case(line: &str) -> Case {
    let json: Value = serde_json::from_str(line).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let pair = |pair: &Value| RawTrailer { key: text(&pair[0]).into(), value: text(&pair[1]).into() };
    Case {
        name: text(&json["name"]),
        message: text(&json["message"]).into(),
        expected: json["expected"].as_array().unwrap().iter().map(pair).collect(),
    }
}
