//! A reader of histories with landed commits that follows docs/commits.md and docs/landing.md without regard to speed. It knows
//! git's own output and nothing of our code.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

pub(super) const TASKS: [&str; 4] = ["T1", "T2", "T3", "T4"];

/// A commit as `git log` prints it.
#[derive(Clone, Debug)]
struct Commit {
    id: String,
    parents: Vec<String>,
    time: i64,
    message: String,
}

/// What a commit says about a task.
#[derive(Clone, Debug)]
struct Said {
    commit: String,
    time: i64,
    /// How far it takes the task: the place of the state in the list of the page.
    state: usize,
    is_landed: bool,
    /// Whether it says that a task which was complete is not.
    opens_again: bool,
    /// The steps of the same task in the run that a landed commit contains.
    contains: BTreeSet<String>,
}

const STATES: [&str; 7] =
    ["pending", "implementing", "testing", "reviewing", "failed", "skipped", "complete"];

/// A repository.
pub(super) struct Slow<'a> {
    pub(super) folder: &'a Path,
}

impl Slow<'_> {
    fn try_git(&self, args: &[&str]) -> Option<String> {
        let output = Command::new("git").current_dir(self.folder).args(args).output().unwrap();
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
    }

    fn git(&self, args: &[&str]) -> String {
        self.try_git(args).unwrap_or_else(|| panic!("git {args:?}"))
    }

    fn commits(&self, range: &str) -> Vec<Commit> {
        let log = self.git(&["log", "--topo-order", "--format=%H%x1f%P%x1f%ct%x1f%B%x1e", range]);
        let commits = log.split('\u{1e}').map(str::trim_start).filter(|text| !text.is_empty());
        let commit = |text: &str| {
            let fields: Vec<&str> = text.splitn(4, '\u{1f}').collect();
            Commit {
                id: fields[0].to_owned(),
                parents: fields[1].split_whitespace().map(str::to_owned).collect(),
                time: fields[2].parse().unwrap(),
                message: fields[3].to_owned(),
            }
        };
        commits.map(commit).collect()
    }

    fn reaches(&self, from: &str, to: &str) -> bool {
        self.try_git(&["merge-base", "--is-ancestor", to, from]).is_some()
    }

    fn is_there(&self, commit: &str) -> bool {
        self.try_git(&["cat-file", "-e", &format!("{commit}^{{commit}}")]).is_some()
    }

    /// The state of every task at a commit, in a run that began after another one.
    pub(super) fn states(&self, anchor: &str, head: &str) -> Vec<&'static str> {
        let commits = self.commits(&format!("{anchor}..{head}"));
        let dropped = self.reverted(&commits);
        let states = TASKS.map(|task| {
            let counted = commits.iter().filter(|commit| !dropped.contains(&commit.id));
            let said: Vec<Said> = counted.filter_map(|commit| self.said(commit, task)).collect();
            STATES[self.latest(&said).map_or(0, |said| said.state)]
        });
        states.to_vec()
    }

    /// The latest of these: none that another one descends from or contains; no landed commit beside steps that were made after the
    /// end of its run or, where that is not here, open the task again, and no others beside it; then the newest; then the furthest.
    fn latest<'s>(&self, said: &'s [Said]) -> Option<&'s Said> {
        let is_behind = |one: &Said| {
            said.iter().any(|other| {
                other.commit != one.commit
                    && (other.contains.contains(&one.commit) || self.reaches(&other.commit, &one.commit))
            })
        };
        let top: Vec<&Said> = said.iter().filter(|one| !is_behind(one)).collect();
        let has_run = top.iter().any(|one| !one.contains.is_empty());
        let is_later = |one: &&&Said| !one.is_landed && (has_run || one.opens_again);
        let is_beside_landed = top.iter().any(|one| one.is_landed);
        let later: Vec<&&Said> = top.iter().filter(is_later).filter(|_| is_beside_landed).collect();
        let landed: Vec<&&Said> = top.iter().filter(|one| one.is_landed).collect();
        let left = match (later.is_empty(), landed.is_empty() || has_run) {
            (false, _) => later,
            (true, false) => landed,
            (true, true) => top.iter().collect(),
        };
        left.into_iter().copied().max_by_key(|one| (one.time, one.state))
    }

    fn said(&self, commit: &Commit, task: &str) -> Option<Said> {
        let Commit { id, time, message, .. } = commit;
        let said = |state, contains| Said {
            commit: id.clone(),
            time: *time,
            state,
            is_landed: false,
            opens_again: false,
            contains,
        };
        if message.starts_with(&format!("task({task}): ")) {
            let trailers = trailers(message.trim_end().rsplit("\n\n").next()?);
            let has = |key: &str, value: &str| trailers.get(key).is_some_and(|values| values[0] == value);
            let opens_again = has("Arborist-Step", "reopen") || has("Arborist-Review", "rejected");
            return Some(Said { opens_again, ..said(step_state(&trailers)?, BTreeSet::new()) });
        }
        let landing =
            landings(message).into_iter().rfind(|landing| landing.tasks.iter().any(|other| other == task))?;
        let contains = self.believed(commit, &landing, task)?;
        Some(Said { is_landed: true, ..said(6, contains) })
    }

    /// The steps that a landed commit contains, if it is believed.
    fn believed(&self, commit: &Commit, landing: &Landing, task: &str) -> Option<BTreeSet<String>> {
        let Landing { base, tip, .. } = landing;
        if !self.is_there(base) || !self.reaches(&commit.id, base) || base == &commit.id {
            return None;
        }
        if !self.is_there(tip) {
            return Some(BTreeSet::new());
        }
        let states = self.states(base, tip);
        let is_complete = |task: &str| {
            TASKS.iter().position(|other| *other == task).is_some_and(|at| states[at] == "complete")
        };
        if !is_complete(task) {
            return None;
        }
        let steps = self.commits(&format!("{base}..{tip}"));
        let own = steps.into_iter().filter(|step| step.message.starts_with(&format!("task({task}): ")));
        Some(own.map(|step| step.id).collect())
    }

    /// The commits that reverts take back.
    fn reverted(&self, commits: &[Commit]) -> BTreeSet<String> {
        let mut dropped = BTreeSet::new();
        // Newest first: a revert that is reverted itself is known before its target is looked at.
        for revert in commits {
            let is_step = revert.message.starts_with("task(") || revert.message.starts_with("phase(");
            if is_step || dropped.contains(&revert.id) || !landings(&revert.message).is_empty() {
                continue;
            }
            for target in self.targets(revert, commits) {
                match &target.parents[..] {
                    [first, second] => {
                        let range = format!("{first}..{second}");
                        dropped.extend(self.commits(&range).into_iter().map(|commit| commit.id));
                        dropped.insert(target.id.clone());
                    }
                    _ => _ = dropped.insert(target.id.clone()),
                }
            }
        }
        dropped
    }

    fn targets<'c>(&self, revert: &Commit, commits: &'c [Commit]) -> Vec<&'c Commit> {
        let earlier = |commit: &&Commit| commit.id != revert.id && self.reaches(&revert.id, &commit.id);
        let named = revert.message.lines().filter_map(|line| line.strip_prefix("This reverts commit "));
        let named: Vec<&str> = named.map(|rest| rest[..40].trim()).collect();
        let title = revert.message.lines().next().unwrap_or_default();
        let title = title.strip_prefix("Revert \"").and_then(|rest| Some(&rest[..rest.rfind('"')?]));
        let by_title = || {
            let mut same = commits.iter().filter(|commit| commit.message.lines().next() == title);
            same.find(earlier)
        };
        let found = named.iter().filter_map(|id| {
            let here = commits.iter().find(|commit| commit.id == *id).filter(earlier);
            here.or_else(|| if self.is_there(id) && self.reaches(&revert.id, id) { None } else { by_title() })
        });
        found.collect()
    }
}

