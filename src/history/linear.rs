//! The fast way through a history without merges and reverts: one pass over the commits, each read once, which looks for the
//! start of the run and shows every commit of it on the way.

use std::collections::HashSet;

use super::path::{Lookup, RepoPath};
use super::raw::{Entry, ObjectId, RawCommit};
use super::source::{ObjectKind, Source, shallow_cut, unreadable};
use crate::error::Result;
use crate::record::{CommitId, RevertClaim, Subject, carries_step};

/// Where a run begins, as far as that is known before reading.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Until {
    /// Behind this commit.
    Anchor(CommitId),
    /// Behind the commit that last changed this path and is no step commit, if there is one.
    Change(RepoPath),
    /// Nowhere: all of the history belongs to it.
    Root,
}

/// A commit of the run, as a pass shows it.
#[derive(Debug)]
pub(super) struct Seen<'a> {
    pub(super) id: CommitId,
    pub(super) time: i64,
    pub(super) subject: Subject<'a>,
    pub(super) message: &'a [u8],
}

/// Whether a visitor has seen enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    More,
    Enough,
}

/// How a pass ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// At this anchor, which was not shown.
    Anchor(CommitId),
    /// Behind a root commit.
    Root,
    /// The visitor had seen enough before the start of the run was found.
    Unsought,
    /// At a merge or a revert, which one pass cannot make sense of. What was shown is void.
    NeedsGraph,
}

/// Reads from `head` down, newest first. A visitor may end the pass only where the path that the start hangs on is not
/// in the tree of `head`: there may then be no start before the first commit of all, however old the repository is.
pub(super) fn walk(
    source: &mut dyn Source,
    head: CommitId,
    until: &Until,
    visit: &mut dyn FnMut(&Seen<'_>) -> Flow,
) -> Result<End> {
    let mut pass = Pass::begin(source, head, until)?;
    let may_stop = match until {
        Until::Anchor(_) => false,
        Until::Root => true,
        Until::Change(_) => pass.entry_here()?.is_none(),
    };
    loop {
        if *until == Until::Anchor(pass.here.id) {
            return Ok(End::Anchor(pass.here.id));
        }
        if pass.here.is_merge {
            return Ok(End::NeedsGraph);
        }
        if pass.is_at_anchor()? {
            return Ok(End::Anchor(pass.here.id));
        }
        if pass.here.is_revert() {
            return Ok(End::NeedsGraph);
        }
        if visit(&pass.here.seen()) == Flow::Enough && may_stop {
            return Ok(End::Unsought);
        }
        if !pass.advance()? {
            return Ok(End::Root);
        }
    }
}

/// How many commits [`walk_to`] looks at.
const STEPS_BACK: usize = 1000;

/// Reads from `head` down to `known`, which is not shown, newest first. False if that is no short line of commits, or if
/// one of them is a revert or may begin a run because it changed `path`; what was shown is then void.
pub(super) fn walk_to(
    source: &mut dyn Source,
    (head, known): (CommitId, CommitId),
    path: Option<&RepoPath>,
    visit: &mut dyn FnMut(&Seen<'_>),
) -> Result<bool> {
    let until = path.map_or(Until::Root, |path| Until::Change(path.clone()));
    let mut pass = Pass::begin(source, head, &until)?;
    for _ in 0..STEPS_BACK {
        if pass.here.id == known {
            return Ok(true);
        }
        let cut = pass.shallow.contains(&pass.here.id);
        if cut || pass.here.is_merge || pass.here.is_revert() || pass.is_at_anchor()? {
            return Ok(false);
        }
        visit(&pass.here.seen());
        if !pass.advance()? {
            return Ok(false);
        }
    }
    Ok(false)
}

/// A commit in memory, with room that the next one reuses.
struct Loaded {
    id: CommitId,
    parent: Option<CommitId>,
    is_merge: bool,
    time: i64,
    message_start: usize,
    data: Vec<u8>,
}

impl Loaded {
    fn read(source: &mut dyn Source, id: CommitId, mut data: Vec<u8>) -> Result<Self> {
        source.read(&id, ObjectKind::Commit, &mut data)?;
        let commit = RawCommit::parse(&data).ok_or_else(|| unreadable(&id, "it is no commit"))?;
        Ok(Self {
            id,
            parent: commit.parent,
            is_merge: !commit.other_parents.is_empty(),
            time: commit.time,
            message_start: data.len() - commit.message.len(),
            data,
        })
    }

    fn message(&self) -> &[u8] {
        &self.data[self.message_start..]
    }

    fn is_revert(&self) -> bool {
        !RevertClaim::all_in(self.message()).is_empty()
    }

    fn tree(&self) -> Result<ObjectId> {
        let tree = RawCommit::parse(&self.data).and_then(|commit| commit.tree());
        tree.ok_or_else(|| unreadable(&self.id, "it names no tree"))
    }

    fn seen(&self) -> Seen<'_> {
        Seen { id: self.id, time: self.time, subject: Subject::of(self.message()), message: self.message() }
    }
}

/// Where a pass is: a commit, its parent if that had to be looked at already, and the parent's entry at the path.
struct Pass<'a> {
    source: &'a mut dyn Source,
    shallow: HashSet<CommitId>,
    lookup: Option<Lookup<'a>>,
    here: Loaded,
    ahead: Option<Loaded>,
    spare: Vec<u8>,
}

