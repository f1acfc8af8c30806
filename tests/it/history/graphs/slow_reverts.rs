//! Finds the effects of the reverts in a generated history, for the slow reader.

use super::make::{ABBREVIATED, Claim, Form, Made, What};
use super::slow::Slow;

/// The effect of reverts on a commit.
#[derive(Clone, Debug, Default)]
pub(super) struct Fate {
    pub(super) counts: bool,
    /// The reverts that take it back.
    pub(super) reverted_by: Vec<usize>,
    /// If it is a revert that counts: the claims of it that nothing fits, each with the task that it names.
    pub(super) unknown: Vec<Option<&'static str>>,
    /// If it is a revert that counts: the single commits that it takes back.
    pub(super) takes_back: Vec<usize>,
    /// If it is a revert that counts: all commits whose work it takes back.
    pub(super) work: Vec<usize>,
}

/// What a claim comes to.
#[derive(Debug)]
enum Verdict {
    Against(Vec<usize>),
    /// All that a merge has brought in.
    Merge(Vec<usize>),
    Unknown(Option<&'static str>),
}

/// The fates of all commits: those of descendants first.
pub(super) fn fates(slow: &Slow<'_>) -> Vec<Fate> {
    let size = slow.ids.len();
    let reader = Reader { slow, made: slow.made, order: children_first(slow) };
    let verdicts: Vec<Vec<Verdict>> = (0..size).map(|place| reader.verdicts(place)).collect();
    let mut fates: Vec<Fate> = vec![Fate::default(); size];
    for place in (0..size).rev().filter(|&place| slow.inside[place]) {
        let takes_back = |&revert: &usize| {
            let is_meant = |verdict: &Verdict| match verdict {
                Verdict::Against(commits) | Verdict::Merge(commits) => commits.contains(&place),
                Verdict::Unknown(_) => false,
            };
            slow.inside[revert] && fates[revert].counts && verdicts[revert].iter().any(is_meant)
        };
        let reverted_by: Vec<usize> = (place + 1..size).filter(takes_back).collect();
        let counts = reverted_by.is_empty();
        let unknown = verdicts[place].iter().filter_map(|verdict| match verdict {
            Verdict::Unknown(task) if counts => Some(*task),
            _ => None,
        });
        let takes_back = verdicts[place].iter().filter_map(|verdict| match verdict {
            Verdict::Against(commits) if counts => Some(commits.clone()),
            _ => None,
        });
        let takes_back = takes_back.flatten().collect();
        let work = if counts { work_of(place, &verdicts) } else { Vec::new() };
        fates[place] = Fate { counts, reverted_by, unknown: unknown.collect(), takes_back, work };
    }
    fates
}

/// What a revert takes back, and where that is the revert of a revert, what it had brought back.
fn work_of(revert: usize, verdicts: &[Vec<Verdict>]) -> Vec<usize> {
    let mut work = Vec::new();
    for verdict in &verdicts[revert] {
        let (Verdict::Against(commits) | Verdict::Merge(commits)) = verdict else { continue };
        work.extend(commits);
        if let Verdict::Against(reverts) = verdict {
            let brought_back = reverts.iter().flat_map(|revert| &verdicts[*revert]);
            let singles = brought_back.filter_map(|verdict| match verdict {
                Verdict::Against(commits) => Some(commits),
                _ => None,
            });
            work.extend(singles.flatten().flat_map(|before| work_of(*before, verdicts)));
        }
    }
    work
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
        let said = claims.iter().filter(|claim| is_said(**claim, claims));
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
            return self.meant(claim, place);
        }
        let is_named = !matches!(claim.form, Form::Lost | Form::Title);
        if is_named && self.slow.anchor == Some(claim.place) {
            return Some(Verdict::Against(vec![claim.place]));
        }
        if is_named && self.slow.ancestors[revert][claim.place] {
            return None;
        }
        let quotes = is_only || claim.form == Form::Reference;
        let title = quotes.then(|| self.made.title(claim.place));
        verdict_by_title(self, claim, title.as_deref(), &above)
    }

    /// The commits that the revert of one takes back: of a merge, all that it brought in.
    fn meant(&self, claim: Claim, place: usize) -> Option<Verdict> {
        if let Some(mainline) = self.mainline(claim, place) {
            let brought =
                |&other: &usize| self.slow.reaches(place, other) && !self.slow.reaches(mainline, other);
            return Some(Verdict::Merge((0..self.slow.ids.len()).filter(brought).collect()));
        }
        let is_ours = matches!(
            self.made.what[place],
            What::Step(..)
                | What::Marker(_)
                | What::FailedPhase(_)
                | What::Unknown(_)
                | What::Reverts(_)
                | What::Landed(_)
        );
        is_ours.then(|| Verdict::Against(vec![place]))
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
}

fn verdict_by_title(
    reader: &Reader<'_>,
    claim: Claim,
    title: Option<&str>,
    above: &[usize],
) -> Option<Verdict> {
    let same = |place: &&usize| Some(reader.made.title(**place).as_str()) == title;
    let newest = above.iter().filter(same).find_map(|place| reader.meant(claim, *place));
    if newest.is_some() {
        return newest;
    }
    match title.map(innermost) {
        Some(title) if title.starts_with("task(") => {
            let name = title["task(".len()..].split(')').next().unwrap();
            let leaf = super::LEAVES.iter().find(|(leaf, _)| *leaf == name).unwrap().0;
            Some(Verdict::Unknown(Some(leaf)))
        }
        Some(_) if !matches!(claim.form, Form::Merge(_)) => None,
        _ => Some(Verdict::Unknown(None)),
    }
}

/// Whether the claim is in the message: a title alone says nothing if there are others.
fn is_said(claim: Claim, all: &[Claim]) -> bool {
    claim.form != Form::Title || all.len() == 1
}

fn innermost(mut title: &str) -> &str {
    while let Some(quoted) = title.strip_prefix("Revert \"") {
        title = quoted.strip_suffix('"').unwrap();
    }
    title
}
