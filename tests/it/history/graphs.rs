//! Random histories of any shape: what is read from them is what a plain, slow reading by the rules gives.

use std::collections::{BTreeSet, HashMap};

use crate::support::dice::Dice;
use crate::support::repo::{Repo, id, tasks};
use git_arborist::history::{
    Backend, Followed, Query, RepoPath, Repository, Run, Standing, read_run, read_steps,
};
use git_arborist::task::{CommitId, Outcome, Step, StepCommit, StepRecord, TaskId};

const TREE: &str = "spec/task-tree.json";
/// How many contents the tree file and what stands beside it may have.
const CONTENTS: usize = 4;
const LEAVES: [(&str, &str); 4] = [("T1", "p1"), ("T10", "p1"), ("T2", "p2"), ("T3", "p2")];

/// What a made commit is.
#[derive(Clone, Debug, PartialEq)]
enum What {
    Step(usize, StepRecord),
    Marker(usize),
    Unknown(usize),
    /// Reverts these commits of the list.
    Reverts(Vec<usize>),
    /// No step by its subject, but with an `Arborist-Step`.
    Carrier,
    Plain,
}

impl What {
    fn carries_step(&self) -> bool {
        !matches!(self, Self::Plain | Self::Reverts(_))
    }
}

struct Commit {
    parents: Vec<usize>,
    time: i64,
    /// Which of the trees of [`Trees`].
    tree: (usize, usize),
}

struct Made {
    commits: Vec<Commit>,
    what: Vec<What>,
}

/// A history, up to the messages of reverts, which need ids.
fn make(seed: u64) -> Made {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..5 {
        dice.below(2);
    }
    let size = if dice.one_in(20) { 150 } else { 4 + dice.below(40) };
    let window = 1 + dice.below(6);
    let merges = 1 + dice.below(8);
    let clock = dice.below(3);
    let touches = 3 + dice.below(12);
    let mut made = Made { commits: Vec::new(), what: Vec::new() };
    for place in 0..size {
        let parents = parents(&mut dice, place, window, merges);
        let what = what(&mut dice, place);
        // Few contents of the tree file, so that branches agree by chance; 0 is none.
        let mut file = parents.first().map_or(0, |&parent| made.commits[parent].tree.0);
        if place == 0 || dice.one_in(touches) {
            file = dice.below(CONTENTS);
        }
        let time = match clock {
            0 => 1_000 + i64::try_from(place).unwrap(),
            1 => 1_000 + i64::try_from(dice.below(20)).unwrap(),
            _ => 1_000 + i64::try_from(place).unwrap() + if dice.one_in(5) { 100_000_000 } else { 0 },
        };
        made.commits.push(Commit { parents, time, tree: (file, dice.below(CONTENTS)) });
        made.what.push(what);
    }
    made
}

fn parents(dice: &mut Dice, place: usize, window: usize, merges: usize) -> Vec<usize> {
    if place == 0 || (merges < 4 && dice.one_in(25)) {
        return Vec::new();
    }
    let mut parents = vec![place - 1 - dice.below(window.min(place))];
    // One shape in eight is a line without merges.
    while merges > 1 && dice.one_in(merges) && parents.len() < 4 {
        let more = dice.below(place);
        if !parents.contains(&more) {
            parents.push(more);
        }
    }
    parents
}

fn what(dice: &mut Dice, place: usize) -> What {
    match dice.below(20) {
        0..=9 => {
            let step = Step::ALL[dice.below(4)];
            let outcome = if dice.one_in(2) { Outcome::Pass } else { Outcome::Fail };
            let attempt = u32::try_from(dice.below(3)).unwrap();
            What::Step(dice.below(LEAVES.len()), StepRecord { step, outcome, attempt })
        }
        10..=11 => What::Marker(1 + dice.below(2)),
        12 => What::Unknown(dice.below(LEAVES.len())),
        13..=15 if place > 0 => What::Reverts((0..=dice.below(2)).map(|_| dice.below(place)).collect()),
        16 => What::Carrier,
        _ => What::Plain,
    }
}

