//! Tests the states in which an agent can leave the work tree and the index, one by one. At the end of its step, each
//! is committed, or fails the attempt and is named. After a kill, each is saved and removed. No state stops every later
//! run.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::Command;
use std::sync::Mutex;

use crate::support::garden::{Ended, Garden, one_task, side_by_side};
use crate::support::harness::{assert_sound_after, rescued};
use crate::support::skip::skip;

/// A state of the work tree and the index.
struct State {
    name: &'static str,
    /// The commands with which an agent creates it.
    make: &'static str,
    /// What the step commits of it, in the format of `git diff-tree --name-status`.
    committed: &'static str,
    /// What the attempt is told that cannot be committed, and how the next attempt repairs it.
    obstacle: Option<(&'static str, &'static str)>,
    /// What git cannot see and therefore stays.
    stays: &'static [&'static str],
    /// What the next run says of it after a kill.
    said: &'static [&'static str],
    /// What a run that is not killed says when it stops for it.
    stopped: Option<&'static str>,
}

const fn committed(name: &'static str, make: &'static str, committed: &'static str) -> State {
    State { name, make, committed, obstacle: None, stays: &[], said: &[], stopped: None }
}

const fn refused(name: &'static str, make: &'static str, obstacle: (&'static str, &'static str)) -> State {
    State { name, make, committed: "", obstacle: Some(obstacle), stays: &[], said: &[], stopped: None }
}

impl State {
    const fn but_keeps(mut self, stays: &'static [&'static str]) -> Self {
        self.stays = stays;
        self
    }

    const fn saying(mut self, said: &'static [&'static str]) -> Self {
        self.said = said;
        self
    }

    const fn stops_the_run(mut self, words: &'static str) -> Self {
        self.stopped = Some(words);
        self
    }

    /// Whether it cannot be saved, so that it is still there when the agent is asked again.
    fn cannot_be_saved(&self) -> bool {
        self.said.contains(&STAYS)
    }

    const fn with(mut self, committed: &'static str) -> Self {
        self.committed = committed;
        self
    }
}

/// The message about a repository that is moved out of the work tree.
const ASIDE: &str = "is set aside in";

/// The message about something that is neither saved nor touched.
const STAYS: &str = "left in the work tree";

