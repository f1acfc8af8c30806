//! The reports of a helper: JSON, one object per line.

use super::super::ProcessName;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::os::unix::net::UnixStream;

/// How many processes a report names at most. The reader may be stopped, and the socket must hold the report until it
/// continues.
const NAMED: usize = 100;

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::process) enum ProgramExit {
    /// With this exit status.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::process) enum HelperReport {
    /// The program was started.
    Started {
        /// Its process id, which is also that of its group and session.
        pid: i32,
    },
    /// The program could not be started. This is the last report.
    NotStarted {
        /// The error code of the system, or 0.
        code: i32,
    },
    Ended(ProgramExit),
    /// Everything that can be ended has ended. This is the last report.
    Gone {
        /// The processes that were still running a moment after the program had ended by itself.
        leaked: Vec<ProcessName>,
        /// The processes that could not be ended.
        survivors: Vec<ProcessName>,
    },
}

impl HelperReport {
    /// Sends the report. If the reader is gone, that is noticed elsewhere.
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

/// Takes the complete reports out of the received bytes. Anything that is not a report is skipped.
pub(super) fn take(received: &mut Vec<u8>) -> Vec<HelperReport> {
    let Some(end) = memchr::memrchr(b'\n', received) else { return Vec::new() };
    let complete: Vec<u8> = received.drain(..=end).collect();
    complete.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn reports_arrive_complete_in_pieces_of_any_size() {
        let name = |pid| ProcessName { pid, name: "sh \"\u{fffd}\"".into() };
        let reports = [
            HelperReport::Started { pid: 7 },
            HelperReport::NotStarted { code: 2 },
            HelperReport::Ended(ProgramExit::Exited(3)),
            HelperReport::Ended(ProgramExit::Signalled(9)),
            HelperReport::Gone { leaked: vec![name(8), name(9)], survivors: vec![] },
        ];
        let (ours, mut theirs) = UnixStream::pair().unwrap();
        for report in &reports {
            report.clone().send(&ours);
        }
        HelperReport::Gone { leaked: (0..5000).map(name).collect(), survivors: vec![] }.send(&ours);
        drop(ours);
        let mut bytes = Vec::new();
        theirs.read_to_end(&mut bytes).unwrap();
        let (mut received, mut found) = (Vec::new(), Vec::new());
        for byte in bytes {
            received.push(byte);
            found.extend(take(&mut received));
        }
        assert_eq!(found[..reports.len()], reports);
        let HelperReport::Gone { leaked, .. } = &found[reports.len()] else { panic!("{found:?}") };
        assert_eq!(leaked.len(), NAMED);
    }
}