fn message(what: &What, ids: &[CommitId]) -> String {
    let name = |leaf: usize| LEAVES[leaf].0;
    match what {
        What::Step(leaf, record) => {
            let key = match record.step {
                Step::Test => "Test",
                Step::Review => "Review",
                _ => "Result",
            };
            format!(
                "task({}): x\n\nThis reverts commit {}.\n\nArborist-Step: {}\nArborist-{key}: {}\nArborist-Retry: {}\n",
                name(*leaf),
                "0".repeat(40),
                record.step.word(),
                record.outcome.word(record.step),
                record.attempt
            )
        }
        What::Marker(phase) => format!("phase(p{phase}): complete\n\nArborist-Step: phase-complete\n"),
        What::Unknown(leaf) => format!("task({}): x\n\nArborist-Step: deploy\n", name(*leaf)),
        What::Reverts(places) => {
            let lines: String =
                places.iter().map(|&place| format!("This reverts commit {}.\n", ids[place])).collect();
            format!("Revert \"task(T1): x\"\n\n{lines}")
        }
        What::Carrier => "note\n\nArborist-Step: implement\nArborist-Result: pass\n".to_owned(),
        What::Plain => "task(T1): no trailers, so no step\n\nArborist-Step: implement\n\nend\n".to_owned(),
    }
}

/// The slow reading.
struct Slow<'a> {
    made: &'a Made,
    ids: &'a [CommitId],
    /// For each commit, the ancestors, itself left out.
    ancestors: Vec<Vec<bool>>,
    inside: Vec<bool>,
    counts: Vec<bool>,
}

impl<'a> Slow<'a> {
    fn new(made: &'a Made, ids: &'a [CommitId], anchor: Option<CommitId>) -> Self {
        let size = ids.len();
        let mut ancestors = vec![vec![false; size]; size];
        for place in 0..size {
            for &parent in &made.commits[place].parents {
                let above = ancestors[parent].clone();
                ancestors[place].iter_mut().zip(above).for_each(|(mine, theirs)| *mine |= theirs);
                ancestors[place][parent] = true;
            }
        }
        let anchor = anchor.map(|id| ids.iter().position(|other| *other == id).unwrap());
        let reaches = |from: usize, to: usize| from == to || ancestors[from][to];
        let inside: Vec<_> = (0..size)
            .map(|place| reaches(size - 1, place) && !anchor.is_some_and(|anchor| reaches(anchor, place)))
            .collect();
        let mut slow = Self { made, ids, ancestors, inside, counts: vec![false; size] };
        for place in (0..size).rev() {
            let reverted = (0..size).any(|later| {
                let reverts = matches!(&made.what[later], What::Reverts(places) if places.contains(&place));
                reverts && slow.counts[later] && slow.ancestors[later][place]
            });
            slow.counts[place] = slow.inside[place] && !reverted;
        }
        slow
    }

    /// The counted commits of a kind.
    fn counted(&self, is: impl Fn(&What) -> bool) -> Vec<usize> {
        (0..self.ids.len()).filter(|&place| self.counts[place] && is(&self.made.what[place])).collect()
    }

    fn maximal(&self, places: &[usize]) -> Vec<usize> {
        let is_top = |&place: &usize| !places.iter().any(|&other| self.ancestors[other][place]);
        places.iter().copied().filter(is_top).collect()
    }

    fn newest(&self, places: &[usize]) -> Option<usize> {
        places.iter().copied().max_by_key(|&place| (self.made.commits[place].time, self.ids[place]))
    }

    fn steps_of(&self, leaf: usize) -> Vec<usize> {
        self.counted(|what| matches!(what, What::Step(other, _) if *other == leaf))
    }

    fn step(&self, place: usize, record: StepRecord) -> StepCommit {
        StepCommit { id: self.ids[place], time: self.made.commits[place].time, record }
    }

    fn tasks(&self) -> HashMap<TaskId, StepCommit> {
        let latest = |(leaf, (name, _)): (usize, &(&str, &str))| {
            let place = self.newest(&self.maximal(&self.steps_of(leaf)))?;
            let What::Step(_, record) = self.made.what[place] else { panic!("no step") };
            Some((id(name), self.step(place, record)))
        };
        LEAVES.iter().enumerate().filter_map(latest).collect()
    }

    fn steps_of_phase(&self, phase: usize) -> Vec<usize> {
        let name = format!("p{phase}");
        let leaves = LEAVES.iter().enumerate().filter(|(_, (_, of))| *of == name);
        leaves.flat_map(|(leaf, _)| self.steps_of(leaf)).collect()
    }

