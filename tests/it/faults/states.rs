//! The states in which an agent can leave the work tree and the index, one by one: at the end of its step each is committed
//! or fails the attempt by name, and after a kill each is saved and cleared away. No state stops a run for ever.

use std::os::unix::net::UnixListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::Mutex;

use crate::faults::harness::assert_sound_after;
use crate::support::garden::{Ended, Garden, one_task, side_by_side};

/// A state of the work tree and the index.
struct State {
    name: &'static str,
    /// The commands by which an agent gets there.
    make: &'static str,
    /// What the step commits of it, as `git diff-tree --name-status` has it.
    committed: &'static str,
    /// What the attempt is told that cannot be committed, and how the next attempt repairs it.
    obstacle: Option<(&'static str, &'static str)>,
    /// What git cannot see and therefore stays.
    stays: &'static [&'static str],
}

const fn committed(name: &'static str, make: &'static str, committed: &'static str) -> State {
    State { name, make, committed, obstacle: None, stays: &[] }
}

const fn refused(name: &'static str, make: &'static str, obstacle: (&'static str, &'static str)) -> State {
    State { name, make, committed: "", obstacle: Some(obstacle), stays: &[] }
}

impl State {
    const fn but_keeps(mut self, stays: &'static [&'static str]) -> Self {
        self.stays = stays;
        self
    }

    const fn with(mut self, committed: &'static str) -> Self {
        self.committed = committed;
        self
    }
}

/// Files of every kind, a submodule, and attributes that change what git would store.
const BASE: &str = r#"
mkdir folder; echo a > folder/a; echo b > folder/b
echo file > file; ln -s file link; echo '#!/bin/sh' > script.sh; chmod +x script.sh; echo r > readme
printf 'ignored*\n' > .gitignore; echo i > ignored.committed
printf '*.txt text=auto\n*.nb filter=strip\n' > .git/info/attributes; git config filter.strip.clean 'sed s/out.*//'
git init -q ../origin; git -C ../origin commit -q --allow-empty -m one; echo s > ../origin/s
git -C ../origin add s; git -C ../origin commit -q -m two
git -c protocol.file.allow=always submodule --quiet add ../origin sub
git add -f ignored.committed
"#;