/// The message about a pipe, a socket or a device in the place of a file.
const EMPTY: &str = "it has no content to save";

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
    .with("D file").saying(&[EMPTY]),
    refused(
        "a file has become a socket",
        "rm file; mv \"$ROOT/socket\" file",
        ("file has become a socket", "rm file; echo x > file"),
    )
    .with("M file").saying(&[EMPTY]),
    refused("a link has become a device", "rm link; mv \"$ROOT/device\" link", ("link has become a device", "rm link"))
        .with("D link").saying(&[EMPTY]),
    committed("there is a new named pipe", "mkfifo pipe", "").but_keeps(&["pipe"]),
    committed("there is a new socket", "mv \"$ROOT/socket\" socket", "").but_keeps(&["socket"]),
    committed("a folder has become a named pipe", "rm -r folder; mkfifo folder", "D folder/a, D folder/b")
        .saying(&[EMPTY]),
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
    refused(
        "a file that HEAD has cannot be read",
        "echo x > file; chmod 000 file",
        ("open(\"file\"): Permission denied", "chmod 644 file"),
    )
    .with("M file"),
    refused(
        "a new folder cannot be read",
        "mkdir closed; echo x > closed/x; chmod 000 closed",
        ("closed/ cannot be opened", "chmod 755 closed"),
    )
    .with("A closed/x"),
    refused(
        "a folder that HEAD has cannot be read",
        "echo x > folder/a; chmod 000 folder",
        ("folder/ cannot be opened", "chmod 755 folder"),
    )
    .with("M folder/a"),
    committed("a folder was removed", "rm -r folder", "D folder/a, D folder/b"),
    refused(
        "a file is large",
        "head -c 11000000 /dev/zero > large",
        ("large is over 10 MiB", "rm large"),
    ),
    refused("a file looks like a secret", "echo x > .env", (".env looks like a secret", "rm .env")),
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
    .with("A inner/x").saying(&[ASIDE]),
    refused(
        "there is a repository with commits",
        "git init -q inner; git -C inner commit -q --allow-empty -m x",
        ("inner/ is a repository", "rm -rf inner"),
    ).saying(&[ASIDE]),
    refused(
        "a repository was staged",
        "git init -q inner; git -C inner commit -q --allow-empty -m x; git add inner 2> /dev/null",
        ("inner is a repository", "rm -rf inner"),
    ).saying(&[STAYS]),
    refused(
        "a file has become a repository",
        "rm file; git init -q file; echo x > file/x",
        ("file is a repository", "rm -rf file/.git"),
    )
    .with("D file, A file/x").saying(&[STAYS]),
    committed("a submodule has another commit", "git -C sub checkout -q HEAD~1", "M sub").saying(&[STAYS]),
    committed("a submodule was removed", "rm -rf sub", "D sub"),
    committed("a submodule has become a link", "rm -rf sub; ln -s folder sub", "T sub"),
    committed("a submodule has become a file", "rm -rf sub; echo x > sub", "T sub"),
    refused(
        "a submodule has changes inside",
        "echo x > sub/s",
        ("inside the submodule sub", "git -C sub checkout -q ."),
    ).saying(&[STAYS]),
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
    // For git, a file that is ignored and in no index is no longer tracked.
    committed("the index was removed", "rm .git/index; echo x > new", "D ignored.committed, A new").saying(&[STAYS])
        .stops_the_run("index was removed"),
    committed("the index was emptied", "git rm -q -r --cached .; echo x > file", "M file, D ignored.committed").saying(&[STAYS]),
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

/// What is done after the step of which this is about may be short.
const GARDENER: [&str; 2] = ["gardener", "--no-review"];

/// A repository with everything that the states start from.
fn base() -> Garden {
    let garden = Garden::new(&one_task(&[]));
    let made = garden.command("/bin/sh").args(["-ec", BASE]).output().unwrap();
    assert!(made.status.success(), "{made:?}");
    garden.commit("Begin");
    garden
}

/// A repository for one state; `None` if the state cannot be created on this machine.
fn for_state(base: &Garden, state: &State, script: &str) -> Option<Garden> {
    let garden = base.copy();
    // A copied index would have every file looked at again by each git.
    garden.git(&["status"]);
    drop(UnixListener::bind(garden.root().join("socket")).unwrap());
    let device = garden.root().join("device");
    let made = Command::new("mknod").arg(&device).args(["c", "1", "3"]).output().unwrap();
    if !made.status.success() && state.make.contains("/device\"") {
        skip(&format!("no device can be made here: {}", state.name));
        return None;
    }
    garden.agent(script);
    Some(garden)
}

/// One of our programs, without the capabilities by which the superuser may read and write everything.
fn restricted(garden: &Garden, args: &[&str]) -> Command {
    let ours = garden.arborist(args);
    let drop = ["--inh-caps=-all", "--bounding-set=-all"];
    let dropped = Command::new("setpriv").args(drop).arg("true").status();
    if !dropped.is_ok_and(|status| status.success()) {
        return ours;
    }
    let mut command = garden.command("setpriv");
    command.args(drop).arg(ours.get_program()).args(ours.get_args());
    command
}

/// Runs such a program to its end.
fn run(garden: &Garden, args: &[&str]) -> Ended {
    garden.finish(restricted(garden, args))
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

/// Tries these states, and names all that fail.
fn in_states<'a>(states: impl Iterator<Item = &'a State> + Send, case: impl Fn(&Garden, &State) + Sync) {
    let base = base();
    let failed = Mutex::new(Vec::new());
    side_by_side(states, |state| {
        let tried = catch_unwind(AssertUnwindSafe(|| case(&base, state)));
        if tried.is_err() {
            failed.lock().unwrap().push(state.name);
        }
    });
    assert_eq!(*failed.lock().unwrap(), [""; 0]);
}

