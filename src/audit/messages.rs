//! Finds the messages to check: in a file, on standard input, in a commit, a range or the current run.

use std::io::Read;
use std::path::{Path, PathBuf};

use super::evidence::{Audit, CheckedRun};
use crate::check::evidence::TaskEvidence;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::{Git, Revisions};
use crate::history::{StepValidity, pick_steps};
use crate::hooks::{CheckContext, RangeChecks};
use crate::record::CommitId;
use crate::report::Screen;
use crate::run::read_run_to_check;
use crate::session::{Call, Session, git_colors, open_at_once};
use crate::suggest;
use crate::text::one_line;

/// The repository of the messages, if there is one, and everything that is needed to check them.
pub(crate) struct Repo {
    pub(crate) context: CheckContext,
    /// How output may look.
    pub(crate) screen: Screen,
    git: Result<Git>,
}

impl Repo {
    /// Looks for a repository, which a message file does not need.
    pub(crate) fn open(call: &Call, is_strict: bool) -> Result<Self> {
        let here = call.environment.current_dir.clone().unwrap_or_default();
        let place = Git::find(&here).and_then(|git| {
            let question = git.ask_config()?;
            let top = match open_at_once(&git, &call.environment) {
                Some((_, work_tree)) => work_tree.top,
                None => git.top_or_git_dir()?,
            };
            Ok((git.in_dir(&top), top, question))
        });
        let (mut context, screen, git) = match place {
            Ok((git, top, question)) => {
                let entries = question.entries()?;
                let screen = git_colors(call.screen, &entries);
                (CheckContext::of(&top, entries, &call.environment)?, screen, Ok(git))
            }
            Err(error) => (CheckContext::unknown(&call.environment), call.screen, Err(error)),
        };
        if is_strict {
            context.policy = context.policy.strict();
        }
        Ok(Self { context, screen, git })
    }

    pub(crate) fn git(&self) -> Result<Git> {
        self.git.clone()
    }
}

/// The messages to be checked.
pub(crate) enum Source {
    /// A message that may become a commit.
    Message {
        text: Vec<u8>,
        name: String,
        /// The file; `None` for standard input.
        path: Option<PathBuf>,
    },
    /// Commits.
    Commits {
        git: Box<Git>,
        revisions: Revisions,
        range_checks: Box<RangeChecks>,
        /// The evidence for its tasks, if they are those of a run.
        evidence: Option<Vec<TaskEvidence>>,
    },
}

impl Source {
    /// The message or the commits with this name. A path is relative to the current folder, as everywhere.
    pub(crate) fn named(input: &str, repo: &Repo) -> Result<Self> {
        let path = Path::new(input);
        if path.is_file() { Self::of_file(path, input) } else { Self::of_revision(input, repo) }
    }

    fn of_file(path: &Path, name: &str) -> Result<Self> {
        let text = files::read(path, files::LARGE).map_err(|error| {
            Error::new(Kind::Input, format!("{name} cannot be read: {error}"), "Name another file.")
        })?;
        Ok(Self::Message { text, name: name.to_owned(), path: Some(path.to_owned()) })
    }

    pub(crate) fn of_stdin() -> Result<Self> {
        let mut text = Vec::new();
        let read = std::io::stdin().lock().read_to_end(&mut text);
        read.map_err(|error| Error::new(Kind::Input, format!("standard input cannot be read: {error}"), ""))?;
        Ok(Self::Message { text, name: "<stdin>".to_owned(), path: None })
    }

    pub(crate) fn of_revision(input: &str, repo: &Repo) -> Result<Self> {
        let git = repo.git()?;
        if input.contains("..") {
            let revisions = git.range(input).map_err(|error| name_the_unknown_end(&git, input, error))?;
            return Ok(Self::Commits {
                git: Box::new(git),
                revisions,
                range_checks: Box::new(RangeChecks::Range),
                evidence: None,
            });
        }
        let Some(commit) = git.commit_named(input)? else {
            let question = suggest::question(similar_name(&git, input)?.as_deref());
            return Err(Error::new(
                Kind::Input,
                format!("`{}` is neither a file nor a commit", one_line(input)),
                format!("{question}Name a message file, a commit, or a range such as main..HEAD."),
            ));
        };
        // The commit without its parents.
        let revisions = Revisions::new(vec![commit.to_string(), format!("^{commit}^@")]);
        Ok(Self::Commits {
            git: Box::new(git),
            revisions,
            range_checks: Box::new(RangeChecks::Nothing),
            evidence: None,
        })
    }

    /// The commits after the anchor, or all commits if the tree file was never committed.
    pub(crate) fn of_run(call: &Call, repo: &Repo) -> Result<Self> {
        let session = Session::open(call, Vec::new())?;
        let plan = session.plan()?;
        let run = read_run_to_check(&session.repository, &plan)?;
        let head = run.range.head();
        let tips = std::iter::once(&head).chain(run.range.beside()).map(CommitId::to_string);
        let from = run.range.anchor().map(|anchor| format!("^{anchor}"));
        let revisions = Revisions::new(tips.chain(from).collect());
        let steps = pick_steps(&session.repository, &run.range, |_, _| Some(()))?;
        let outdated = steps.into_iter().filter(|step| step.validity == StepValidity::Outdated);
        let outdated = outdated.map(|step| step.id).collect();
        let Audit { tasks, found } =
            Audit::of(CheckedRun { session: &session, plan: &plan, run: &run, revisions: &revisions })?;
        Ok(Self::Commits {
            git: Box::new(repo.git()?),
            revisions,
            range_checks: Box::new(RangeChecks::Run { doubts: run.doubts, outdated, found }),
            evidence: Some(tasks),
        })
    }
}

/// The error for a range of which one end is not a commit, with the name that may have been meant.
fn name_the_unknown_end(git: &Git, range: &str, error: Error) -> Error {
    let (start, end) = range.split_once("...").or_else(|| range.split_once("..")).unwrap_or((range, ""));
    let mut ends = [start, end].into_iter().filter(|end| !end.is_empty());
    let unknown = ends.find(|end| matches!(git.commit_named(end), Ok(None)));
    let Some(unknown) = unknown else { return error };
    let question =
        similar_name(git, unknown).map_or_else(|_| String::new(), |name| suggest::question(name.as_deref()));
    Error::new(
        Kind::Input,
        format!("`{}` in `{}` is not a commit here", one_line(unknown), one_line(range)),
        format!("{question}`git branch --all` lists the branches."),
    )
}

/// The branch or tag that was most likely meant: one with that name on a remote, otherwise one with a similar name.
fn similar_name(git: &Git, wanted: &str) -> Result<Option<String>> {
    let references = git.references()?;
    let short = |name: &'_ str| {
        ["refs/heads/", "refs/tags/", "refs/remotes/"]
            .iter()
            .find_map(|kind| Some(name.strip_prefix(kind)?.to_owned()))
    };
    let names: Vec<String> = references.iter().filter_map(|(name, _)| short(name)).collect();
    let elsewhere = names.iter().find(|name| name.split_once('/').is_some_and(|(_, rest)| rest == wanted));
    let near = || suggest::nearest(wanted, names.iter().map(String::as_str));
    Ok(elsewhere.map(String::as_str).or_else(near).map(str::to_owned))
}
