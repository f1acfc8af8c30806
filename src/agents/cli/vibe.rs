//! Vibe by Mistral.

use crate::agents::agent::{Agent, Counts, LoginSigns, PromptBy, Resume, StatePlace};
use crate::agents::outcome::error_patterns::{
    ErrorPatterns,
    Meaning::{NoCredit, NotLoggedIn, Refused, Unreachable, UsageLimit},
    PatternGroup,
};
use crate::agents::protocol::Protocol;

pub(in crate::agents) const VIBE: Agent = Agent {
    name: "vibe",
    program: "vibe",
    is_default: false,
    vendor: Some("Mistral"),
    protocol: Protocol::Vibe,
    implement: &["--prompt", "--output", "streaming", "--auto-approve", "--trust"],
    review: &["--prompt", "--output", "streaming", "--trust", "--agent", "ask"],
    model: None,
    last: &[],
    prompt: PromptBy::Stdin,
    env: &[],
    state: StatePlace { variable: Some("VIBE_HOME"), folders: &[".vibe"], files: &[] },
    leaves: &[],
    reads: &[],
    works_as_root: true,
    install: "pip install mistral-vibe",
    login: LoginSigns { variables: &["MISTRAL_API_KEY"], files: &[".env"] },
    schema: None,
    resume: Some(Resume { word: "--resume", counts: Counts::Call }),
    help: &["--help"],
    error_patterns: &ERRORS,
};

/// Its stream tells no errors. It exits with 1 or 2 and prints them on standard error, and the words of the service after
/// them.
pub(in crate::agents) const ERRORS: ErrorPatterns = ErrorPatterns {
    login: "run `vibe --setup`, or set MISTRAL_API_KEY",
    look_back: 3,
    finals: &[
        PatternGroup::of(NotLoggedIn, &["Error: Invalid API key*", "Error: Client error '403 *"]),
        PatternGroup::of(NoCredit, &["Error: Client error '402 *"]),
        PatternGroup::of(UsageLimit, &["Error: Client error '429 *"]),
        PatternGroup::of(Refused, &["Error: Client error '4*"]),
        PatternGroup::of(Unreachable, &["Error: Server error '5*"]),
    ],
    passing: &[],
    statuses: &[],
};
