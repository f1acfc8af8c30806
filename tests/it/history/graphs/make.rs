//! Makes random histories of any shape.

use std::collections::BTreeMap;

use super::{CONTENTS, LEAVES, MOVED, TREE};
use crate::support::dice::Dice;
use git_arborist::record::{By, CommitId, Outcome, State, Step, StepRecord};

/// What a made commit is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum What {
    Step(usize, StepRecord),
    Marker(usize),
    /// The tests of a phase fail.
    FailedPhase(usize),
    Unknown(usize),
    Reverts(Vec<Claim>),
    /// It has landed work, or says so.
    Landed(Landed),
    /// No step by its subject, but with an `Arborist-Step`.
    Carrier,
    Plain,
}

/// What a revert says of the commit at a place of the list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Claim {
    pub(super) place: usize,
    pub(super) form: Form,
}

/// What a landed commit says: of several claims, as a squash has them, each about the work since the same commit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Landed {
    pub(super) base: usize,
    pub(super) claims: Vec<LandedClaim>,
}

/// The tasks that were completed, or skipped, at a commit; `None` is one that is nowhere.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct LandedClaim {
    pub(super) skips: bool,
    pub(super) leaves: Vec<usize>,
    pub(super) tip: Option<usize>,
    /// The commit of which a person says that it has the work.
    pub(super) by_person: Option<usize>,
}

/// In which words it says so.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Form {
    /// By its whole id.
    Id,
    /// By its whole id, and for a merge the parent with this number.
    Merge(usize),
    /// By an abbreviated id and its title.
    Reference,
    /// By an id that is nowhere; the title of the revert tells.
    Lost,
    /// By the title of the revert alone.
    Title,
}

impl LandedClaim {
    /// In which state it says that its tasks are.
    pub(super) fn state(&self) -> State {
        if self.skips { State::Skipped } else { State::Complete }
    }
}

impl What {
    pub(super) fn carries_step(&self) -> bool {
        !matches!(self, Self::Plain | Self::Reverts(_) | Self::Landed(_))
    }

    /// What it claims about a task, the claims that count most first.
    pub(super) fn landed(&self, leaf: usize) -> impl Iterator<Item = (usize, &LandedClaim)> {
        let claims = match self {
            Self::Landed(landed) => landed.claims.as_slice(),
            _ => &[],
        };
        claims.iter().enumerate().rev().filter(move |(_, claim)| claim.leaves.contains(&leaf))
    }
}

pub(super) struct Commit {
    pub(super) parents: Vec<usize>,
    pub(super) time: i64,
    /// Which of the states the tree file is in, and which content the file beside it has.
    pub(super) tree: (usize, usize),
}

impl Commit {
    /// All files with their contents.
    pub(super) fn files(&self) -> BTreeMap<&'static str, usize> {
        let (file, beside) = self.tree;
        let mut files = BTreeMap::from([("beside", beside)]);
        files.extend(STATES[file].iter().copied());
        files
    }
}

/// The plans and other texts that a tree file may hold: the name of the plan, the name of T1, and whether T10 is there.
pub(super) const PLANS: [Option<(&str, &str, bool)>; 5] =
    [None, Some(("a", "one", true)), Some(("a", "two", false)), Some(("b", "one", true)), None];

/// Where tree files are, and what they hold.
const STATES: [&[(&str, usize)]; 9] = [
    &[("spec/other", 0)],
    &[(TREE, 1)],
    &[(TREE, 2)],
    &[(TREE, 3)],
    &[(TREE, 4)],
    &[(MOVED, 1)],
    &[(MOVED, 2)],
    &[(MOVED, 3)],
    &[(TREE, 1), (MOVED, 2)],
];

