//! Finds the effects of the reverts in a generated history, for the slow reader.

use super::make::{ABBREVIATED, Claim, Form, Made, What};
use super::slow::Slow;

/// The effect of reverts on a commit.
#[derive(Clone, Debug, Default)]
pub(super) struct Fate {
    pub(super) counts: bool,
    pub(super) doubt: bool,
    /// The reverts that take it back.
    pub(super) reverted_by: Vec<usize>,
    /// If it is a revert that counts: the claims of it that nothing fits, each with the task that it names.
    pub(super) unknown: Vec<Option<&'static str>>,
}

/// What a claim comes to.
#[derive(Debug)]
enum Verdict {
    Against { commits: Vec<usize>, holds: bool, doubt: bool },
    Unknown(Option<&'static str>),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Effect {
    NothingToUndo,
    Undone,
    AlreadyUndone,
    Partly,
    Untouched,
}

/// The fates of all commits: those of descendants first.
pub(super) fn fates(slow: &Slow<'_>) -> Vec<Fate> {
    let size = slow.ids.len();
    let reader = Reader { slow, made: slow.made, order: children_first(slow) };
    let verdicts: Vec<Vec<Verdict>> = (0..size).map(|place| reader.verdicts(place)).collect();
    let mut fates: Vec<Fate> = vec![Fate::default(); size];
    for place in (0..size).rev().filter(|&place| slow.inside[place]) {
        // For each claim against the commit, whether it holds and whether that is in doubt.
        let (mut against, mut reverted_by) = (Vec::new(), Vec::new());
        for revert in (place + 1..size).filter(|&revert| slow.inside[revert]) {
            let fate = &fates[revert];
            for verdict in &verdicts[revert] {
                let Verdict::Against { commits, holds, doubt } = verdict else { continue };
                if commits.contains(&place) && (fate.counts || fate.doubt) {
                    against.push((*holds && fate.counts, *doubt || fate.doubt));
                    if *holds && fate.counts {
                        reverted_by.push(revert);
                    }
                }
            }
        }
        let holding: Vec<bool> =
            against.iter().filter(|(holds, _)| *holds).map(|(_, doubt)| *doubt).collect();
        let counts = holding.is_empty();
        let doubt =
            if counts { against.iter().any(|(_, doubt)| *doubt) } else { holding.iter().all(|doubt| *doubt) };
        let unknown = verdicts[place].iter().filter_map(|verdict| match verdict {
            Verdict::Unknown(task) if counts => Some(*task),
            _ => None,
        });
        fates[place] = Fate { counts, doubt, reverted_by, unknown: unknown.collect() };
    }
    fates
}

/// The commits of the range with children before parents, of those that could come next the newest.
pub(super) fn children_first(slow: &Slow<'_>) -> Vec<usize> {
    let mut open: Vec<usize> = (0..slow.ids.len()).filter(|&place| slow.inside[place]).collect();
    let mut order = Vec::new();
    while !open.is_empty() {
        let is_next = |place: &&usize| !open.iter().any(|&other| slow.ancestors[other][**place]);
        let next = open
            .iter()
            .filter(is_next)
            .max_by_key(|&&place| (slow.made.commits[place].time, slow.ids[place]));
        let next = *next.unwrap();
        open.retain(|&place| place != next);
        order.push(next);
    }
    order
}

struct Reader<'a> {
    slow: &'a Slow<'a>,
    made: &'a Made,
    order: Vec<usize>,
}