    fn phases(&self) -> HashMap<TaskId, StepCommit> {
        let marked = |phase: usize| {
            let steps = self.steps_of_phase(phase);
            let markers = self.maximal(&self.counted(|what| *what == What::Marker(phase)));
            let is_current = |marker: &usize| steps.iter().all(|&step| self.ancestors[*marker][step]);
            let current: Vec<_> = markers.into_iter().filter(is_current).collect();
            let record = StepRecord { step: Step::PhaseComplete, outcome: Outcome::Pass, attempt: 0 };
            Some((id(&format!("p{phase}")), self.step(self.newest(&current)?, record)))
        };
        [1, 2].into_iter().filter_map(marked).collect()
    }

    fn unknown(&self) -> BTreeSet<CommitId> {
        let is_latest = |&place: &usize| {
            let What::Unknown(leaf) = self.made.what[place] else { return false };
            !self.steps_of(leaf).iter().any(|&step| self.ancestors[step][place])
        };
        let places = self.counted(|what| matches!(what, What::Unknown(_)));
        places.into_iter().filter(is_latest).map(|place| self.ids[place]).collect()
    }

    /// All steps of a leaf in the range, with their standing.
    fn all_steps(&self, leaf: usize) -> BTreeSet<(CommitId, bool)> {
        let is_step = |place: &usize| {
            self.inside[*place] && matches!(self.made.what[*place], What::Step(other, _) if other == leaf)
        };
        (0..self.ids.len()).filter(is_step).map(|place| (self.ids[place], self.counts[place])).collect()
    }
}

/// What git says about the start of the run: the first commit of its list that is no step commit.
fn anchor_by_git(repo: &Repo, made: &Made, ids: &[CommitId]) -> Option<CommitId> {
    let head = ids[ids.len() - 1].to_string();
    let list = repo.git(&["rev-list", &head, "--", TREE]);
    let ids_of = |id: &CommitId| ids.iter().position(|other| other == id).unwrap();
    list.lines().map(|line| line.parse().unwrap()).find(|id| !made.what[ids_of(id)].carries_step())
}

/// All trees that the histories have: with and without tree file, and something beside it.
struct Trees(Vec<Vec<git2::Oid>>);

impl Trees {
    fn write(git: &git2::Repository) -> Self {
        let tree = |name: &str, id: git2::Oid, mode: i32, beside: Option<usize>| {
            let mut builder = git.treebuilder(None).unwrap();
            builder.insert(name, id, mode).unwrap();
            if let Some(number) = beside {
                let blob = git.blob(number.to_string().as_bytes()).unwrap();
                builder.insert("beside", blob, 0o100_644).unwrap();
            }
            builder.write().unwrap()
        };
        let folder = |file: usize| {
            let name = if file == 0 { "other" } else { "task-tree.json" };
            tree(name, git.blob(file.to_string().as_bytes()).unwrap(), 0o100_644, None)
        };
        let row =
            |file| (0..CONTENTS).map(|beside| tree("spec", folder(file), 0o040_000, Some(beside))).collect();
        Self((0..CONTENTS).map(row).collect())
    }
}

/// Makes the history of a seed.
fn build(git: &git2::Repository, trees: &Trees, made: &Made) -> Vec<CommitId> {
    let odb = git.odb().unwrap();
    let mut ids = Vec::new();
    for (commit, what) in made.commits.iter().zip(&made.what) {
        let tree = trees.0[commit.tree.0][commit.tree.1];
        let parents: String =
            commit.parents.iter().map(|&parent| format!("parent {}\n", ids[parent])).collect();
        let people =
            ["author", "committer"].map(|role| format!("{role} A <a> {} +0000\n", commit.time)).concat();
        let text = format!("tree {tree}\n{parents}{people}\n{}", message(what, &ids));
        let id = odb.write(git2::ObjectType::Commit, text.as_bytes()).unwrap();
        ids.push(CommitId::from_bytes(id.as_bytes()).unwrap());
    }
    ids
}

fn compare(repository: &Repository, slow: &Slow<'_>, anchor: Option<CommitId>) -> Result<(), String> {
    let leaves = tasks(&LEAVES);
    let path = RepoPath::new(TREE.as_bytes()).unwrap();
    let query = Query { tree_file: Some(&path), tasks: &leaves };
    let head = slow.ids[slow.ids.len() - 1];
    let run = read_run(repository, head, &query).map_err(|error| error.to_string())?;
    same("tasks", &run.tasks, &slow.tasks())?;
    same("phases", &run.phases, &slow.phases())?;
    same("unknown", &run.unknown.iter().map(|step| step.id).collect(), &slow.unknown())?;
    if run.range.anchor().is_some() || run.tasks.len() < LEAVES.len() {
        same("anchor", &run.range.anchor(), &anchor)?;
    }
    compare_steps(repository, slow, &run)?;
    match repository.backend() {
        Backend::Library => compare_followed(repository, slow.ids, &query),
        Backend::Program => Ok(()),
    }
}

