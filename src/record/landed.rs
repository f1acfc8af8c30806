//! The trailers of landed and squashed commits: which tasks are complete as of the commit, and which run did the work.
//!
//! Forges wrap the text of a request at 72 columns when it becomes the message of a squash merge, and a wrapped trailer
//! ends the block. So no line here is longer than that: ids are spread over several trailers, and the range of the run
//! is folded behind its dots.

use super::CommitId;

/// The key that names complete tasks.
const COMPLETE: &str = "Arborist-Complete";
/// The key that names the commits of a run.
const RUN: &str = "Arborist-Run";

/// The first line of the text of ours in a request. When the request is updated, the text from here to [`REPORT_END`] is
/// replaced.
pub const REPORT_BEGIN: &str = "<!-- git-arborist report -->";

/// The line behind the text of ours. Only the trailers follow it.
pub const REPORT_END: &str = "<!-- end of the git-arborist report -->";

/// How long a line may be.
const WIDTH: usize = 72;

/// The commits of a run: everything after its base, up to its tip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunRange {
    /// The commit that began it.
    pub base: CommitId,
    /// The newest commit.
    pub tip: CommitId,
}

impl RunRange {
    /// Reads the value of a trailer. A folded one has a blank behind the dots.
    #[must_use]
    pub fn parse(value: &str) -> Option<Self> {
        let (base, tip) = value.split_once("..")?;
        let id = |text: &str| CommitId::from_hex(text.trim().as_bytes());
        Some(Self { base: id(base)?, tip: id(tip)? })
    }
}

/// The lines of the block; none if no task is complete.
#[must_use]
pub fn landed_lines(complete: &[String], run: Option<RunRange>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for id in complete {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + id.len() <= WIDTH => {
                line.push(' ');
                line.push_str(id);
            }
            _ => lines.push(format!("{COMPLETE}: {id}")),
        }
    }
    if let Some(RunRange { base, tip }) = run.filter(|_| !lines.is_empty()) {
        lines.push(format!("{RUN}: {base}.."));
        lines.push(format!(" {tip}"));
    }
    lines
}

/// Whether a line begins one of these trailers.
#[must_use]
pub fn is_landed_line(line: &str) -> bool {
    [COMPLETE, RUN].iter().any(|key| line.strip_prefix(key).is_some_and(|rest| rest.starts_with(':')))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::trailers;

    fn id(byte: u8) -> CommitId {
        CommitId::from_bytes(&[byte; 20]).unwrap()
    }

    #[test]
    fn a_block_is_read_back_and_no_line_of_it_is_wrapped() {
        let complete: Vec<String> = (1..=40).map(|number| format!("T{number:03}")).collect();
        let run = RunRange { base: id(1), tip: id(2) };
        let lines = landed_lines(&complete, Some(run));
        assert!(lines.iter().all(|line| line.len() <= WIDTH), "{lines:#?}");
        let message = format!("Title\n\nText.\n\n{}\n", lines.join("\n"));
        let read = trailers(message.as_bytes());
        let of = |key: &str| -> Vec<String> {
            let values = read.iter().filter(|trailer| trailer.key == key.as_bytes());
            values.map(|trailer| String::from_utf8(trailer.value.clone()).unwrap()).collect()
        };
        assert_eq!(of(COMPLETE).join(" "), complete.join(" "));
        assert_eq!(of(RUN).iter().map(|value| RunRange::parse(value)).collect::<Vec<_>>(), [Some(run)]);
        assert_eq!(RunRange::parse(&format!("{}..{}", run.base, run.tip)), Some(run));
        assert_eq!(RunRange::parse("1111111..2222222"), None);
    }

    #[test]
    fn a_run_that_completes_nothing_has_no_block() {
        let run = RunRange { base: id(1), tip: id(2) };
        assert_eq!(landed_lines(&[], Some(run)), Vec::<String>::new());
        assert_eq!(landed_lines(&["T1".to_owned()], None), ["Arborist-Complete: T1"]);
    }
}