impl Reader<'_> {
    fn verdicts(&self, revert: usize) -> Vec<Verdict> {
        let What::Reverts(claims) = &self.made.what[revert] else { return Vec::new() };
        if !self.slow.inside[revert] {
            return Vec::new();
        }
        let said = claims.iter().filter(|claim| is_said(**claim, claims, self.made));
        said.filter_map(|claim| self.verdict(revert, *claim, claims.len() == 1)).collect()
    }

    fn verdict(&self, revert: usize, claim: Claim, is_only: bool) -> Option<Verdict> {
        let above: Vec<usize> =
            self.order.iter().copied().filter(|&place| self.slow.ancestors[revert][place]).collect();
        let id = self.slow.ids[claim.place].to_string();
        let named: Vec<usize> = match claim.form {
            Form::Id | Form::Merge(_) => {
                above.iter().copied().filter(|&place| place == claim.place).collect()
            }
            Form::Reference => {
                let fits = |place: &usize| self.slow.ids[*place].to_string().starts_with(&id[..ABBREVIATED]);
                above.iter().copied().filter(fits).collect()
            }
            Form::Lost | Form::Title => Vec::new(),
        };
        assert!(named.len() < 2, "ten digits are enough to tell these few commits apart");
        if let [place] = named[..] {
            return self.verdict_on(revert, claim, place);
        }
        let is_named = !matches!(claim.form, Form::Lost | Form::Title);
        if is_named && self.slow.ancestors[revert][claim.place] {
            return None;
        }
        let quotes = is_only || claim.form == Form::Reference;
        let title = quotes.then(|| self.made.title(claim.place));
        self.verdict_by_title(revert, claim, title, &above)
    }

    fn verdict_on(&self, revert: usize, claim: Claim, place: usize) -> Option<Verdict> {
        let commits = self.meant(claim, place)?;
        let (holds, doubt) = match self.effect(revert, claim, place) {
            Effect::NothingToUndo | Effect::Undone | Effect::AlreadyUndone => (true, false),
            Effect::Partly => (true, true),
            Effect::Untouched => (false, true),
        };
        Some(Verdict::Against { commits, holds, doubt })
    }

    /// The commits that the revert of one takes back: of a merge, all that it brought in.
    fn meant(&self, claim: Claim, place: usize) -> Option<Vec<usize>> {
        if let Some(mainline) = self.mainline(claim, place) {
            let brought =
                |&other: &usize| self.slow.reaches(place, other) && !self.slow.reaches(mainline, other);
            return Some((0..self.slow.ids.len()).filter(brought).collect());
        }
        let is_ours = matches!(
            self.made.what[place],
            What::Step(..) | What::Marker(_) | What::FailedPhase(_) | What::Unknown(_) | What::Reverts(_)
        );
        is_ours.then(|| vec![place])
    }

    fn mainline(&self, claim: Claim, place: usize) -> Option<usize> {
        let parents = &self.made.commits[place].parents;
        let named = match claim.form {
            Form::Merge(parent) => Some(self.made.commits[claim.place].parents[parent]),
            _ => None,
        };
        let named = named.filter(|named| parents.contains(named));
        (parents.len() > 1).then(|| named.unwrap_or(parents[0]))
    }

    fn effect(&self, revert: usize, claim: Claim, place: usize) -> Effect {
        let files =
            |place: Option<usize>| place.map(|place| self.made.commits[place].files()).unwrap_or_default();
        let first = |place: usize| self.made.commits[place].parents.first().copied();
        let before = files(self.mainline(claim, place).or(first(place)));
        let (made, found, left) = (files(Some(place)), files(first(revert)), files(Some(revert)));
        let paths = [super::TREE, super::MOVED, "spec/other", "beside"];
        let changed: Vec<_> = paths.into_iter().filter(|path| before.get(path) != made.get(path)).collect();
        let kept = changed.iter().filter(|path| left.get(*path) == made.get(*path)).count();
        let moved =
            |path: &&&str| left.get(**path) != made.get(**path) && found.get(**path) != left.get(**path);
        let gone = |path: &&&str| moved(path) || left.get(**path) == before.get(**path);
        let (gone, moved) = (changed.iter().filter(gone).count(), changed.iter().filter(moved).count());
        match changed.len() {
            0 => Effect::NothingToUndo,
            all if all == kept => Effect::Untouched,
            all if all == gone && moved > 0 => Effect::Undone,
            all if all == gone => Effect::AlreadyUndone,
            _ => Effect::Partly,
        }
    }

    #[expect(clippy::needless_pass_by_value, reason = "a slow reader may be plain")]
    fn verdict_by_title(
        &self,
        revert: usize,
        claim: Claim,
        title: Option<String>,
        above: &[usize],
    ) -> Option<Verdict> {
        let changes = self.changes(revert);
        let same = above.iter().copied().filter(|&place| Some(self.made.title(place)) == title);
        let fits = |place: usize| Some((place, self.meant(claim, place)?, self.effect(revert, claim, place)));
        let fits: Vec<_> = same.filter_map(fits).collect();
        if let Some((_, commits, _)) = fits.iter().find(|(.., effect)| *effect == Effect::Undone) {
            return Some(Verdict::Against { commits: commits.clone(), holds: true, doubt: false });
        }
        let may_be = |effect: Effect| match effect {
            Effect::NothingToUndo => !changes,
            Effect::AlreadyUndone | Effect::Partly => true,
            Effect::Undone | Effect::Untouched => false,
        };
        let guess = fits.iter().find(|(.., effect)| may_be(*effect));
        let untouched = fits.iter().find(|(.., effect)| *effect == Effect::Untouched);
        if let Some((_, commits, effect)) = guess.or(untouched) {
            let holds = *effect != Effect::Untouched;
            return Some(Verdict::Against { commits: commits.clone(), holds, doubt: true });
        }
        let task = match title.as_deref().map(innermost) {
            Some(title) if title.starts_with("task(") => {
                let name = title["task(".len()..].split(')').next().unwrap();
                Some(super::LEAVES.iter().find(|(leaf, _)| *leaf == name).unwrap().0)
            }
            Some(_) if !matches!(claim.form, Form::Merge(_)) => return None,
            _ => None,
        };
        changes.then_some(Verdict::Unknown(task))
    }

    fn changes(&self, place: usize) -> bool {
        let commit = &self.made.commits[place];
        commit.parents.first().is_none_or(|&parent| self.made.commits[parent].files() != commit.files())
    }
}

/// Whether the claim is in the message: a title alone says nothing if there are others, or if it is not that of a step.
fn is_said(claim: Claim, all: &[Claim], made: &Made) -> bool {
    let title = made.title(claim.place);
    claim.form != Form::Title
        || all.len() == 1 && ["task(", "phase("].iter().any(|start| innermost(&title).starts_with(start))
}

fn innermost(mut title: &str) -> &str {
    while let Some(quoted) = title.strip_prefix("Revert \"") {
        title = quoted.strip_suffix('"').unwrap();
    }
    title
}