const STATES: &[State] = &[
    committed(
        "a folder has become a link",
        "mv folder lib; ln -s lib folder",
        "A folder, D folder/a, D folder/b, A lib/a, A lib/b",
    ),
    committed("a link has become a folder", "rm link; mkdir link; echo x > link/x", "D link, A link/x"),
    committed("a file has become a folder", "rm file; mkdir file; echo x > file/x", "D file, A file/x"),
    committed("a folder has become a file", "rm -r folder; echo x > folder", "A folder, D folder/a, D folder/b"),
    committed("a file has become a link", "rm file; ln -s readme file", "T file"),
    committed("a link has become a file", "rm link; echo x > link", "T link"),
    committed("a folder was moved by git", "git mv folder dir", "A dir/a, A dir/b, D folder/a, D folder/b"),
    committed("a file was renamed by git", "git mv file moved", "D file, A moved"),
    committed("a file was renamed", "mv file moved", "D file, A moved"),
    committed("a name changed its case", "mv file FILE", "A FILE, D file"),
    committed("a name changed its case by git", "git mv file File", "A File, D file"),
    committed("a new file was staged and removed", "echo s > new; git add new; rm new", ""),
    committed(
        "a new file was staged and has become a folder",
        "echo s > new; git add new; rm new; mkdir new; echo x > new/x",
        "A new/x",
    ),
    committed("a file was deleted by git", "git rm -q file", "D file"),
    committed("a file was taken out of the index alone", "git rm -q --cached file", ""),
    committed(
        "a file was taken out of the index and is ignored",
        "git rm -q --cached file; echo /file >> .gitignore",
        "M .gitignore, D file",
    )
    .but_keeps(&["file"]),
    committed("an ignored file that HEAD has was changed", "echo x > ignored.committed", "M ignored.committed"),
    committed("an ignored file was staged", "echo x > ignored; git add -f ignored", "A ignored"),
    committed(
        "an ignored file was staged and changed",
        "echo x > ignored; git add -f ignored; echo y > ignored",
        "A ignored",
    ),
    committed("an ignored file was staged and removed", "echo x > ignored; git add -f ignored; rm ignored", ""),
    committed("a file is only meant to be added", "echo x > new; git add -N new", "A new"),
    committed("a file was meant to be added and removed", "echo x > new; git add -N new; rm new", ""),
    committed(
        "files were staged and changed after that",
        "echo 1 > new; echo 1 > file; git add new file; echo 2 > new; echo 2 > file",
        "M file, A new",
    ),
    committed("a change was staged and taken back", "echo 1 > file; git add file; git show HEAD:file > file", ""),
    refused(
        "a file has become a named pipe",
        "rm file; mkfifo file",
        ("file has become a named pipe", "rm file"),
    )
    .with("D file"),
    refused(
        "a file has become a socket",
        "rm file; mv \"$ROOT/socket\" file",
        ("file has become a socket", "rm file; echo x > file"),
    )
    .with("M file"),
    refused("a link has become a device", "rm link; mv \"$ROOT/device\" link", ("link has become a device", "rm link"))
        .with("D link"),
    committed("there is a new named pipe", "mkfifo pipe", "").but_keeps(&["pipe"]),
    committed("there is a new socket", "mv \"$ROOT/socket\" socket", "").but_keeps(&["socket"]),
    committed("there are empty folders", "mkdir -p empty/inner", "").but_keeps(&["empty/inner"]),
    committed("a file has become an empty folder", "rm file; mkdir file", "D file"),
    committed(
        "a file has become a folder of ignored files",
        "rm file; mkdir file; echo x > file/ignored",
        "D file",
    )
    .but_keeps(&["file/ignored"]),
    committed(
        "a folder has become a link that is ignored",
        "echo /folder >> .gitignore; mv folder ignored; ln -s ignored folder",
        "M .gitignore, D folder/a, D folder/b",
    )
    .but_keeps(&["folder", "ignored/a"]),
    committed("modes have changed", "chmod +x file; chmod -x script.sh", "M file, M script.sh"),
    refused(
        "a file cannot be read",
        "echo x > new; chmod 000 new",
        ("open(\"new\"): Permission denied", "chmod 644 new"),
    )
    .with("A new"),
    committed("a folder cannot be written", "mkdir new; echo x > new/x; chmod 555 new", "A new/x"),
    committed(
        "a file lies in a folder that was made read-only",
        "echo x > folder/a; chmod 555 folder",
        "M folder/a",
    ),
    refused(
        "there is a repository",
        "git init -q inner; echo x > inner/x",
        ("inner/ is a repository", "rm -rf inner/.git"),
    )
    .with("A inner/x"),
    refused(
        "there is a repository with commits",
        "git init -q inner; git -C inner commit -q --allow-empty -m x",
        ("inner/ is a repository", "rm -rf inner"),
    ),
    refused(
        "a repository was staged",
        "git init -q inner; git -C inner commit -q --allow-empty -m x; git add inner 2> /dev/null",
        ("inner is a repository", "rm -rf inner"),
    ),
    refused(
        "a file has become a repository",
        "rm file; git init -q file; echo x > file/x",
        ("file is a repository", "rm -rf file/.git"),
    )
    .with("D file, A file/x"),
    committed("a submodule has another commit", "git -C sub checkout -q HEAD~1", "M sub"),
    committed("a submodule was removed", "rm -rf sub", "D sub"),
    refused(
        "a submodule has changes inside",
        "echo x > sub/s",
        ("inside the submodule sub", "git -C sub checkout -q ."),
    ),
    committed(
        "links lead nowhere, in a circle and outside",
        "ln -s nowhere dangling; ln -s circle circle; ln -s / outside",
        "A circle, A dangling, A outside",
    ),
    committed(
        "names are odd",
        r#"touch -- -rf ':(top)x' '*' '#x' 'a b' 'trailing ' 'back\slash' 'quo"te' "$(printf 'line\nbreak')" "$(printf 'return\r')" "$(printf 'byte\377')""#,
        r##"A #x, A *, A -rf, A :(top)x, A a b, A back\slash, A byte\377, A line\nbreak, A quo"te, A return\r, A trailing "##,
    ),
    committed(
        "odd names were staged and removed",
        r#"for name in -rf '*' "$(printf 'line\nbreak')" "$(printf 'byte\377')"; do echo x > "./$name"; git add -- "./$name"; rm "./$name"; done"#,
        "",
    ),
    // As for git, what is ignored and in no index is not git's any more.
    committed("the index was removed", "rm .git/index; echo x > new", "D ignored.committed, A new"),
    committed("the index was emptied", "git rm -q -r --cached .; echo x > file", "M file, D ignored.committed"),
    committed(
        "the index has a conflict",
        "blob=$(git rev-parse HEAD:file); git update-index --force-remove file;
         for stage in 1 2 3; do printf '100644 %s %s\\tfile\\n' $blob $stage; done | git update-index --index-info;
         echo x > file",
        "M file",
    ),
    committed(
        "bytes are not what git would store",
        r#"printf 'a\r\nb\n' > dos.txt; echo 'in out put' > book.nb; printf '\000\r\n\377' > bytes"#,
        "A book.nb, A bytes, A dos.txt",
    ),
];