/// What a landed commit says.
struct Landing {
    tasks: Vec<String>,
    base: String,
    tip: String,
}

/// The paragraphs of a message that name tasks and a run, but for those whose commits the same message reverts.
fn landings(message: &str) -> Vec<Landing> {
    if message.starts_with("task(") {
        return Vec::new();
    }
    let plain: Vec<&str> = message
        .lines()
        .map(|line| line.strip_prefix("    ").unwrap_or(line).trim_end())
        .map(|line| line.strip_prefix("* ").unwrap_or(line))
        .collect();
    let quoted = |word: &str| -> Vec<&str> {
        let rest = plain.iter().filter_map(|line| line.strip_prefix(word)?.strip_suffix('"'));
        rest.filter(|title| !title.starts_with("Revert \"")).collect()
    };
    let (reverts, again) = (quoted("Revert \""), [quoted("Reapply \""), quoted_twice(&plain)].concat());
    let is_taken_back = |title: &str| {
        let count = |list: &[&str]| list.iter().filter(|other| **other == title).count();
        count(&reverts) > count(&again)
    };
    let (mut found, mut since): (Vec<Landing>, Vec<&str>) = (Vec::new(), Vec::new());
    let text = plain.join("\n").replace("Arborist-Run:\n", "Arborist-Run: ");
    for paragraph in text.split("\n\n") {
        let own = trailers(paragraph);
        if let (Some(tasks), Some(run)) = (own.get("Arborist-Complete"), own.get("Arborist-Run")) {
            let (base, tip) = run[0].split_once("..").unwrap();
            let tasks = tasks.iter().flat_map(|ids| ids.split(' ')).map(str::to_owned).collect();
            if !since.iter().any(|line| is_taken_back(line)) {
                found.push(Landing { tasks, base: base.to_owned(), tip: tip.to_owned() });
            }
            since.clear();
        } else {
            since.extend(paragraph.lines());
        }
    }
    found
}

fn quoted_twice<'t>(plain: &[&'t str]) -> Vec<&'t str> {
    plain.iter().filter_map(|line| line.strip_prefix("Revert \"Revert \"")?.strip_suffix("\"\"")).collect()
}

/// The trailers of a paragraph of nothing else.
fn trailers(paragraph: &str) -> BTreeMap<String, Vec<String>> {
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for line in paragraph.trim().lines() {
        let Some((key, value)) = line.split_once(": ").filter(|(key, _)| !key.contains(' ')) else {
            return BTreeMap::new();
        };
        all.entry(key.to_owned()).or_default().push(value.to_owned());
    }
    all
}

/// The place of the state after a step.
fn step_state(trailers: &BTreeMap<String, Vec<String>>) -> Option<usize> {
    let value = |key: &str| trailers.get(key).map(|values| values[0].as_str());
    Some(match (value("Arborist-Step")?, value("Arborist-Result")) {
        ("implement", _) => 1,
        ("test", _) => 2,
        ("review", _) => 3,
        ("complete", Some("fail")) => 4,
        ("complete", Some("skip")) => 5,
        ("complete", _) => 6,
        ("reopen", _) => 0,
        other => panic!("{other:?} is not made here"),
    })
}
