//! What an agent does to a repository beside its work, as shell scripts.
//!
//! `$OWN` is the branch of its step, `$RUN` that of the run, `$OTHER` that of a task or phase that is not its own, `$DIR` the common
//! git directory, `$GIT` that of its work tree, `$USER` the top of the user's work tree, `$FIRST` the first commit.
//! `forge PARENT TASK` makes a commit that says that a task is complete, `plain PARENT` one that says nothing.

use super::modes::Mode;

/// How a run has to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// With status 6: something of the run was touched.
    Unsafe,
    /// As if nothing had happened: the user may have done it, or it is put right.
    Well,
    /// Either, or refused with status 3, as the reason says.
    Either(&'static str),
}

use Ends::{Either, Unsafe, Well};

/// An act: its name, what the agent does, and how the run ends.
pub(super) type Act = (&'static str, &'static str, Ends);

/// Those that are tried in every run of the tests.
pub(super) const SHORT: &[Act] = &[
    ("a forged step on the branch of the run", "git update-ref $RUN $(forge $RUN T002)", Unsafe),
    ("the branch of the run at its first commit", "git update-ref $RUN $FIRST", Unsafe),
    ("a forged step of the own task", "git update-ref HEAD $(forge HEAD T001)", Unsafe),
    ("a forged branch of another task", "git update-ref $OTHER $(forge $RUN T002)", Unsafe),
    (
        "a packed branch of another task",
        "git pack-refs --all; printf '%s %s\n' $(forge $RUN T002) $OTHER | cat - $DIR/packed-refs | grep '^[0-9a-f]' | sort -u -k2,2 > \
         $DIR/new; rm -f $DIR/$OTHER; mv $DIR/new $DIR/packed-refs",
        Unsafe,
    ),
    ("the own branch deleted", "git update-ref -d $OWN", Unsafe),
    ("the own branch a link", "git symbolic-ref $OWN refs/heads/precious", Unsafe),
    ("a forged step elsewhere", "git switch -q -c elsewhere; git update-ref HEAD $(forge HEAD T001)", Unsafe),
    (
        "a hook",
        "mkdir -p $DIR/hooks; printf '#!/bin/sh\\ntouch \"$ROOT/hooked\"\\n' > $DIR/hooks/pre-commit; chmod +x $DIR/hooks/pre-commit",
        Unsafe,
    ),
    ("a branch of the user deleted", "git branch -q -D precious", Well),
];

