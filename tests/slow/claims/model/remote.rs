//! The remote repository of the model: commits that know their parents, the branch of the run and those of the tasks, and
//! what must never happen to them.

/// A commit, by its number.
pub(super) type Commit = usize;

/// What a commit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// The commit at which the run begins.
    Base,
    /// A claim by this worker.
    Claim(usize),
    /// A step of this worker.
    Step(usize),
    /// The step with which a worker completes the task.
    Complete(usize),
    /// A merge of this commit of this task into the branch of the run.
    Merge { task: usize, of: Commit },
}

/// A rule that the protocol may be left without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// Each claim is a commit of its own.
    OwnCommit,
    /// After an answer that was not clear, the branch is read again.
    ReadAfterUnclear,
    /// After the claim, the branch of the run is read again.
    ReadRunAgain,
    /// A push only moves a branch forward.
    PlainPush,
    /// A push expects the commit that its worker saw last.
    ExpectedTip,
    /// One push of a worker at a time.
    OneAtATime,
    /// Whoever is superseded stops.
    StopIfSuperseded,
    /// The branch of the run moves together with the deletion of what was merged, or not at all.
    Atomic,
    /// Whoever integrates removes branches of complete tasks that hold nothing but claims.
    RemoveBareClaims,
}

/// The remote repository.
pub(super) struct Remote {
    pub(super) parents: Vec<Option<Commit>>,
    pub(super) kinds: Vec<Kind>,
    pub(super) run: Commit,
    pub(super) tasks: Vec<Option<Commit>>,
    /// What went wrong.
    pub(super) wrong: Vec<String>,
    pub(super) without: Option<Rule>,
}

impl Remote {
    pub(super) fn new(tasks: usize, without: Option<Rule>) -> Self {
        Self {
            parents: vec![None],
            kinds: vec![Kind::Base],
            run: 0,
            tasks: vec![None; tasks],
            wrong: Vec::new(),
            without,
        }
    }

    /// Makes a commit; the model never forgets one.
    pub(super) fn commit(&mut self, parent: Commit, kind: Kind) -> Commit {
        self.parents.push(Some(parent));
        self.kinds.push(kind);
        self.kinds.len() - 1
    }

    /// The line of first parents, newest first.
    pub(super) fn line(&self, from: Commit) -> impl Iterator<Item = Commit> {
        std::iter::successors(Some(from), |commit| self.parents[*commit])
    }

    fn is_ancestor(&self, old: Commit, new: Commit) -> bool {
        self.line(new).any(|commit| commit == old)
    }

    /// The commits of a task that the branch of the run contains by merges.
    pub(super) fn merged(&self, task: usize) -> impl Iterator<Item = Commit> {
        self.line(self.run).filter_map(move |commit| match self.kinds[commit] {
            Kind::Merge { task: merged, of } if merged == task => Some(of),
            _ => None,
        })
    }

    pub(super) fn is_closed(&self, task: usize) -> bool {
        self.merged(task).next().is_some()
    }

    /// The steps on a branch that are not claims.
    pub(super) fn work_on(&self, tip: Commit) -> impl Iterator<Item = Commit> {
        self.line(tip)
            .take_while(|commit| !matches!(self.kinds[*commit], Kind::Merge { .. } | Kind::Base))
            .filter(|commit| matches!(self.kinds[*commit], Kind::Step(_) | Kind::Complete(_)))
    }

    /// Whether the branch of a task ends in its completion.
    pub(super) fn is_complete_at(&self, tip: Commit) -> bool {
        matches!(self.kinds[tip], Kind::Complete(_))
    }

    /// What the remote repository does when a push arrives whose client has seen `seen`. Returns whether it was accepted.
    pub(super) fn receive(&mut self, task: usize, seen: Option<Commit>, to: Option<Commit>) -> bool {
        let now = self.tasks[task];
        let is_forced = self.without == Some(Rule::PlainPush);
        if now != seen && !is_forced {
            return false;
        }
        self.check_nothing_lost(task, now, to);
        self.tasks[task] = to;
        true
    }

    /// What a client of a push does before it sends anything. `from` is what it expects.
    pub(super) fn would_send(&self, task: usize, from: Option<Commit>, to: Commit) -> bool {
        let now = self.tasks[task];
        match self.without {
            Some(Rule::PlainPush) => true,
            Some(Rule::ExpectedTip) => now.is_none_or(|now| self.is_ancestor(now, to)),
            _ => now == from,
        }
    }

    /// Moves the branch of the run to a merge, and deletes the branches that it has merged.
    pub(super) fn integrate(&mut self, old: Commit, merge: Commit, deleted: &[(usize, Commit)]) -> bool {
        let moves = self.run == old;
        let still = deleted.iter().all(|(task, tip)| self.tasks[*task] == Some(*tip));
        if self.without == Some(Rule::Atomic) {
            if moves {
                self.run = merge;
            }
            for (task, tip) in deleted {
                if self.tasks[*task] == Some(*tip) {
                    self.check_nothing_lost(*task, Some(*tip), None);
                    self.tasks[*task] = None;
                }
            }
        } else if moves && still {
            self.run = merge;
            deleted.iter().for_each(|(task, _)| self.tasks[*task] = None);
        }
        for task in 0..self.tasks.len() {
            let times = self.merged(task).count();
            if times > 1 {
                self.wrong.push(format!("task {task} was integrated {times} times"));
            }
        }
        moves && still
    }

    /// Nothing that the branch had may be lost: it is in the new value, or was merged, or is no more than a claim.
    fn check_nothing_lost(&mut self, task: usize, old: Option<Commit>, new: Option<Commit>) {
        let Some(old) = old else { return };
        let is_kept = match new {
            Some(new) => self.is_ancestor(old, new),
            None => {
                let merged: Vec<Commit> = self.merged(task).collect();
                self.work_on(old).all(|commit| merged.iter().any(|merged| self.is_ancestor(commit, *merged)))
            }
        };
        if !is_kept {
            self.wrong.push(format!("steps of task {task} were lost: {old} became {new:?}"));
        }
    }
}