// Each of the two tests that always run tries every third state, and the slow ones all of them.

#[test]
fn at_the_end_of_a_step_a_state_is_committed_or_fails_the_attempt_by_name() {
    in_states(STATES.iter().step_by(3), committed_or_refused);
}

#[test]
#[ignore = "takes half a minute"]
fn at_the_end_of_a_step_every_state_is_committed_or_fails_the_attempt_by_name() {
    in_states(STATES.iter(), committed_or_refused);
}

fn committed_or_refused(base: &Garden, state: &State) {
    let repair = state.obstacle.map_or("", |(_, repair)| repair);
    let script =
        format!("case $work in\nT001.implement.0) {};;\nT001.implement.1) {repair};;\nesac", state.make);
    let Some(garden) = for_state(base, state, &script) else { return };
    let ended = run(&garden, &GARDENER);
    if let Some(words) = state.stopped {
        ended.assert(6, &[words, "`git reset`"]);
        garden.git(&["reset", "-q"]);
        garden.agent("");
        run(&garden, &GARDENER).assert(0, &["is saved"]);
        return;
    }
    assert_eq!(ended.status, 0, "{}: {ended:#?}", state.name);
    assert_sound_after(&garden, &ended);
    let steps = garden.steps();
    let failed = steps[1].ends_with("| implement fail   0");
    assert_eq!(failed, state.obstacle.is_some(), "{}: {steps:#?}", state.name);
    if let Some((words, _)) = state.obstacle {
        let told = garden.prompt("T001.implement.1");
        assert!(told.contains(words), "{}: {told}", state.name);
    }
    assert_eq!(changes_of(&garden, "HEAD~3"), state.committed, "{}", state.name);
    for path in state.stays {
        assert!(garden.exists(path), "{}: {path} is gone", state.name);
    }
    assert_eq!(garden.status(), [""; 0], "{}", state.name);
}