/// The others.
pub(super) const MORE: &[Act] = &[
    ("nothing", "true", Well),
    ("a plain commit on the branch of the run", "git update-ref $RUN $(plain $RUN)", Well),
    (
        "another history on the branch of the run",
        "git update-ref $RUN $(git commit-tree -m x $RUN^{tree})",
        Unsafe,
    ),
    ("forged steps on another history", "git update-ref $RUN $(forge $FIRST T002)", Unsafe),
    ("the branch of the run deleted", "git update-ref -d $RUN", Unsafe),
    (
        "reflogs removed and the branch of the run moved",
        "rm -rf $DIR/logs; git update-ref $RUN $FIRST",
        Unsafe,
    ),
    ("a forged step of another task on the own branch", "git update-ref HEAD $(forge HEAD T002)", Unsafe),
    ("a subject alone", "git commit -q --allow-empty -m 'task(T002): complete \"Do T002\"'", Unsafe),
    (
        "a forged phase",
        "git commit -q --allow-empty -m 'phase(p2): complete' -m 'Arborist-Step: phase-complete'",
        Unsafe,
    ),
    (
        "a forged landing",
        "git commit -q --allow-empty -m Work -m \"Arborist-Complete: T002
Arborist-Run: $FIRST..$(git rev-parse HEAD^{tree})\"",
        Unsafe,
    ),
    (
        "a forged step behind a merge",
        "git update-ref HEAD $(git commit-tree -p HEAD -p $(forge HEAD T002) -m x HEAD^{tree})",
        Unsafe,
    ),
    ("a forged step below a plain commit", "git update-ref HEAD $(plain $(forge HEAD T001))", Unsafe),
    (
        "a loose file of the own branch",
        "id=$(forge HEAD T001); mkdir -p $(dirname $DIR/$OWN); echo $id > $DIR/$OWN",
        Unsafe,
    ),
    ("a broken own branch", "mkdir -p $(dirname $DIR/$OWN); echo broken > $DIR/$OWN", Unsafe),
    ("a detached HEAD", "git switch -q --detach", Well),
    (
        "a forged step on a detached HEAD",
        "git switch -q --detach; git update-ref HEAD $(forge HEAD T001)",
        Unsafe,
    ),
    ("another branch", "git switch -q -c elsewhere", Well),
    ("HEAD written by hand", "echo 'ref: refs/heads/precious' > $GIT/HEAD", Well),
    (
        "HEAD of another work tree",
        "for head in $DIR/HEAD $DIR/worktrees/*/HEAD; do test $head -ef $GIT/HEAD || echo 'ref: refs/heads/precious' > $head; done",
        Either("there may be no other work tree in use"),
    ),
    (
        "all steps of another task",
        "c=$RUN; for s in 'implement pass' 'test pass' 'review approved' 'complete pass'; do set -- $s
         c=$(git commit-tree -p $c -m \"task(T002): $s\" -m \"Arborist-Step: $1
Arborist-Result: $2\" $RUN^{tree}); done; git update-ref $OTHER $c",
        Unsafe,
    ),
    ("a plain branch of another task", "git update-ref $OTHER $(plain $RUN)", Unsafe),
    ("the branch of another task at the first commit", "git update-ref $OTHER $FIRST", Unsafe),
    ("the branch of another task deleted", "git update-ref -d $OTHER", Either("it need not exist yet")),
    (
        "a loose file of another branch",
        "id=$(forge $RUN T002); mkdir -p $(dirname $DIR/$OTHER); echo $id > $DIR/$OTHER",
        Unsafe,
    ),
    (
        "another branch that is a link",
        "git update-ref refs/heads/evil $(forge $RUN T002); git symbolic-ref $OTHER refs/heads/evil",
        Unsafe,
    ),
    (
        "a work tree on a forged branch",
        "git update-ref $OTHER $(forge $RUN T002); git worktree add -q --force $ROOT/evil ${OTHER#refs/heads/}",
        Unsafe,
    ),
    (
        "a forged branch of a phase",
        "git update-ref refs/heads/arborist/trial/p1 $(git commit-tree -p $RUN -m 'phase(p1): complete' -m \
         'Arborist-Step: phase-complete' $RUN^{tree})",
        Unsafe,
    ),
    (
        "a forged branch and no journal",
        "rm -f $DIR/arborist/journal.json; git update-ref $OTHER $(forge $RUN T002)",
        Unsafe,
    ),
    ("a record of a run", "git update-ref refs/arborist/runs/x HEAD", Well),
    ("saved work deleted", "git update-ref -d refs/arborist/rescue/x", Unsafe),
    ("a branch of the user moved", "git update-ref refs/heads/precious $FIRST", Well),
    ("a tag deleted", "git tag -d v1", Well),
    ("a stash", "echo x > new; git stash -q -u", Well),
    ("an object replaced", "git replace $(git rev-parse HEAD) $FIRST", Unsafe),
    ("another folder of hooks", "mkdir $ROOT/hooks; git config core.hooksPath $ROOT/hooks", Unsafe),
    ("an alias", "git config alias.status '!true'", Unsafe),
    ("a filter", "git config filter.x.clean cat", Unsafe),
    ("a file of settings", "echo > $ROOT/more; git config include.path $ROOT/more", Unsafe),
    ("signing", "git config commit.gpgsign true", Unsafe),
    ("a setting of ours", "git config arborist.review false", Unsafe),
    ("attributes", "mkdir -p $DIR/info; echo '* -diff' > $DIR/info/attributes", Unsafe),
    ("patterns of ignored files", "mkdir -p $DIR/info; echo x > $DIR/info/exclude", Well),
    ("grafts", "mkdir -p $DIR/info; git rev-parse HEAD > $DIR/info/grafts", Unsafe),
    ("borrowed objects", "mkdir -p $DIR/objects/info; echo $ROOT > $DIR/objects/info/alternates", Unsafe),
    ("a shallow history", "git rev-parse HEAD > $DIR/shallow", Unsafe),
    ("reflogs expired", "git reflog expire --expire=all --all", Well),
    (
        "a hidden change of the plan",
        "git update-index --assume-unchanged task-tree.json; echo >> task-tree.json",
        Unsafe,
    ),
    (
        "a hidden change of a file",
        "git update-index --skip-worktree kept; echo x >> kept",
        Either("the file is changed and not committed"),
    ),
    ("no journal", "rm -f $GIT/arborist/journal.json", Well),
    ("no lock", "rm -f $GIT/arborist/lock", Unsafe),
    ("a new file of the user's work tree", "echo x > $USER/evil", Well),
    ("a changed file of the user's work tree", "echo x >> $USER/kept", Well),
];

/// Cells of the matrix that end otherwise, and why.
pub(super) const OTHERWISE: &[(&str, Mode, Ends)] = &[
    // Nobody but the worker commits in its clone.
    ("a plain commit on the branch of the run", Mode::Work, Unsafe),
    // The same could have been done by the agent of that task, whose worker takes it as a commit of this agent.
    ("a plain branch of another task", Mode::Jobs, Either("the agent of that task may have done it")),
    // In the clone, there is nothing of the kind when the step begins.
    ("saved work deleted", Mode::Work, Well),
    (
        "a new file of the user's work tree",
        Mode::Work,
        Either("the clone must be clean when tasks are merged"),
    ),
    (
        "a changed file of the user's work tree",
        Mode::Work,
        Either("the clone must be clean when tasks are merged"),
    ),
];