impl<'a> Pass<'a> {
    fn begin(source: &'a mut dyn Source, head: CommitId, until: &'a Until) -> Result<Self> {
        let shallow = source.shallow()?;
        let here = Loaded::read(source, head, Vec::new())?;
        let lookup = match until {
            Until::Change(path) => Some(Lookup::new(path)),
            Until::Anchor(_) | Until::Root => None,
        };
        Ok(Self { source, shallow, lookup, here, ahead: None, spare: Vec::new() })
    }

    /// What stands at the path in the tree of the commit.
    fn entry_here(&mut self) -> Result<Option<Entry>> {
        match &mut self.lookup {
            Some(lookup) => lookup.entry(self.source, self.here.tree()?),
            None => Ok(None),
        }
    }

    /// Whether the commit changed the path and is no step commit. The trees of step commits need not be read.
    fn is_at_anchor(&mut self) -> Result<bool> {
        let message = self.here.message();
        if self.lookup.is_none() || (Subject::of(message) != Subject::Other && carries_step(message)) {
            return Ok(false);
        }
        let changed = match self.here.parent {
            None => self.entry_here()?.is_some(),
            // What it changed cannot be known: the pass ends behind it in any case.
            Some(_) if self.shallow.contains(&self.here.id) => false,
            Some(parent) => self.differs_from(parent)?,
        };
        Ok(changed && !carries_step(self.here.message()))
    }

    fn differs_from(&mut self, parent: CommitId) -> Result<bool> {
        let ahead = Loaded::read(self.source, parent, std::mem::take(&mut self.spare))?;
        let tree = self.ahead.insert(ahead).tree()?;
        if tree == self.here.tree()? {
            return Ok(false);
        }
        let new = self.entry_here()?;
        match &mut self.lookup {
            Some(lookup) => Ok(lookup.entry(self.source, tree)? != new),
            None => Ok(false),
        }
    }

    /// Goes to the parent; false behind a root commit.
    fn advance(&mut self) -> Result<bool> {
        let Some(parent) = self.here.parent else { return Ok(false) };
        if self.shallow.contains(&self.here.id) {
            return Err(shallow_cut(&self.here.id));
        }
        if let Some(ahead) = self.ahead.take() {
            self.spare = std::mem::replace(&mut self.here, ahead).data;
        } else {
            let room = std::mem::take(&mut self.here.data);
            self.here = Loaded::read(self.source, parent, room)?;
        }
        Ok(true)
    }
}
