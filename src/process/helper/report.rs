//! What a helper reports: JSON, one object per line.

use super::super::ProcessName;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::os::unix::net::UnixStream;

/// How many processes a report names at most: the reader may be stopped, and the line must hold the report until it goes
/// on.
const NAMED: usize = 100;

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::process) enum Status {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
}

/// What a helper reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::process) enum Report {
    /// The program runs.
    Started {
        /// Its process id, which is also that of its group and session.
        pid: i32,
    },
    /// The program could not be started. This is the last report.
    NotStarted {
        /// The error code of the system, or 0.
        code: i32,
    },
    /// The program has ended.
    Ended(Status),
    /// Everything has ended, or will not. This is the last report.
    Gone {
        /// What was still running a moment after the program had ended by itself.
        leaked: Vec<ProcessName>,
        /// What could not be ended.
        survivors: Vec<ProcessName>,
    },
}

impl Report {
    /// Sends it. That the reader is gone is noticed elsewhere.
    pub(super) fn send(mut self, mut line: &UnixStream) {
        if let Self::Gone { leaked, survivors } = &mut self {
            leaked.truncate(NAMED);
            survivors.truncate(NAMED);
        }
        let mut bytes = serde_json::to_vec(&self).expect("names and numbers can be written as JSON");
        bytes.push(b'\n');
        let _ = line.write_all(&bytes);
    }
}

/// Takes the reports that are complete out of what was received. Whatever is no report is left out.
pub(super) fn take(received: &mut Vec<u8>) -> Vec<Report> {
    let Some(end) = memchr::memrchr(b'\n', received) else { return Vec::new() };
    let complete: Vec<u8> = received.drain(..=end).collect();
    complete.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn reports_arrive_whole_in_whatever_pieces() {
        let name = |pid| ProcessName { pid, name: "sh \"\u{fffd}\"".into() };
        let reports = [
            Report::Started { pid: 7 },
            Report::NotStarted { code: 2 },
            Report::Ended(Status::Exited(3)),
            Report::Ended(Status::Signalled(9)),
            Report::Gone { leaked: vec![name(8), name(9)], survivors: vec![] },
        ];
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        for report in &reports {
            report.clone().send(&ours);
        }
        Report::Gone { leaked: (0..5000).map(name).collect(), survivors: vec![] }.send(&ours);
        drop(ours);
        let mut bytes = Vec::new();
        theirs.read_to_end(&mut bytes).unwrap();
        let (mut received, mut found) = (Vec::new(), Vec::new());
        for byte in bytes {
            received.push(byte);
            found.extend(take(&mut received));
        }
        assert_eq!(found[..reports.len()], reports);
        let Report::Gone { leaked, .. } = &found[reports.len()] else { panic!("{found:?}") };
        assert_eq!(leaked.len(), NAMED);
    }
}
