//! Checks one message file: predicts what git will commit, and looks at the settings of the repository.

use std::path::Path;

use crate::check::history::Reviews;
use crate::check::{
    Committer, Editor, GitSettings, MessageDraft, MessageReport, Policy, Prediction, check, facts,
};
use crate::config::{Config, Environment, Setting};
use crate::error::Result;
use crate::git::ConfigEntry;
use crate::record::CommitKind;

/// Everything that is needed to check a message: the configuration of the repository and the policy.
#[derive(Debug)]
pub struct CheckContext {
    entries: Vec<ConfigEntry>,
    /// How strictly messages are judged.
    pub policy: Policy,
    /// How git processes message files.
    pub settings: GitSettings,
    /// Whether completions need a review.
    pub reviews: Reviews,
}

impl CheckContext {
    /// The defaults if there is no repository, or none that can be read.
    #[must_use]
    pub fn unknown(environment: &Environment) -> Self {
        Self {
            entries: Vec::new(),
            policy: Policy::default().with_agent(agent(environment)),
            settings: GitSettings::default(),
            reviews: Reviews::Needed,
        }
    }

    /// The facts about a repository, which may be bare: the top of its work tree, or its git directory, and the entries of
    /// git's configuration.
    ///
    /// # Errors
    /// If a setting of ours is wrong.
    pub fn of(top: &Path, entries: Vec<ConfigEntry>, environment: &Environment) -> Result<Self> {
        let config = Config::load(environment, &entries, top, &[])?;
        let mut policy = Policy::default().with_agent(agent(environment));
        for (rule, level) in config.levels() {
            policy = policy.with_level(rule, level);
        }
        let last = |keys: &[&str]| {
            let found = entries.iter().rev().find(|entry| keys.contains(&entry.key.as_str()));
            found.map(|entry| entry.value.clone())
        };
        Ok(Self {
            policy,
            settings: GitSettings {
                cleanup: last(&["commit.cleanup"]),
                comment: last(&["core.commentchar", "core.commentstring"]),
                verbose: last(&["commit.verbose"]),
            },
            reviews: match config.is_on(Setting::Review) {
                true => Reviews::Needed,
                false => Reviews::Off,
            },
            entries,
        })
    }
}

/// Who is committing, according to the environment: a runner or a person.
fn agent(environment: &Environment) -> Committer {
    if environment.has("ARBORIST_TASK") && environment.has("ARBORIST_STEP") {
        Committer::AtWork
    } else {
        Committer::Absent
    }
}

/// Whether the user edits the message in `file`, according to the environment of a hook and the files beside it.
#[must_use]
pub fn editor_of(environment: &Environment, file: Option<&Path>) -> Editor {
    if environment.get("GIT_EDITOR") != Some(":") {
        return Editor::Used;
    }
    let beside = |name: &str| file.and_then(Path::parent).is_some_and(|folder| folder.join(name).exists());
    if beside("CHERRY_PICK_HEAD") || beside("REVERT_HEAD") { Editor::Sequencer } else { Editor::NotUsed }
}

/// Checks the message file `text`, and whether the settings let git read it as we do.
#[must_use]
pub fn inspect(text: &[u8], editor: Editor, context: &CheckContext) -> MessageReport {
    let prediction = Prediction::of(text, editor, &context.settings);
    let mut report = check(&MessageDraft::predicted(text, &prediction), &context.policy);
    if report.kind != CommitKind::Other {
        // Settings that only this call of git has (`git -c`) say nothing about the clone.
        let kept = context.entries.iter().filter(|entry| entry.scope != "command");
        let settings = kept.map(|entry| facts::Setting { key: &entry.key, value: &entry.value });
        if let Some(finding) = facts::disagreement(settings) {
            report.add(&context.policy, finding);
        }
    }
    report
}
