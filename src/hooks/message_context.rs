//! Checks one message file: predicts what git will commit, and looks up facts in the repository.

use std::path::{Path, PathBuf};

use crate::check::history::Reviews;
use crate::check::{
    Committer, Editor, GitSettings, Level, MessageDraft, MessageReport, NamedKind, Policy, Prediction, Rule,
    check, facts,
};
use crate::config::{Config, Environment, Override, Setting};
use crate::error::Result;
use crate::files;
use crate::git::{ConfigEntry, Git};
use crate::plan::TaskTree;
use crate::record::TaskId;

/// Everything that is needed to check a message: the repository, its configuration and the policy.
#[derive(Debug)]
pub struct CheckContext {
    git: Option<(Git, PathBuf)>,
    entries: Vec<ConfigEntry>,
    /// How strictly messages are judged.
    pub policy: Policy,
    /// How git processes message files.
    pub settings: GitSettings,
    /// Whether completions need a review.
    pub reviews: Reviews,
    tree: Option<String>,
}

/// A repository and its configuration.
#[derive(Debug)]
pub struct ConfiguredRepository {
    /// git, called at the top.
    pub git: Git,
    /// The top of the work tree, or the git directory if there is no work tree.
    pub top: PathBuf,
    /// The entries of git's configuration.
    pub entries: Vec<ConfigEntry>,
}

impl CheckContext {
    /// The defaults if there is no repository, or none that can be read.
    #[must_use]
    pub fn unknown(environment: &Environment) -> Self {
        Self {
            git: None,
            entries: Vec::new(),
            policy: Policy::default().with_agent(agent(environment)),
            settings: GitSettings::default(),
            reviews: Reviews::Needed,
            tree: None,
        }
    }

    /// The facts about a repository, which may be bare.
    ///
    /// # Errors
    /// If a setting of ours is wrong.
    pub fn of(
        configured: ConfiguredRepository,
        environment: &Environment,
        overrides: &[Override],
    ) -> Result<Self> {
        let ConfiguredRepository { git, top, entries } = configured;
        let config = Config::load(environment, &entries, &top, overrides)?;
        let mut policy = Policy::default().with_agent(agent(environment));
        for (rule, level) in config.levels() {
            policy = policy.with_level(rule, level);
        }
        if config.is_on(Setting::Strict) {
            policy = policy.strict();
        }
        let steps = config.text(Setting::ExtraStep);
        let steps = steps.split([' ', ',']).filter(|step| !step.is_empty()).map(str::to_owned);
        let last = |keys: &[&str]| {
            let found = entries.iter().rev().find(|entry| keys.contains(&entry.key.as_str()));
            found.map(|entry| entry.value.clone())
        };
        Ok(Self {
            policy: policy.with_steps(steps),
            settings: GitSettings {
                cleanup: last(&["commit.cleanup"]),
                comment: last(&["core.commentchar", "core.commentstring"]),
                verbose: last(&["commit.verbose"]),
            },
            reviews: match config.is_on(Setting::Review) {
                true => Reviews::Needed,
                false => Reviews::Off,
            },
            tree: config.optional(Setting::Tree),
            git: Some((git, top)),
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

/// Checks the message file `text`, and looks up everything that it names.
#[must_use]
pub fn inspect(text: &[u8], editor: Editor, context: &CheckContext) -> MessageReport {
    let prediction = Prediction::of(text, editor, &context.settings);
    let mut report = check(&MessageDraft::predicted(text, &prediction), &context.policy);
    let named = std::mem::take(&mut report.named);
    if let Some((git, top)) = context.git.as_ref().filter(|_| !named.is_empty()) {
        for path in named.iter().filter(|named| named.kind != NamedKind::Task) {
            if !top.join(&path.text).exists() && !git.knows(&path.text) {
                report.add(&context.policy, facts::missing_file(path));
            }
        }
        let task = named.iter().find(|named| named.kind == NamedKind::Task);
        let plan = named.iter().find(|named| named.kind == NamedKind::Plan).map(|plan| plan.text.as_str());
        let file = plan.or(context.tree.as_deref()).unwrap_or(crate::config::TREE_FILE);
        let is_wanted = context.policy.level(Rule::UnknownTask) != Level::Off;
        let task = task.filter(|_| is_wanted);
        if let Some(finding) = task.and_then(|task| unknown_task(git, &top.join(file), file, task)) {
            report.add(&context.policy, finding);
        }
        // Settings that only this call of git has (`git -c`) say nothing about the clone.
        let kept = context.entries.iter().filter(|entry| entry.scope != "command");
        let settings = kept.map(|entry| facts::Setting { key: &entry.key, value: &entry.value });
        if let Some(finding) = facts::disagreement(settings) {
            report.add(&context.policy, finding);
        }
    }
    report.named = named;
    report
}

/// Looks for the task in the tree file, if the file is tracked and can be read.
fn unknown_task(
    git: &Git,
    full: &Path,
    file: &str,
    task: &crate::check::NamedReference,
) -> Option<crate::check::Finding> {
    let bytes = files::read(full, files::LARGE).ok()?;
    let tree = TaskTree::from_json(&bytes).ok()?.tree;
    if tree.find(&task.text).is_some() || !git.knows(file) {
        return None;
    }
    let ids: Vec<&TaskId> = tree.nodes().map(|(_, node)| &node.id).collect();
    Some(facts::unknown_task(task, file, ids.into_iter().map(TaskId::as_str)))
}
