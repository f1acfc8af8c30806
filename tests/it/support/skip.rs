//! What a test does where it cannot run.

use std::io::Write as _;
use std::path::Path;

/// Says that a test is skipped, and why. This is not captured with the output of the test, so it is always seen.
pub(crate) fn skip(reason: &str) {
    // Not with `eprintln!`, whose output is only shown if the test fails.
    let _ = writeln!(std::io::stderr(), "skipped: {reason}");
}

/// Whether a program is on PATH. If not, the test is skipped; with `SKIP_NOTHING`, as in CI, it fails.
#[track_caller]
pub(crate) fn has(program: &str) -> bool {
    let is_there = which::which(program).is_ok();
    if !is_there {
        missing(&format!("{program} is not installed"));
    }
    is_there
}

/// Whether the system tells about its processes by `/proc`. If not, the test is skipped: what it is about is coarser there, as
/// docs/installing.md says.
pub(crate) fn has_proc() -> bool {
    let has = Path::new("/proc/self/stat").exists();
    if !has {
        skip("there is no /proc");
    }
    has
}

/// These words, which a run says of processes that it sees; none where the system does not tell about processes.
pub(crate) fn seen<'w>(words: &'w [&'w str]) -> &'w [&'w str] {
    if has_proc() { words } else { &[] }
}

/// Says that something is not installed, and the test is skipped; with `SKIP_NOTHING`, as in CI, it fails.
#[track_caller]
pub(crate) fn missing(what: &str) {
    assert!(
        std::env::var_os("SKIP_NOTHING").is_none(),
        "{what}, and with SKIP_NOTHING nothing may be skipped"
    );
    skip(what);
}