/// A repository with all that the states begin with.
fn base() -> Garden {
    let garden = Garden::new(&one_task(&[]));
    let made = garden.command("/bin/sh").args(["-ec", BASE]).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    garden.commit("Begin");
    garden
}

/// A repository for one state; `None` where the state cannot be made on this machine.
fn for_state(base: &Garden, state: &State, script: &str) -> Option<Garden> {
    let garden = base.copy();
    // A copied index would have every file looked at again by each git.
    garden.git(&["status"]);
    drop(UnixListener::bind(garden.root().join("socket")).unwrap());
    let device = garden.root().join("device");
    let made = Command::new("mknod").arg(&device).args(["c", "1", "3"]).output().unwrap();
    if !made.status.success() && state.make.contains("/device\"") {
        println!("skipped, no device can be made here: {}", state.name);
        return None;
    }
    garden.agent(script);
    Some(garden)
}

/// Runs one of our programs without the capabilities by which the superuser may read and write everything.
fn run(garden: &Garden, args: &[&str]) -> Ended {
    let ours = garden.arborist(args);
    let drop = ["--inh-caps=-all", "--bounding-set=-all"];
    let dropped = Command::new("setpriv").args(drop).arg("true").status();
    if !dropped.is_ok_and(|status| status.success()) {
        return garden.finish(ours);
    }
    let mut command = garden.command("setpriv");
    command.args(drop).arg(ours.get_program()).args(ours.get_args());
    garden.finish(command)
}

/// What a commit changed beside the work that every agent does.
fn changes_of(garden: &Garden, commit: &str) -> String {
    let raw = garden.try_git(&["diff-tree", "-r", "-z", "--name-status", "--no-commit-id", commit]).stdout;
    let fields: Vec<&[u8]> = raw.split(|byte| *byte == 0).filter(|field| !field.is_empty()).collect();
    let shown = |path: &[u8]| {
        let part = |chunk: std::str::Utf8Chunk<'_>| {
            let escaped = chunk.valid().replace('\n', "\\n").replace('\r', "\\r");
            let bytes: String = chunk.invalid().iter().map(|byte| format!("\\{byte:o}")).collect();
            escaped + &bytes
        };
        path.utf8_chunks().map(part).collect::<String>()
    };
    let pairs = fields.chunks(2).filter(|pair| pair[1] != b"T001.txt");
    let changes: Vec<String> =
        pairs.map(|pair| format!("{} {}", String::from_utf8_lossy(pair[0]), shown(pair[1]))).collect();
    changes.join(", ")
}

/// Tries all states, and names all that fail.
fn in_every_state(case: impl Fn(&Garden, &State) + Sync) {
    let base = base();
    let failed = Mutex::new(Vec::new());
    side_by_side(STATES, |state| {
        let tried = catch_unwind(AssertUnwindSafe(|| case(&base, state)));
        if tried.is_err() {
            failed.lock().unwrap().push(state.name);
        }
    });
    assert_eq!(*failed.lock().unwrap(), [""; 0]);
}

#[test]
fn at_the_end_of_a_step_every_state_is_committed_or_fails_the_attempt_by_name() {
    in_every_state(|base, state| {
        let repair = state.obstacle.map_or("", |(_, repair)| repair);
        let script =
            format!("case $work in\nT001.implement.0) {};;\nT001.implement.1) {repair};;\nesac", state.make);
        let Some(garden) = for_state(base, state, &script) else { return };
        let ended = run(&garden, &["gardener"]);
        assert_eq!(ended.status, 0, "{}: {ended:#?}", state.name);
        assert_sound_after(&garden, &ended);
        let steps = garden.steps();
        let failed = steps[1].ends_with("| implement fail   0");
        assert_eq!(failed, state.obstacle.is_some(), "{}: {steps:#?}", state.name);
        if let Some((words, _)) = state.obstacle {
            let told = garden.prompt("T001.implement.1");
            assert!(told.contains(words), "{}: {told}", state.name);
        }
        assert_eq!(changes_of(&garden, "HEAD~4"), state.committed, "{}", state.name);
        for path in state.stays {
            assert!(garden.exists(path), "{}: {path} is gone", state.name);
        }
        assert_eq!(garden.status(), [""; 0], "{}", state.name);
    });
}