/// The text of a tree file.
pub(super) fn text(content: usize) -> String {
    let Some((spec, first, has_second)) = PLANS[content] else { return format!("no plan {content}") };
    let second = if has_second { r#""T10": {"id": "T10", "name": "ten"}, "# } else { "" };
    let rest =
        ["T2", "T3", "p1", "p2"].map(|id| format!(r#""{id}": {{"id": "{id}", "name": "{id}"}}"#)).join(", ");
    format!(
        r#"{{"spec_id": "{spec}", "nodes": {{"T1": {{"id": "T1", "name": "{first}"}}, {second}{rest}}}}}"#
    )
}

pub(super) struct Made {
    pub(super) commits: Vec<Commit>,
    pub(super) what: Vec<What>,
    /// Which plan each commit says it belongs to.
    pub(super) claims: Vec<Option<&'static str>>,
}

/// A history, up to the messages of reverts, which need ids.
pub(super) fn make(seed: u64) -> Made {
    let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..5 {
        dice.below(2);
    }
    let size = if dice.one_in(20) { 150 } else { 4 + dice.below(40) };
    let window = 1 + dice.below(6);
    let merges = 1 + dice.below(8);
    let clock = dice.below(3);
    let touches = 3 + dice.below(12);
    let mut made = Made { commits: Vec::new(), what: Vec::new(), claims: Vec::new() };
    for place in 0..size {
        let parents = parents(&mut dice, place, window, merges);
        let what = what(&mut dice, &parents, &made);
        let time = match clock {
            0 => 1_000 + i64::try_from(place).unwrap(),
            1 => 1_000 + i64::try_from(dice.below(20)).unwrap(),
            _ => 1_000 + i64::try_from(place).unwrap() + if dice.one_in(5) { 100_000_000 } else { 0 },
        };
        let tree = tree(&mut dice, &made, (&parents, &what), touches);
        made.commits.push(Commit { parents, time, tree });
        made.what.push(what);
        made.claims
            .push([None, None, None, None, Some(TREE), Some(MOVED), Some("other.json")][dice.below(7)]);
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

/// Few contents, so that branches agree by chance. A revert often undoes what it says it does.
fn tree(dice: &mut Dice, made: &Made, (parents, what): (&[usize], &What), touches: usize) -> (usize, usize) {
    let (mut file, mut beside) = parents.first().map_or((0, 0), |&parent| made.commits[parent].tree);
    if parents.is_empty() || dice.one_in(touches) {
        // Mostly the same plan.
        file = [0, 1, 1, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8][dice.below(13)];
    }
    if dice.one_in(2) {
        beside = dice.below(CONTENTS);
    }
    if let What::Reverts(claims) = what
        && dice.one_in(2)
    {
        let before = made.commits[claims[0].place].parents.first();
        beside = before.map_or(0, |&before| made.commits[before].tree.1);
    }
    (file, beside)
}

fn what(dice: &mut Dice, parents: &[usize], made: &Made) -> What {
    let place = made.commits.len();
    match dice.below(20) {
        0..=9 => {
            let steps = [
                Step::RED,
                Step::IMPLEMENT,
                Step::TEST,
                Step::REVIEW,
                Step::COMPLETE,
                Step::REOPEN,
                Step::NOTE,
                Step::CLAIM,
            ];
            let step = steps[dice.below(steps.len())];
            let endings = step.row().endings;
            let outcome = endings[dice.below(endings.len())].outcome;
            let attempt = u32::try_from(dice.below(3)).unwrap();
            let by = if dice.one_in(4) { By::User } else { By::Run };
            let rejects_tests = step == Step::REVIEW && outcome == Outcome::Fail && dice.one_in(2);
            let record = StepRecord { by, rejects_tests, ..StepRecord::of_run(step, outcome, attempt) };
            What::Step(dice.below(LEAVES.len()), record)
        }
        10..=11 if dice.one_in(4) => What::FailedPhase(1 + dice.below(2)),
        10..=11 => What::Marker(1 + dice.below(2)),
        12 => What::Unknown(dice.below(LEAVES.len())),
        13..=15 if place > 0 => What::Reverts((0..=dice.below(2)).map(|_| claim(dice, made)).collect()),
        16 => What::Carrier,
        17..=18 if !parents.is_empty() => What::Landed(landed(dice, parents[0], made)),
        _ => What::Plain,
    }
}

/// Mostly, the run that a landed commit names began in its own history, and has completed the task.
fn landed(dice: &mut Dice, parent: usize, made: &Made) -> Landed {
    let mut base = if dice.one_in(8) { dice.below(made.commits.len()) } else { parent };
    for _ in 0..dice.below(8) {
        base = made.commits[base].parents.first().copied().unwrap_or(base);
    }
    let skips = dice.one_in(6);
    let outcome = if skips { Outcome::Skip } else { Outcome::Pass };
    let completes = |place: &usize| matches!(made.what[*place], What::Step(_, record) if record.step == Step::COMPLETE && record.outcome == outcome);
    // Every other one says what is true of the newest work.
    if let Some(end) = (0..made.commits.len()).rfind(completes).filter(|_| dice.one_in(2))
        && let What::Step(leaf, _) = made.what[end]
    {
        let mut base = end;
        for _ in 0..=dice.below(4) {
            base = made.commits[base].parents.first().copied().unwrap_or(base);
        }
        if base != end && made.reaches(parent, base) {
            return Landed {
                base,
                claims: vec![LandedClaim { skips, leaves: vec![leaf], tip: Some(end), by_person: None }],
            };
        }
    }
    let on_base: Vec<usize> =
        (base + 1..made.commits.len()).filter(|place| made.reaches(*place, base)).collect();
    let ends: Vec<usize> = on_base.iter().copied().filter(completes).collect();
    let claims = (0..=dice.below(5) / 3).map(|_| {
        let end = (!ends.is_empty() && !dice.one_in(4)).then(|| ends[dice.below(ends.len().max(1))]);
        let mut leaves = match end.map(|end| &made.what[end]) {
            Some(What::Step(leaf, _)) => vec![*leaf],
            _ => vec![dice.below(LEAVES.len())],
        };
        let more = dice.below(LEAVES.len());
        leaves.extend(Some(more).filter(|more| dice.one_in(4) && !leaves.contains(more)));
        let tip = match dice.below(6) {
            0 => None,
            1 => Some(dice.below(made.commits.len())),
            2 if !on_base.is_empty() => Some(on_base[dice.below(on_base.len())]),
            _ => end,
        };
        let by_person =
            dice.one_in(5).then(|| if dice.one_in(4) { dice.below(made.commits.len()) } else { parent });
        LandedClaim { skips, leaves, tip: tip.filter(|tip| *tip != base), by_person }
    });
    Landed { base, claims: claims.collect() }
}

fn claim(dice: &mut Dice, made: &Made) -> Claim {
    let size = made.commits.len();
    let near = size - 1 - dice.below(size.min(6));
    let landed = (0..size).rev().find(|place| matches!(made.what[*place], What::Landed(_)));
    if let Some(place) = landed.filter(|_| dice.one_in(3)) {
        return Claim { place, form: Form::Id };
    }
    let place = if dice.one_in(3) { dice.below(size) } else { near };
    let form = match dice.below(8) {
        0..=2 => match made.commits[place].parents.len() {
            count @ 2.. => Form::Merge(dice.below(count)),
            _ => Form::Id,
        },
        3 => Form::Id,
        4..=5 => Form::Reference,
        6 => Form::Lost,
        _ => Form::Title,
    };
    Claim { place, form }
}

impl Made {
    /// Whether one commit is another or descends from it.
    fn reaches(&self, from: usize, to: usize) -> bool {
        let (mut open, mut seen) = (vec![from], vec![false; from + 1]);
        while let Some(place) = open.pop() {
            if !std::mem::replace(&mut seen[place], true) {
                open.extend(&self.commits[place].parents);
            }
        }
        to <= from && seen[to]
    }

    /// The same history without commits whose messages name others.
    pub(super) fn without_names(mut self) -> Self {
        let names = |what: &&mut What| matches!(what, What::Landed(_) | What::Reverts(_));
        self.what.iter_mut().filter(names).for_each(|what| *what = What::Plain);
        self
    }

    /// The first line of the message of a commit.
    pub(super) fn title(&self, place: usize) -> String {
        match &self.what[place] {
            What::Step(leaf, _) | What::Unknown(leaf) => format!("task({}): x", LEAVES[*leaf].0),
            What::Marker(phase) => format!("phase(p{phase}): complete"),
            What::FailedPhase(phase) => format!("phase(p{phase}): tests fail"),
            What::Reverts(claims) => match claims.as_slice() {
                [Claim { form: Form::Reference, .. }] | [_, _, ..] => "Undo it".to_owned(),
                [claim] => format!("Revert \"{}\"", self.title(claim.place)),
                [] => unreachable!("a revert claims something"),
            },
            What::Landed(_) => format!("Land {place}"),
            What::Carrier => "note".to_owned(),
            What::Plain => "task(T1): no trailers, so no step".to_owned(),
        }
    }

    /// Whether a merge is a step.
    pub(super) fn has_merged_steps(&self) -> bool {
        let commits = self.commits.iter().zip(&self.what);
        commits.into_iter().any(|(commit, what)| commit.parents.len() > 1 && what.carries_step())
    }

    /// The message of a commit, whose ancestors have these ids.
    pub(super) fn message(&self, place: usize, ids: &[CommitId]) -> String {
        let claim = self.claims[place].map(|path| format!("Arborist-Plan: {path}\n")).unwrap_or_default();
        let body = match &self.what[place] {
            What::Step(_, record) => step_body(record) + &claim,
            What::Marker(_) => format!("Arborist-Step: phase-complete\n{claim}"),
            What::FailedPhase(_) => format!("Arborist-Step: phase-test\n{claim}"),
            What::Unknown(_) => format!("Arborist-Step: deploy\n{claim}"),
            What::Reverts(claims) => claims.iter().map(|claim| self.line(*claim, ids)).collect(),
            What::Landed(Landed { base, claims }) => {
                let told = |LandedClaim { skips, leaves, tip, by_person }: &LandedClaim| {
                    let leaves: Vec<&str> = leaves.iter().map(|leaf| LEAVES[*leaf].0).collect();
                    let base = ids[*base].to_string();
                    let tip = tip.map_or("2".repeat(base.len()), |tip| ids[tip].to_string());
                    let landed = by_person.map(|place| format!("Arborist-Landed: {}\n", ids[place]));
                    let landed = landed.unwrap_or_default();
                    let skip = if *skips { "Arborist-Result: skip\n" } else { "" };
                    let leaves = leaves.join(" ");
                    format!("Arborist-Complete: {leaves}\n{skip}Arborist-Run: {base}..{tip}\n{landed}")
                };
                let told: Vec<String> = claims.iter().map(told).collect();
                format!("{}{claim}", told.join("\nMore\n\n"))
            }
            What::Carrier => "Arborist-Step: implement\nArborist-Result: pass\n".to_owned(),
            What::Plain => "Arborist-Step: implement\n\nend\n".to_owned(),
        };
        format!("{}\n\n{body}", self.title(place))
    }

    fn line(&self, Claim { place, form }: Claim, ids: &[CommitId]) -> String {
        let id = ids[place].to_string();
        match form {
            Form::Id => format!("This reverts commit {id}.\n"),
            Form::Merge(parent) => {
                let mainline = ids[self.commits[place].parents[parent]];
                format!("This reverts commit {id}, reversing\nchanges made to {mainline}.\n")
            }
            Form::Reference => {
                format!("This reverts commit {} ({}, 2026-11-20).\n", &id[..ABBREVIATED], self.title(place))
            }
            Form::Lost => format!("This reverts commit {}.\n", "1".repeat(id.len())),
            Form::Title => String::new(),
        }
    }
}

/// How many digits an abbreviated id has.
pub(super) const ABBREVIATED: usize = 10;

fn step_body(record: &StepRecord) -> String {
    let key = match record.step {
        Step::TEST => "Test",
        Step::REVIEW => "Review",
        _ => "Result",
    };
    let by = if record.by == By::User { "Arborist-By: user\n" } else { "" };
    let reject = if record.rejects_tests { "Arborist-Reject: tests\n" } else { "" };
    format!(
        "This reverts commit {}.\n\nArborist-Step: {}\nArborist-{key}: {}\nArborist-Retry: {}\n{by}{reject}",
        "0".repeat(40),
        record.step.word(),
        record.outcome.word(record.step),
        record.attempt
    )
}
