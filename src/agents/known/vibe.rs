//! Vibe by Mistral.

use crate::agents::agent::{Agent, Counts, Login, Resume, StatePlace};
use crate::agents::event::ErrorKind::{NoCredit, NotLoggedIn, Refused, Unreachable, UsageLimit};
use crate::agents::protocol::Protocol;
use crate::agents::unavailable::error_patterns::{ErrorPatterns, PatternGroup};

pub(in crate::agents) const VIBE: Agent = Agent {
    name: "vibe",
    program: "vibe",
    protocol: Protocol::Vibe,
    implement: &["--prompt", "--output", "streaming", "--auto-approve", "--trust"],
    review: &["--prompt", "--output", "streaming", "--trust", "--agent", "ask"],
    model: None,
    state: StatePlace { variable: Some("VIBE_HOME"), folders: &[".vibe"], files: &[] },
    install: "pip install mistral-vibe",
    login: Login {
        advice: "run `vibe --setup`, or set MISTRAL_API_KEY",
        variables: &["MISTRAL_API_KEY"],
        files: &[".env"],
        ..Login::NONE
    },
    resume: Some(Resume { word: "--resume", counts: Counts::Call }),
    error_patterns: &ERRORS,
    ..Agent::USUAL
};

/// There are no errors in its stream. It exits with 1 or 2 and prints them on standard error, with the words of the service after
/// them.
pub(in crate::agents) const ERRORS: ErrorPatterns = ErrorPatterns {
    finals: &[
        PatternGroup::of(NotLoggedIn, &["Error: Invalid API key*", "Error: Client error '403 *"]),
        PatternGroup::of(NoCredit, &["Error: Client error '402 *"]),
        PatternGroup::of(UsageLimit, &["Error: Client error '429 *"]),
        PatternGroup::of(Refused, &["Error: Client error '4*"]),
        PatternGroup::of(Unreachable, &["Error: Server error '5*"]),
    ],
    passing: &[],
    ..ErrorPatterns::USUAL
};
