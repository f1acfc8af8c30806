//! `git arborist rescue`: lists, shows, restores and deletes what interrupted steps left behind.

use clap::{Args, Subcommand};

use crate::error::{Error, Kind, Result};
use crate::git::{RESCUE, Rescued};
use crate::record::CommitId;
use crate::report::{self, RescueRow};
use crate::run::BRANCH_FOLDER;
use crate::session::take_lock::lock;
use crate::session::{Call, Command, Deletes, Exit, Group, Session, Summary};
use crate::suggest;
use crate::text::{advice, clean, counted, one_line, shell_word};
use crate::worktree::{give_back, refuse_other_runs};

/// The fewest characters of a commit id that name it.
const SHORTEST_COMMIT: usize = 4;

/// The arguments of `rescue`.
#[derive(Args, Clone, Debug)]
pub struct Rescue {
    #[command(subcommand)]
    action: Option<RescueAction>,
}

#[derive(Subcommand, Clone, Debug)]
enum RescueAction {
    /// List everything that was saved, newest first
    List {
        /// Print one JSON document
        #[arg(long)]
        json: bool,
    },
    /// Show saved work as a diff
    Show {
        /// A name that `list` shows, a task or a commit [default: the newest]
        name: Option<String>,
    },
    /// Put saved files back into the work tree
    Apply {
        /// A name that `list` shows, a task or a commit [default: the newest]
        name: Option<String>,
    },
    /// Delete saved work that you no longer need
    Drop {
        /// Names that `list` shows, or commits
        #[arg(value_name = "NAME", required_unless_present = "all", conflicts_with = "all")]
        names: Vec<String>,
        /// Delete everything that was saved
        #[arg(long)]
        all: bool,
    },
}

impl Command for Rescue {
    const SUMMARY: Summary = Summary {
        name: "rescue",
        group: Group::Maintain,
        about: "list, show, restore and delete what interrupted steps left behind",
    };

    const MANUAL: &'static str = include_str!("manual/rescue.md");

    const DELETES: Deletes = Deletes::With(&["drop"]);

    fn run(self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        let saved = SavedWork::read(&session)?;
        match self.action.unwrap_or(RescueAction::List { json: false }) {
            RescueAction::List { json } => list(&saved, json),
            RescueAction::Show { name } => show(&session, saved.one(name.as_deref())?),
            RescueAction::Apply { name } => apply(&session, saved.one(name.as_deref())?),
            RescueAction::Drop { names, all } => {
                let chosen = if all { saved.0.iter().collect() } else { saved.exactly(&names)? };
                drop_saved(&session, &chosen)
            }
        }
    }
}

/// Everything that was saved, newest first.
struct SavedWork(Vec<Rescued>);

impl SavedWork {
    fn read(session: &Session) -> Result<Self> {
        let mut all = session.git.rescued()?;
        // Within the same second, the one with the higher number is newer.
        all.sort_by(|a, b| (b.time, &b.name).cmp(&(a.time, &a.name)));
        Ok(Self(all))
    }

    /// The saved work with this name, or the newest of this task; without a name, the newest of all.
    fn one(&self, name: Option<&str>) -> Result<&Rescued> {
        let Some(newest) = self.0.first() else { return Err(nothing_saved()) };
        let Some(name) = name else { return Ok(newest) };
        let of_task = |rescued: &&Rescued| short(rescued).split('/').next() == Some(name);
        match self.named(name) {
            Some(rescued) => Ok(rescued),
            None => self.0.iter().find(of_task).ok_or_else(|| self.unknown(name)),
        }
    }

    /// The saved work with these names. The name of a task is not enough.
    fn exactly(&self, names: &[String]) -> Result<Vec<&Rescued>> {
        let mut chosen: Vec<&Rescued> = Vec::with_capacity(names.len());
        for name in names {
            let rescued = self.named(name).ok_or_else(|| self.unknown(name))?;
            if !chosen.contains(&rescued) {
                chosen.push(rescued);
            }
        }
        Ok(chosen)
    }

    fn named(&self, name: &str) -> Option<&Rescued> {
        let is_named = |rescued: &&Rescued| {
            let full = rescued.name.as_str();
            let without_refs = full.strip_prefix("refs/").unwrap_or(full);
            [full, without_refs, short(rescued)].contains(&name)
        };
        let is_commit = |rescued: &&Rescued| {
            name.len() >= SHORTEST_COMMIT
                && rescued.commit.to_string().starts_with(&name.to_ascii_lowercase())
        };
        self.0.iter().find(is_named).or_else(|| {
            let mut found = self.0.iter().filter(is_commit);
            found.next().filter(|_| found.next().is_none())
        })
    }

