//! A repository opened for reading its history.

use std::cell::{Cell, RefCell};
use std::path::Path;
use std::rc::Rc;

use super::graph::{Graph, Known};
use super::libgit::LibGit;
use super::program::Program;
use super::range::Range;
use super::reading::Reading;
use super::source::Source;
use crate::error::{Kind, Result};
use crate::git::{DiscoveryStart, Git, WorkTree};
use crate::record::CommitId;

/// How objects are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// libgit2, in this process.
    Library,
    /// The git program.
    Program,
}

/// A repository opened for reading its history. It is never written to, and no program that it configures is run.
///
/// libgit2 reads it, apart from loose objects. Anything that libgit2 cannot open or read (borrowed objects, reftable, SHA-256, a partial clone, a future extension,
/// a damaged object) is read again by the git program, which has the last word. `git replace` and grafts have no
/// effect.
pub struct Repository {
    git: Git,
    source: RefCell<Box<dyn Source>>,
    backend: Cell<Backend>,
    known: RefCell<Known>,
    /// What was read last.
    last: RefCell<Option<LastReading>>,
}

/// A range that was read.
struct LastReading {
    asked: Range,
    /// The same range with its beginning.
    found: Range,
    reading: Rc<Reading>,
}

impl Repository {
    /// Opens the repository at `place`; `program` is the git program, for what libgit2 cannot do.
    ///
    /// # Errors
    /// [`crate::error::Kind::Repository`] in git's own words: no repository there, one that belongs to another user
    /// (`safe.directory`), one that git cannot read. [`crate::error::Kind::Environment`] if git is needed and missing.
    pub fn open(place: DiscoveryStart, program: &Path) -> Result<Self> {
        let git = Git::for_reading(program, place.clone());
        match LibGit::open(place, git.clone()) {
            Some(library) => Ok(Self::new(git, Box::new(library), Backend::Library)),
            None => Self::read_with_program(git),
        }
    }

    /// Like [`Repository::open`], but only with libgit2, which starts no program. Also returns the work tree, if
    /// `folder` is inside one and nothing but the folder determines which. `None` if libgit2 cannot be certain; then
    /// git itself must be asked.
    #[must_use]
    pub fn open_around(folder: &Path, program: &Path) -> Option<(Self, WorkTree)> {
        let place = DiscoveryStart::Environment;
        let git = Git::for_reading(program, place.clone());
        let library = LibGit::open(place, git.clone())?;
        let work_tree = library.work_tree_around(folder)?;
        Some((Self::new(git, Box::new(library), Backend::Library), work_tree))
    }

    /// Like [`Repository::open`], but reads only with the git program.
    ///
    /// # Errors
    /// As for [`Repository::open`].
    pub fn open_with_program(place: DiscoveryStart, program: &Path) -> Result<Self> {
        Self::read_with_program(Git::for_reading(program, place))
    }

    fn read_with_program(git: Git) -> Result<Self> {
        let source = Program::open(git.clone())?;
        Ok(Self::new(git, Box::new(source), Backend::Program))
    }

    fn new(git: Git, source: Box<dyn Source>, backend: Backend) -> Self {
        Self {
            git,
            source: RefCell::new(source),
            backend: Cell::new(backend),
            known: RefCell::default(),
            last: RefCell::default(),
        }
    }

    /// The commit that `HEAD` names; `None` while its branch has no commit yet.
    ///
    /// # Errors
    /// If `HEAD` or its branch is broken.
    pub fn head(&self) -> Result<Option<CommitId>> {
        self.read_with(|source| source.head())
    }

    /// How objects are read now.
    pub fn backend(&self) -> Backend {
        self.backend.get()
    }

    /// How many objects were read so far.
    pub fn reads(&self) -> u64 {
        self.source.borrow().reads()
    }

    /// Runs `read` with the commits that are known so far.
    pub(super) fn read_graph<T>(&self, mut read: impl FnMut(&mut Graph<'_>) -> Result<T>) -> Result<T> {
        let mut known = self.known.borrow_mut();
        self.read_with(|source| read(&mut Graph { source, known: &mut known }))
    }

    /// Reads a range, unless it was read last, and asks something about it.
    pub(super) fn read_range<T>(&self, range: &Range, ask: impl Fn(&Known, &Reading) -> T) -> Result<T> {
        self.read_graph(|graph| {
            let reading = self.reading(graph, range)?;
            Ok(ask(graph, &reading))
        })
    }

    /// The commits of a range, and what they say.
    pub(super) fn reading(&self, graph: &mut Graph<'_>, range: &Range) -> Result<Rc<Reading>> {
        if let Some(last) = &*self.last.borrow()
            && (last.asked == *range || last.found == *range)
        {
            return Ok(last.reading.clone());
        }
        let reading = Rc::new(Reading::of(graph, range)?);
        let found = range.clone().found(reading.anchor.map(|anchor| graph.commit(anchor).id));
        let last = LastReading { asked: range.clone(), found, reading: reading.clone() };
        *self.last.borrow_mut() = Some(last);
        Ok(reading)
    }

    /// Runs `read`; if it fails with libgit2, once more with the git program.
    pub(super) fn read_with<T>(&self, mut read: impl FnMut(&mut dyn Source) -> Result<T>) -> Result<T> {
        let mut source = self.source.borrow_mut();
        let first = read(source.as_mut());
        if first.is_ok() || self.backend.get() == Backend::Program {
            return first;
        }
        match Program::open(self.git.clone()) {
            Ok(program) => *source = Box::new(program),
            // Without git, the error of libgit2 is the best answer.
            Err(error) if error.kind() == Kind::Environment => return first,
            Err(error) => return Err(error),
        }
        self.backend.set(Backend::Program);
        read(source.as_mut())
    }
}
