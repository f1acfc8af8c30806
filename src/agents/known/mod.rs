//! The agents that are known by name. Those with error messages of their own have a file each.

mod aider;
pub(super) mod claude;
pub(super) mod codex;
pub(super) mod gemini;
pub(super) mod opencode;
mod plain;
pub(super) mod vibe;

use super::agent::Agent;

/// All known agents, in the order in which they are looked for if none is configured.
pub static AGENTS: &[Agent] = &[
    claude::CLAUDE,
    codex::CODEX,
    gemini::GEMINI,
    opencode::OPENCODE,
    plain::QWEN,
    plain::COPILOT,
    plain::CURSOR,
    plain::ANTIGRAVITY,
    aider::AIDER,
    plain::AMP,
    plain::CLINE,
    plain::DROID,
    plain::GOOSE,
    plain::KILO,
    plain::PI,
    vibe::VIBE,
];

/// Whether an untracked file, given by its path from the top of the work tree, is one that an agent leaves behind for itself.
#[must_use]
pub fn is_left_by_agent(path: &[u8]) -> bool {
    let first = path.split(|byte| *byte == b'/').next();
    AGENTS.iter().flat_map(|agent| agent.leaves).any(|name| first == Some(name.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_an_agent_leaves_at_the_top_is_its_own() {
        for (path, is_its_own) in [
            (".aider.chat.history.md", true),
            (".aider.tags.cache.v4/cache.db", true),
            ("src/.aider.chat.history.md", false),
            (".aider.conf.yml", false),
            ("", false),
        ] {
            assert_eq!(is_left_by_agent(path.as_bytes()), is_its_own, "{path}");
        }
    }
}
