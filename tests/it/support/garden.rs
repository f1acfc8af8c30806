//! A repository with a plan and scripted agents, in which the real programs run in an environment of their own.

use std::fs::{self, File};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, Once, OnceLock};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

use super::repo::{command_on, write_program};

/// The longest time that a program of these tests may take.
const LIMIT: Duration = Duration::from_secs(300);

/// The beginning of every scripted agent: it keeps its prompt where the test finds it. Except for `cat`, it only uses
/// shell builtins, because agents are started a thousand times.
const KEEP_PROMPT: &str = r#"work=$ARBORIST_TASK.$ARBORIST_STEP.$ARBORIST_ATTEMPT${ARBORIST_MERGE:+.merge$ARBORIST_MERGE}
set -- "$ROOT/prompts"/*
if test -e "$1"; then file=$#; else file=0; test -d "$ROOT/prompts" || mkdir "$ROOT/prompts"; fi
file=$ROOT/prompts/$file-$work
set --
cat > "$file"
"#;

/// The end of every scripted agent, unless the script ends it earlier: it writes a file, or approves.
const DO_THE_WORK: &str = r#"case $ARBORIST_STEP in
implement) echo "$work" >> "$ARBORIST_TASK.txt"; echo "wrote $ARBORIST_TASK.txt";;
review) echo APPROVED;;
esac
"#;

/// A repository with a committed plan, and everything that belongs to it. It is removed when this is dropped.
pub(crate) struct Garden {
    root: tempfile::TempDir,
    /// The tip of the branch when it was last looked at.
    seen: Mutex<Option<String>>,
}

/// How a program ended, and what it said.
#[derive(Debug)]
pub(crate) struct Ended {
    /// 128 and its number for a signal.
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A program that runs.
pub(crate) struct Running {
    pub(crate) child: Child,
    output: (PathBuf, PathBuf),
}

impl Garden {
    /// A repository with this plan committed, and an agent that does every task at once.
    pub(crate) fn new(plan: &Value) -> Self {
        Self::in_folder(&fast_folder(), plan)
    }

    /// The same in the folder for temporary files, in which sandboxes show what is there.
    pub(crate) fn on_disk(plan: &Value) -> Self {
        Self::in_folder(&std::env::temp_dir(), plan)
    }

    fn in_folder(folder: &Path, plan: &Value) -> Self {
        let garden = Self::empty_in(folder);
        for Prepared { path, content } in empty_repository() {
            let place = garden.top().join(path);
            match content {
                Some(content) => fs::write(place, content).unwrap(),
                None => fs::create_dir(place).unwrap(),
            }
        }
        garden.write("task-tree.json", &format!("{plan:#}\n"));
        garden.commit_plan();
        garden.agent("");
        garden
    }

    /// A copy with everything that has happened so far. Its agent must be defined again.
    pub(crate) fn copy(&self) -> Self {
        let copy = Self::empty();
        let all = format!("{}/.", self.root().display());
        assert!(Command::new("cp").arg("-a").arg(all).arg(copy.root()).status().unwrap().success());
        copy
    }

    /// Folders without a repository.
    pub(crate) fn empty() -> Self {
        Self::empty_in(&fast_folder())
    }

    fn empty_in(folder: &Path) -> Self {
        let root = tempfile::Builder::new().prefix("garden-").tempdir_in(folder).unwrap();
        let root_path = root.path().canonicalize().unwrap();
        assert_eq!(root_path, root.path(), "the temporary folder must not be a link");
        for folder in ["work", "home", "git"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        std::os::unix::fs::symlink(git_on_path(), root.path().join("git/git")).unwrap();
        Self { root, seen: Mutex::new(None) }
    }

    /// Whether git can keep references in tables, as it can from 2.45 on.
    pub(crate) fn git_has_reftables() -> bool {
        let has = Self::empty().try_git(&["init", "-q", "--ref-format=reftable"]).status.success();
        if !has {
            super::skip::skip("this git has no reftables");
        }
        has
    }

    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// The top of the work tree.
    pub(crate) fn top(&self) -> PathBuf {
        self.root().join("work")
    }

    /// Makes `script` the runner of all steps. It may end the agent by itself; where it does not, the agent does its work
    /// well. `$work` is `TASK.STEP.ATTEMPT`, `$ROOT` a folder outside of the repository.
    pub(crate) fn agent(&self, script: &str) {
        self.runner("mine", &format!("{KEEP_PROMPT}{script}\n{DO_THE_WORK}"));
        self.set(("[arborist]", "runner"), "arborist.runner", "mine");
    }

    /// Defines a runner by a shell script.
    pub(crate) fn runner(&self, name: &str, script: &str) {
        let file = self.root().join(format!("{name}.sh"));
        fs::write(&file, format!("{script}\n")).unwrap();
        let section = format!("[arborist \"runner.{name}\"]");
        let key = format!("arborist.runner.{name}.command");
        self.set((&section, "command"), &key, &format!("exec /bin/sh '{}'", file.display()));
    }

    /// Sets what every test sets, without a git where it stands there already or the section is new.
    fn set(&self, (section, name): (&str, &str), key: &str, value: &str) {
        let file = self.top().join(".git/config");
        let lines = format!("{section}\n\t{name} = {value}\n");
        match fs::read_to_string(&file) {
            Ok(text) if text.contains(&lines) => {}
            Ok(text) if !text.contains(section) => fs::write(file, text + &lines).unwrap(),
            _ => self.config(key, value),
        }
    }

    /// Writes an executable shell script.
    pub(crate) fn program(&self, file: &Path, script: &str) {
        write_program(file, format!("#!/bin/sh\n{script}\n").as_bytes());
    }

    pub(crate) fn config(&self, key: &str, value: &str) {
        self.git(&["config", key, value]);
    }

    /// Writes a file of the work tree.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let file = self.top().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.top().join(path)).unwrap()
    }

    pub(crate) fn exists(&self, path: &str) -> bool {
        self.top().join(path).symlink_metadata().is_ok()
    }

    /// Commits everything.
    pub(crate) fn commit(&self, message: &str) {
        self.git(&["add", "--all"]);
        self.git(&["-c", "maintenance.auto=false", "commit", "-q", "--allow-empty", "-m", message]);
    }

    /// Commits the plan as the first commit, in this process: nearly every test does it.
    fn commit_plan(&self) {
        let repository = git2::Repository::open(self.top()).unwrap();
        let mut index = repository.index().unwrap();
        index.add_path(Path::new("task-tree.json")).unwrap();
        index.write().unwrap();
        let tree = repository.find_tree(index.write_tree().unwrap()).unwrap();
        let person = git2::Signature::now("A", "a@example.com").unwrap();
        repository.commit(Some("HEAD"), &person, &person, "Add the plan\n", &tree, &[]).unwrap();
    }

    /// A PATH with this folder first, then git alone, then what every system has: no agent that is installed here.
    pub(crate) fn path_with(&self, folder: &Path) -> String {
        format!("{}:{}:/usr/bin:/bin", folder.display(), self.root().join("git").display())
    }

    /// Any program, set up to run in the work tree.
    pub(crate) fn command(&self, program: &str) -> Command {
        hear_signals();
        let path = self.path_with(programs());
        let mut command = command_on(&path, program);
        command
            .current_dir(self.top())
            .env_clear()
            .env("PATH", path)
            .env("HOME", self.root().join("home"))
            .env("ROOT", self.root())
            .env("LC_ALL", "C")
            // Nearly all plans of the tests are written for the tests. Those about plans of others take this away.
            .env("ARBORIST_TRUST_PLAN", "true")
            // It would run every test command once more.
            .env("ARBORIST_CONFIRM", "0")
            .env("ARBORIST_TRUST_PROVE", "off")
            // Most test commands of the tests count nothing, and every step would say so.
            .env("ARBORIST_TRUST_COUNTS", "off")
            // A service that does not answer is not called again within a step.
            .env("ARBORIST_LIMIT_PATIENCE", "4s")
            // If this is set, go is not started before each run of the tests to learn what it is.
            .env("GOFLAGS", "")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdin(Stdio::null());
        for role in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{role}_NAME"), "A").env(format!("GIT_{role}_EMAIL"), "a@example.com");
        }
        command
    }

    /// One of our own programs, by its name behind `git arborist`.
    pub(crate) fn arborist(&self, args: &[&str]) -> Command {
        // The small program of a command would only start this one, which takes time in a thousand runs. That of the hooks
        // does some of the work itself.
        let (program, args) = match args {
            ["hooks", args @ ..] => ("git-arborist-hooks", args),
            args => ("git-arborist", args),
        };
        let mut command = self.command(programs().join(program).to_str().unwrap());
        command.args(args);
        command
    }

    /// Starts a command with its output in files.
    pub(crate) fn start(&self, mut command: Command) -> Running {
        let output = |name: &str| {
            let number = fs::read_dir(self.root()).unwrap().count();
            self.root().join(format!("{name}-{number}"))
        };
        let output = (output("stdout"), output("stderr"));
        command.stdout(File::create(&output.0).unwrap()).stderr(File::create(&output.1).unwrap());
        Running { child: command.spawn().unwrap(), output }
    }

    /// Runs a command to its end, and makes sure that it did no harm.
    pub(crate) fn finish(&self, command: Command) -> Ended {
        let ended = self.start(command).wait();
        self.check(&ended);
        ended
    }

    /// Runs one of our own programs to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Ended {
        self.finish(self.arborist(args))
    }

    /// The JSON that one of our own programs prints.
    #[track_caller]
    pub(crate) fn json(&self, args: &[&str]) -> Value {
        let ended = self.run(args);
        serde_json::from_str(&ended.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}: {ended:#?}"))
    }

    /// The invariants that must hold in any case.
    pub(crate) fn check(&self, ended: &Ended) {
        let known = [0, 1, 2, 3, 4, 5, 6, 7, 129, 130, 143];
        assert!(known.contains(&ended.status), "{ended:#?}");
        for text in [&ended.stdout, &ended.stderr] {
            assert!(!text.contains("panicked at") && !text.contains("RUST_BACKTRACE"), "{ended:#?}");
        }
        assert!(ended.status == 0 || !ended.stderr.is_empty(), "a refusal without a word: {ended:#?}");
        let seen = self.seen.lock().unwrap().clone();
        if self.top().join(".git").exists() && (seen.is_none() || seen != self.tip()) {
            self.check_repository();
        }
    }

    /// Asserts that the repository is undamaged, and that the branch has only grown.
    pub(crate) fn check_repository(&self) {
        let Some(head) = self.grown_head() else { return };
        // For each of these fsck starts a program, also where there is none.
        let objects = self.top().join(".git/objects");
        let there = |name: &str| objects.join(name).exists() || objects.join("info/alternates").exists();
        let no_folder = !objects.is_dir();
        let graph = no_folder || there("info/commit-graph") || there("info/commit-graphs");
        let graph = format!("core.commitGraph={graph}");
        let index = format!("core.multiPackIndex={}", no_folder || there("pack/multi-pack-index"));
        let fsck = ["-c", &graph, "-c", &index, "fsck", "--strict", "--no-progress", "--no-dangling"];
        let fsck = self.try_git(&fsck);
        let said = String::from_utf8_lossy(&[fsck.stdout, fsck.stderr].concat()).into_owned();
        assert!(fsck.status.success(), "{said}");
        *self.seen.lock().unwrap() = Some(head);
    }

    /// The tip of the branch, if there is one, which what was its tip before must lead up to.
    fn grown_head(&self) -> Option<String> {
        let head = self.tip()?;
        if let Some(before) = self.seen.lock().unwrap().take().filter(|before| *before != head) {
            assert!(self.leads_to(&before, &head), "{before} is no ancestor of {head}");
        }
        Some(head)
    }

    /// The commit that HEAD names, if there is one; git is only asked where this is not in plain files.
    fn tip(&self) -> Option<String> {
        let read = |path: &str| fs::read_to_string(self.top().join(".git").join(path)).ok();
        let branch = read("HEAD").and_then(|head| Some(head.strip_prefix("ref: ")?.trim_end().to_owned()));
        let id = branch.and_then(|branch| read(&branch)).map(|id| id.trim_end().to_owned());
        let is_id = |id: &String| id.len() == 40 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        id.filter(is_id).or_else(|| {
            let head = self.try_git(&["rev-parse", "-q", "--verify", "HEAD"]);
            head.status.success().then(|| String::from_utf8(head.stdout).unwrap().trim().to_owned())
        })
    }

    /// Whether a commit is an ancestor of another; git is only asked where libgit2 cannot tell.
    fn leads_to(&self, before: &str, head: &str) -> bool {
        let found = git2::Repository::open(self.top()).and_then(|repository| {
            repository.graph_descendant_of(git2::Oid::from_str(head)?, git2::Oid::from_str(before)?)
        });
        found == Ok(true) || self.try_git(&["merge-base", "--is-ancestor", before, head]).status.success()
    }

    /// From here on the branch grows from where it is now, wherever that is.
    pub(crate) fn forget_history(&self) {
        *self.seen.lock().unwrap() = None;
    }

    /// Runs git, which must succeed, and gives its output without the last line end.
    pub(crate) fn git(&self, args: &[&str]) -> String {
        let output = self.try_git(args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim_end_matches('\n').to_owned()
    }

    pub(crate) fn try_git(&self, args: &[&str]) -> std::process::Output {
        self.command("git").args(args).output().unwrap()
    }

    /// The subjects of all commits after the plan, oldest first.
    pub(crate) fn subjects(&self) -> Vec<String> {
        self.lines(&["log", "--reverse", "--topo-order", "--format=%s", "HEAD"]).split_off(1)
    }

    /// Subject and state trailers of every commit after the plan, oldest first, in one line each.
    pub(crate) fn steps(&self) -> Vec<String> {
        let value = |key: &str| format!("%(trailers:key=Arborist-{key},valueonly,separator=%x2C)");
        let values: Vec<String> =
            ["Step", "Result", "Test", "Review", "Retry"].into_iter().map(value).collect();
        let format = format!("--format=%s | {}", values.join(" "));
        self.lines(&["log", "--reverse", "--topo-order", &format, "HEAD"]).split_off(1)
    }

    pub(crate) fn lines(&self, args: &[&str]) -> Vec<String> {
        self.git(args).lines().map(str::to_owned).collect()
    }

    pub(crate) fn head(&self) -> String {
        self.tip().expect("HEAD names a commit")
    }

    /// What git says differs from HEAD.
    pub(crate) fn status(&self) -> Vec<String> {
        self.lines(&["status", "--porcelain", "--untracked-files=all"])
    }

    /// The message of the newest commit whose subject begins so.
    pub(crate) fn message(&self, subject: &str) -> String {
        let pattern = format!("--grep=^{}", subject.replace('(', "\\(").replace(')', "\\)"));
        self.git(&["log", "-1", "--format=%B", &pattern, "-E"])
    }

    /// The values of a trailer in the whole history, oldest first.
    pub(crate) fn trailers(&self, key: &str) -> Vec<String> {
        let format = format!("--format=%(trailers:key={key},valueonly,separator=%x2C)");
        self.lines(&["log", "--reverse", &format]).into_iter().filter(|line| !line.is_empty()).collect()
    }

    /// The paths that a commit changed.
    pub(crate) fn files_of(&self, revision: &str) -> Vec<String> {
        self.lines(&["diff-tree", "--root", "--no-commit-id", "-r", "--name-only", revision])
    }

    /// The prompts that agents got, oldest first: `TASK.STEP.ATTEMPT` and text.
    pub(crate) fn prompts(&self) -> Vec<(String, String)> {
        let Ok(entries) = fs::read_dir(self.root().join("prompts")) else { return Vec::new() };
        let mut prompts: Vec<(usize, String, String)> = entries
            .map(|entry| {
                let entry = entry.unwrap();
                let name = entry.file_name().into_string().unwrap();
                let (number, work) = name.split_once('-').unwrap();
                let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
                (number.parse().unwrap(), work.to_owned(), text)
            })
            .collect();
        prompts.sort();
        prompts.into_iter().map(|(_, work, text)| (work, text)).collect()
    }

    /// The steps that agents were asked for, oldest first.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.prompts().into_iter().map(|(work, _)| work).collect()
    }

    /// The prompt for `TASK.STEP.ATTEMPT`, the newest if there were several.
    pub(crate) fn prompt(&self, work: &str) -> String {
        let found = self.prompts().into_iter().rev().find(|(of, _)| of == work);
        found.unwrap_or_else(|| panic!("nobody was asked for {work}: {:?}", self.asked())).1
    }

    /// Processes that still run with our folder in their environment; without `/proc`, nothing is known.
    pub(crate) fn processes(&self) -> Vec<String> {
        let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
        let ours = format!("ROOT={}\0", self.root().display());
        let mine = |entry: std::io::Result<fs::DirEntry>| {
            let folder = entry.ok()?.path();
            let environment = fs::read(folder.join("environ")).ok()?;
            let found = environment.windows(ours.len()).any(|window| window == ours.as_bytes());
            found.then(|| fs::read_to_string(folder.join("comm")).unwrap_or_default())
        };
        entries.filter_map(mine).collect()
    }

    /// Kills a run, and its agent, whose process id is in `$ROOT/pid`: on a busy machine the run may be gone before it has
    /// seen to it that the agent ends with it.
    pub(crate) fn kill_with_agent(&self, running: Running) {
        running.signal("KILL");
        assert_eq!(running.wait().status, 137);
        let pid = fs::read_to_string(self.root().join("pid")).unwrap();
        let killed =
            Command::new("/bin/kill").args(["-s", "KILL", pid.trim()]).stderr(Stdio::null()).status();
        assert!(killed.is_ok());
        self.assert_nothing_runs();
    }

    /// Waits until a file exists that a script is to make.
    pub(crate) fn wait_for(&self, file: &str) {
        self.wait_until(&format!("{file} did not appear"), || self.root().join(file).exists());
    }

    /// Waits until a condition is true, and fails with `what` if it never is.
    pub(crate) fn wait_until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < LIMIT, "{what}; still running: {:?}", self.processes());
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Asserts that nothing is left of proofs: no work tree but our own, no folder, no reference and no process.
    #[track_caller]
    pub(crate) fn assert_nothing_left(&self) {
        assert_eq!(self.lines(&["worktree", "list"]).len(), 1);
        assert!(!self.root().join("work.arborist").exists());
        assert!(!self.top().join(".git/worktrees").exists());
        assert_eq!(self.git(&["for-each-ref", "refs/arborist"]), "");
        self.assert_nothing_runs();
    }

    /// Waits until none of our processes is running.
    pub(crate) fn assert_nothing_runs(&self) {
        self.wait_until("it does not end", || self.processes().is_empty());
    }
}

impl Running {
    pub(crate) fn id(&self) -> String {
        self.child.id().to_string()
    }

    /// Waits for the end.
    pub(crate) fn wait(mut self) -> Ended {
        let began = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if began.elapsed() > LIMIT {
                self.child.kill().unwrap();
                self.child.wait().unwrap();
                panic!("it did not end: {}", self.said());
            }
            std::thread::sleep(Duration::from_millis(3));
        };
        let read = |file: &Path| String::from_utf8_lossy(&fs::read(file).unwrap()).into_owned();
        let status = status.code().unwrap_or_else(|| 128 + status.signal().unwrap());
        Ended { status, stdout: read(&self.output.0), stderr: read(&self.output.1) }
    }

    /// The process id of the helper that watches over the agent that runs now.
    pub(crate) fn helper(&self) -> String {
        let began = Instant::now();
        loop {
            let children = fs::read_to_string(format!("/proc/{0}/task/{0}/children", self.id())).unwrap();
            let is_helper = |pid: &&str| {
                let line = fs::read_to_string(format!("/proc/{pid}/cmdline")).unwrap_or_default();
                line.contains("--watch-over-a-job")
            };
            if let Some(helper) = children.split_whitespace().find(is_helper) {
                return helper.to_owned();
            }
            assert!(began.elapsed() < LIMIT, "no helper appeared");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// What it said so far on standard error.
    pub(crate) fn said(&self) -> String {
        fs::read_to_string(&self.output.1).unwrap_or_default()
    }

    /// What it said so far on standard output.
    pub(crate) fn printed(&self) -> String {
        fs::read_to_string(&self.output.0).unwrap_or_default()
    }

    /// Sends a signal, by its name, to it alone.
    pub(crate) fn signal(&self, name: &str) {
        assert!(Command::new("/bin/kill").args(["-s", name, &self.id()]).status().unwrap().success());
    }
}

impl Ended {
    /// Asserts the exit status and that all these words were said on standard error.
    #[track_caller]
    pub(crate) fn assert(&self, status: i32, words: &[&str]) {
        assert_eq!(self.status, status, "{self:#?}");
        for word in words {
            assert!(self.stderr.contains(word), "{word:?} is missing: {self:#?}");
        }
    }
}

/// A folder or a file of a prepared repository, relative to its top.
struct Prepared {
    path: PathBuf,
    /// `None` for a folder.
    content: Option<Vec<u8>>,
}

/// The folders and files of a repository without a commit, which git makes once for all tests.
fn empty_repository() -> &'static [Prepared] {
    static MADE: OnceLock<Vec<Prepared>> = OnceLock::new();
    MADE.get_or_init(|| {
        let garden = Garden::empty();
        garden.git(&["init", "-q", "-b", "main"]);
        let (mut found, mut open) = (Vec::new(), vec![PathBuf::from(".git")]);
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(garden.top().join(&folder)).unwrap() {
                let path = folder.join(entry.unwrap().file_name());
                let place = garden.top().join(&path);
                if place.is_dir() {
                    open.push(path);
                } else if !path.starts_with(".git/hooks") {
                    // The samples of hooks do nothing.
                    found.push(Prepared { content: Some(fs::read(place).unwrap()), path });
                }
            }
            found.push(Prepared { path: folder, content: None });
        }
        found.sort_by(|one, other| one.path.cmp(&other.path));
        found
    })
}

/// The folder for repositories of tests: in memory if possible, because git waits for the disk at every commit.
pub(crate) fn fast_folder() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let usable =
        std::env::var_os("TMPDIR").is_none() && memory.canonicalize().is_ok_and(|real| real == memory);
    if usable && tempfile::tempdir_in(memory).is_ok() { memory.to_owned() } else { std::env::temp_dir() }
}

/// Lets programs get the signals that whoever started the tests has ignored, as `nohup` does: what this process handles is not
/// ignored in a program that it starts.
pub(crate) fn hear_signals() {
    static HEARS: Once = Once::new();
    HEARS.call_once(|| {
        for (signal, name) in [(SIGHUP, "HUP"), (SIGINT, "INT"), (SIGQUIT, "QUIT"), (SIGTERM, "TERM")] {
            // A shell that ignores the signal, because we do, survives it.
            let shell =
                Command::new("/bin/sh").args(["-c", &format!("ulimit -c 0; kill -s {name} $$")]).status();
            if shell.unwrap().success() {
                signal_hook::flag::register(signal, Arc::default()).unwrap();
            }
        }
    });
}

/// The git that these tests use: the one on PATH.
fn git_on_path() -> PathBuf {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|folder| folder.join("git")).find(|git| git.is_file()).unwrap()
}

/// The folder of the programs under test.
pub(crate) fn programs() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().unwrap()
}

/// A plan: rows of id, parent (or nothing), dependencies, and test commands; the name is `Do <id>`.
pub(crate) fn plan(rows: &[(&str, &str, &[&str], &[&str])]) -> Value {
    let mut nodes = serde_json::Map::new();
    for (id, parent, depends_on, tests) in rows {
        let children: Vec<&str> = rows.iter().filter(|row| row.1 == *id).map(|row| row.0).collect();
        let tests: Vec<Value> =
            tests.iter().map(|command| json!({"type": "unit", "command": command})).collect();
        nodes.insert(
            (*id).to_owned(),
            json!({
                "id": id, "name": format!("Do {id}"), "description": format!("What {id} is for."),
                "parent": if parent.is_empty() { Value::Null } else { json!(parent) },
                "children": children, "depends_on": depends_on, "test_commands": tests,
            }),
        );
    }
    json!({"spec_id": "trial", "nodes": nodes})
}

/// One phase `p1` with the one task `T001`, judged by these commands.
pub(crate) fn one_task(tests: &[&str]) -> Value {
    plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], tests)])
}

/// Tries all cases, some of them at the same time: for most of its time a case waits for others.
pub(crate) fn side_by_side<C: Send>(
    cases: impl IntoIterator<Item = C, IntoIter: Send>,
    case: impl Fn(C) + Sync,
) {
    let cases = Mutex::new(cases.into_iter());
    let next = || cases.lock().unwrap().next();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| std::iter::from_fn(next).for_each(&case));
        }
    });
}
