//! Runs in which every check of `trust` has its default.

use std::process::Command;

use super::garden::Garden;

/// Takes away what the tests set so that fewer test commands run: the checks have their defaults.
pub(crate) fn with_default_checks(command: &mut Command) {
    for name in ["TRUST_PROVE", "TRUST_COUNTS", "CONFIRM"] {
        command.env_remove(format!("ARBORIST_{name}"));
    }
}

/// An agent that implements by this script.
pub(crate) fn implementer(garden: &Garden, script: &str) {
    garden.agent(&format!("case $ARBORIST_STEP in implement) set -e\n{script}\necho done\nexit 0;; esac"));
}

/// The word of a task's proof in its commits.
pub(crate) fn proof_word(garden: &Garden, task: &str) -> String {
    let grep = format!("--grep=^task({task}): complete");
    let proof = garden.git(&["log", "-1", "--format=%(trailers:key=Arborist-Proof,valueonly)", &grep]);
    proof.split_whitespace().find_map(|value| value.strip_prefix("is=")).unwrap_or_default().to_owned()
}