/// For each path its mode as git has it, and its bytes.
type Lying = BTreeMap<Vec<u8>, (&'static str, Vec<u8>)>;

/// What lies in the work tree beside the submodule.
fn lying(garden: &Garden) -> Lying {
    let top = garden.top();
    let (mut found, mut folders) = (BTreeMap::new(), vec![top.clone()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let place = entry.unwrap().path();
            let path = place.strip_prefix(&top).unwrap().as_os_str().as_bytes().to_vec();
            let meta = place.symlink_metadata().unwrap();
            if meta.is_dir() {
                if !place.ends_with(".git") && path != b"sub" {
                    folders.push(place);
                }
            } else if meta.is_symlink() {
                found.insert(path, ("120000", fs::read_link(place).unwrap().into_os_string().into_vec()));
            } else if meta.is_file() && path != b".git" {
                let executable = meta.permissions().mode() & 0o100 != 0;
                found.insert(path, (if executable { "100755" } else { "100644" }, fs::read(place).unwrap()));
            }
        }
    }
    found
}

/// What a commit holds, in the same form.
fn held(garden: &Garden, commit: &str) -> Lying {
    let raw = garden.try_git(&["ls-tree", "-r", "-z", "--full-tree", commit]).stdout;
    let entry = |record: &[u8]| {
        let (facts, path) = record.split_at(record.iter().position(|byte| *byte == b'\t').unwrap());
        let facts = std::str::from_utf8(facts).unwrap();
        let mode = ["100644", "100755", "120000"].into_iter().find(|mode| facts.starts_with(mode))?;
        let id = facts.rsplit(' ').next().unwrap();
        Some((path[1..].to_vec(), (mode, garden.try_git(&["cat-file", "blob", id]).stdout)))
    };
    raw.split(|byte| *byte == 0).filter(|record| !record.is_empty()).filter_map(entry).collect()
}

/// The ids of all that is staged and has content.
fn staged(garden: &Garden) -> Vec<String> {
    let raw = String::from_utf8_lossy(&garden.try_git(&["ls-files", "--stage", "-z"]).stdout).into_owned();
    let entries = raw.split_terminator('\0').filter(|entry| !entry.starts_with("160000"));
    let empty = garden.git(&["hash-object", "-t", "blob", "/dev/null"]);
    entries.map(|entry| entry.split(' ').nth(1).unwrap().to_owned()).filter(|id| *id != empty).collect()
}

/// Brings a garden into a state, with its run killed.
fn killed_in(base: &Garden, state: &State) -> Option<Garden> {
    let repair = state.obstacle.map_or("", |(_, repair)| repair);
    let script = format!(
        "if [ $work = T001.implement.0 ] && ! [ -e \"$ROOT/started\" ]; then
         {}\necho $$ > \"$ROOT/pid\"; : > \"$ROOT/started\"; while :; do sleep 0.05; done; fi
         if [ $work = T001.implement.1 ]; then {repair}\n:; fi",
        state.make
    );
    let garden = for_state(base, state, &script)?;
    let running = garden.start(restricted(&garden, &GARDENER));
    garden.wait_for("started");
    garden.kill_with_agent(running);
    Some(garden)
}

#[test]
fn after_a_kill_a_state_is_saved_byte_for_byte_and_can_be_restored_and_the_run_continues() {
    in_states(STATES.iter().skip(1).step_by(3), saved_and_given_back);
}

#[test]
#[ignore = "takes half a minute"]
fn after_a_kill_every_state_is_saved_byte_for_byte_and_can_be_restored_and_the_run_continues() {
    in_states(STATES.iter(), saved_and_given_back);
}

fn saved_and_given_back(base: &Garden, state: &State) {
    let Some(garden) = killed_in(base, state) else { return };
    let (before, staged) = (lying(&garden), staged(&garden));
    let ended = run(&garden, &GARDENER);
    assert_eq!(ended.status, 0, "{}: {ended:#?}", state.name);
    assert_sound_after(&garden, &ended);
    for words in state.said {
        assert!(ended.stderr.contains(words), "{}: {words}: {}", state.name, ended.stderr);
    }

    let saved = rescued(&garden);
    let held = saved.first().map_or_else(BTreeMap::new, |saved| held(&garden, saved));
    let after = lying(&garden);
    for (path, content) in &before {
        let kept = held.get(path) == Some(content) || after.get(path) == Some(content);
        let shown = String::from_utf8_lossy(path);
        assert!(
            kept || state.cannot_be_saved() || state.said.contains(&ASIDE),
            "{}: {shown} is lost: {saved:?}",
            state.name
        );
    }
    let objects = garden.lines(&["rev-list", "--objects", "--all", "--no-object-names"]);
    for id in staged {
        assert!(objects.contains(&id), "{}: {id} was staged and is lost", state.name);
    }

    let failed = garden.steps()[1].ends_with("| implement fail   0");
    assert_eq!(failed, state.obstacle.is_some() && state.cannot_be_saved(), "{}: {ended:#?}", state.name);
    for path in state.stays {
        assert!(held.contains_key(path.as_bytes()) || garden.exists(path), "{}: {path}", state.name);
    }
    assert_eq!(garden.status(), [""; 0], "{}", state.name);
    if let [saved] = &saved[..] {
        assert_given_back(&garden, saved, &before);
    }
}

/// Restores saved work into the work tree of a run that has ended.
fn assert_given_back(garden: &Garden, saved: &str, before: &Lying) {
    let name = saved.strip_prefix("refs/arborist/rescue/").unwrap();
    run(garden, &["rescue", "apply", name]).assert(0, &[]);
    let (held, after) = (held(garden, saved), lying(garden));
    let args = ["diff-tree", "-r", "-z", "--name-only", &format!("{saved}^1"), saved];
    let changed = garden.try_git(&args).stdout;
    for path in changed.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        let shown = String::from_utf8_lossy(path);
        assert_eq!(after.get(path), held.get(path), "{shown}");
        assert_eq!(after.get(path), before.get(path), "{shown}");
    }
}