/// A run that is followed from head to head is at each of them what is read there at once.
fn compare_followed(repository: &Repository, ids: &[CommitId], query: &Query<'_>) -> Result<(), String> {
    let read = |head| read_run(repository, head, query).map_err(|error| error.to_string());
    let followed = Followed::new(repository, *query, read(ids[0])?);
    for at in 1..ids.len() {
        // Most go on from one commit to the next, or over some; others leap, to another branch or back.
        if at % 9 > 5 && at + 1 < ids.len() {
            continue;
        }
        if at % 7 == 0 {
            followed.catch_up(ids[at * 5 % ids.len()]).map_err(|error| error.to_string())?;
        }
        let now = followed.catch_up(ids[at]).map_err(|error| error.to_string())?;
        if at % 8 > 0 && at + 1 < ids.len() {
            continue;
        }
        let whole = read(ids[at])?;
        same("head", &now.range.head(), &whole.range.head())?;
        same("followed tasks", &now.tasks, &whole.tasks)?;
        same("followed phases", &now.phases, &whole.phases)?;
        let unknown = |run: &Run| run.unknown.iter().map(|step| step.id).collect::<BTreeSet<_>>();
        same("followed unknown", &unknown(&now), &unknown(&whole))?;
        if whole.range.anchor().is_some() {
            same("followed anchor", &now.range.anchor(), &whole.range.anchor())?;
        }
        let (name, _) = LEAVES[at / 8 % LEAVES.len()];
        let steps = followed.steps_of(&id(name)).map_err(|error| error.to_string())?;
        let at_once = read_steps(repository, &now.range, &id(name)).map_err(|error| error.to_string())?;
        same("followed steps", &steps, &at_once)?;
    }
    Ok(())
}

fn compare_steps(repository: &Repository, slow: &Slow<'_>, run: &Run) -> Result<(), String> {
    for (leaf, (name, _)) in LEAVES.iter().enumerate() {
        let steps = read_steps(repository, &run.range, &id(name)).map_err(|error| error.to_string())?;
        let found = steps.iter().map(|step| (step.step.id, step.standing == Standing::Counts)).collect();
        same("steps", &found, &slow.all_steps(leaf))?;
        let places: Vec<_> =
            steps.iter().map(|step| slow.ids.iter().position(|id| *id == step.step.id).unwrap()).collect();
        for (before, &one) in places.iter().enumerate() {
            if places[before + 1..].iter().any(|&other| slow.ancestors[other][one]) {
                return Err(format!("steps of {name}: a child comes after its parent"));
            }
        }
    }
    Ok(())
}

fn same<T: PartialEq + std::fmt::Debug>(what: &str, found: &T, expected: &T) -> Result<(), String> {
    if found == expected { Ok(()) } else { Err(format!("{what}: {found:#?} instead of {expected:#?}")) }
}

/// How many histories, and from which seed on; more of them by hand: `HISTORIES=0..5000 cargo test --test it -- history::graphs`.
fn seeds() -> std::ops::Range<u64> {
    let Ok(range) = std::env::var("HISTORIES") else { return 0..100 };
    let (from, to) = range.split_once("..").unwrap();
    from.parse().unwrap()..to.parse().unwrap()
}

#[test]
fn any_history_is_read_as_the_rules_say_through_both_backends() {
    let seeds: Vec<u64> = seeds().collect();
    std::thread::scope(|scope| {
        for seeds in seeds.chunks(seeds.len().div_ceil(4).max(1)) {
            scope.spawn(|| read_all(seeds));
        }
    });
}

/// Makes the histories of these seeds, in one repository, and reads them.
fn read_all(seeds: &[u64]) {
    let repo = Repo::init(&[]);
    let (library, program) = (repo.open(), repo.open_with_program());
    let git = git2::Repository::open(repo.path()).unwrap();
    let trees = Trees::write(&git);
    for &seed in seeds {
        let made = make(seed);
        let ids = build(&git, &trees, &made);
        let anchor = anchor_by_git(&repo, &made, &ids);
        let slow = Slow::new(&made, &ids, anchor);
        for (name, repository) in [("library", &library), ("program", &program)] {
            if let Err(difference) = compare(repository, &slow, anchor) {
                panic!("seed {seed}, {name}: {difference}");
            }
        }
    }
}
