//! Measures the memory of the supervisor in a process of its own.

use super::*;
use crate::support::skip::has_proc;
use git_arborist::process::{ExitReason, Limits};

#[test]
fn endless_output_takes_little_memory() {
    if !has_proc() {
        return;
    }
    let alone = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "--nocapture", "process::memory::take_in_endless_output"])
        .output()
        .unwrap();
    assert!(alone.status.success(), "{}", String::from_utf8_lossy(&alone.stderr));
}

/// Not a test by itself: the memory of a process can only be measured where no other test runs in it.
#[test]
#[ignore = "run by another test only"]
fn take_in_endless_output() {
    let place = Place::new();
    let limits = Limits { flood: 600 << 20, ..Limits::default() };
    let ended = place.sh("cat /dev/zero & yes >&2").limits(limits).run();
    assert!(matches!(ended.exit_reason, ExitReason::Flooded { .. }), "{:?}", ended.exit_reason);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    assert!(kilobytes < 50_000, "{kilobytes} kB");
}