    fn unknown(&self, name: &str) -> Error {
        if self.0.is_empty() {
            return nothing_saved();
        }
        let question = suggest::question(suggest::nearest(name, self.0.iter().map(short)));
        Error::new(
            Kind::Input,
            format!("nothing is saved under {}", one_line(name)),
            format!("{question}{} lists everything that is saved.", advice::rescue_list()),
        )
    }
}

fn nothing_saved() -> Error {
    Error::new(Kind::No, "nothing is saved", "Work is saved when a step is interrupted.")
}

/// The name without the common prefix.
fn short(rescued: &Rescued) -> &str {
    rescued.name.strip_prefix(RESCUE).unwrap_or(&rescued.name)
}

fn list(saved: &SavedWork, json: bool) -> Result<Exit> {
    let row = |rescued: &Rescued| RescueRow {
        name: short(rescued).to_owned(),
        reference: rescued.name.clone(),
        commit: rescued.commit,
        time: report::Moment(rescued.time),
        subject: rescued.subject.clone(),
    };
    let rows: Vec<RescueRow> = saved.0.iter().map(row).collect();
    report::print(&if json { report::rescue_json(&rows) } else { report::rescue_text(&rows) })?;
    Ok(Exit::Done)
}

fn show(session: &Session, rescued: &Rescued) -> Result<Exit> {
    let commit = session.repository.commit(&rescued.commit)?;
    let message = clean(&commit.message);
    let mut text = format!("{}  {}\n{}\n\n", rescued.commit.short(), rescued.name, message.trim_end());
    if let Some(base) = commit.parents.first() {
        text.push_str(&clean(&session.git.diff(base, &rescued.commit, &[])?));
        text.push('\n');
        if let Some(staged) = staged_version(session, rescued, &commit.parents)? {
            text.push_str("\nstaged, and not in the work tree:\n\n");
            text.push_str(&clean(&session.git.diff(base, staged, &[])?));
            text.push('\n');
        }
    }
    report::print(&text)?;
    Ok(Exit::Done)
}

/// The commit with content that was only staged, if there is one: the second parent. A branch that was kept may end in
/// a merge, whose second parent is something else.
fn staged_version<'a>(
    session: &Session,
    rescued: &Rescued,
    parents: &'a [CommitId],
) -> Result<Option<&'a CommitId>> {
    let Some(second) = parents.get(1) else { return Ok(None) };
    let message = session.repository.commit(second)?.message;
    Ok(message.starts_with(format!("{}: ", rescued.subject).as_bytes()).then_some(second))
}

fn apply(session: &Session, rescued: &Rescued) -> Result<Exit> {
    let _lock = lock(session, "rescue")?;
    let files = counted(give_back(&session.git, &session.work_tree, rescued)?.len(), "file");
    report::print(&format!("put {files} from {} into the work tree\n", rescued.name))?;
    let parents = session.repository.commit(&rescued.commit)?.parents;
    if let Some(branch) = branch_of_base(session, &parents)? {
        report::warn(
            &session.screen,
            &format!(
                "it was done on {branch}, which has commits that this branch does not have; `git diff` shows whether \
                 the files fit here, and `git switch` goes there"
            ),
        );
    }
    if let Some(staged) = staged_version(session, rescued, &parents)? {
        report::eprint(&format!(
            "Other versions of files were staged: `git show --stat {0}` names them, and `git restore --staged \
             --source={0} FILE` stages one of them again.",
            staged.short()
        ));
    }
    report::eprint(&format!("It stays saved until {} deletes it.", advice::rescue_drop(short(rescued))));
    Ok(Exit::Done)
}

/// The branch of a run on whose commits saved work was done, if HEAD lacks them.
fn branch_of_base(session: &Session, parents: &[CommitId]) -> Result<Option<String>> {
    let repository = &session.repository;
    let (Some(base), Some(head)) = (parents.first(), repository.head()?) else { return Ok(None) };
    if repository.reaches(head, *base)? {
        return Ok(None);
    }
    for (name, tip) in repository.branches_in(BRANCH_FOLDER)? {
        if repository.reaches(tip, *base)? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// Deletes references. The commits stay in the repository until git collects them, so each can still be brought back.
fn drop_saved(session: &Session, chosen: &[&Rescued]) -> Result<Exit> {
    let _lock = lock(session, "rescue")?;
    refuse_other_runs(&session.work_tree)?;
    for rescued in chosen {
        let object = session.git.delete_reference(&rescued.name)?;
        let name = &rescued.name;
        let word = shell_word(name);
        report::print(&format!("dropped {name}; `git update-ref {word} {object}` brings it back\n"))?;
    }
    if chosen.is_empty() {
        report::print("nothing is saved\n")?;
    }
    Ok(Exit::Done)
}
