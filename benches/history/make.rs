//! Makes histories as the program itself would leave them, packed as git packs them.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where the plan is.
pub(crate) const TREE: &str = "task-tree.json";
const TASKS_A_PHASE: usize = 25;

/// A history to measure on.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    pub(crate) name: &'static str,
    pub(crate) tasks: usize,
    /// Commits before the plan.
    pub(crate) older: usize,
    /// How many words the description of a task has.
    pub(crate) words: usize,
    /// How often the plan is edited while tasks are worked on.
    pub(crate) edits: usize,
    /// Whether each phase is done on a branch of its own and merged.
    pub(crate) branches: Branches,
    pub(crate) rounds: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Branches {
    None,
    PerPhase,
}

/// git in a folder, away from all settings of the machine.
pub(crate) fn git(folder: &Path) -> Command {
    program("git".as_ref(), folder)
}

/// A program in a folder, away from all settings of the machine.
pub(crate) fn program(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

/// What `git ARGS` prints.
pub(crate) fn output(folder: &Path, args: &[&str]) -> String {
    let output = git(folder).args(args).output().expect("git");
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text").trim_end().to_owned()
}

/// The id of a task.
pub(crate) fn task_name(task: usize) -> String {
    format!("T{task:05}")
}

/// The id of the phase that a task belongs to.
pub(crate) fn phase_of(task: usize) -> String {
    format!("phase{}", task / TASKS_A_PHASE)
}

/// The folder of a history, which is made if it is not there.
pub(crate) fn history(shape: &Shape) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("history-{}", shape.name));
    let ready = folder.join(".git/ready");
    if !ready.exists() {
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        output(&folder, &["init", "-q", "-b", "main"]);
        let mut import = git(&folder);
        let mut child =
            import.args(["fast-import", "--quiet"]).stdin(Stdio::piped()).spawn().expect("git fast-import");
        let mut stream = Stream::new(BufWriter::new(child.stdin.take().expect("a pipe")));
        stream.history(shape);
        drop(stream);
        assert!(child.wait().expect("git fast-import").success());
        output(&folder, &["gc", "--quiet"]);
        // fast-import makes each version of a file from the one before. git itself begins with the newest.
        output(&folder, &["repack", "-adfq"]);
        output(&folder, &["reset", "-q", "--mixed"]);
        output(&folder, &["checkout", "--", TREE]);
        std::fs::write(ready, "").expect("a mark");
    }
    folder
}

/// Writes what `git fast-import` reads.
struct Stream<W: Write> {
    to: W,
    time: u64,
    dice: u64,
    branch: &'static str,
    /// The descriptions of all tasks.
    descriptions: Vec<String>,
    /// What the next commit merges.
    merge: Option<&'static str>,
}

impl<W: Write> Stream<W> {
    fn new(to: W) -> Self {
        Self {
            to,
            time: 1_600_000_000,
            dice: 0x2545_f491_4f6c_dd1d,
            branch: "main",
            descriptions: Vec::new(),
            merge: None,
        }
    }

    fn history(&mut self, shape: &Shape) {
        for number in 0..shape.older {
            let body = self.words(20);
            let file = format!("src/module{}/file{}.rs", self.below(20), self.below(25));
            let content = self.words(60);
            self.commit(&format!("Change number {number}\n\n{body}"), &[(&file, &content)]);
        }
        self.descriptions = (0..shape.tasks).map(|_| self.words(shape.words)).collect();
        self.commit("Add task tree", &[(TREE, &tree(&self.descriptions))]);
        for task in 0..shape.tasks {
            if shape.branches == Branches::PerPhase && task % TASKS_A_PHASE == 0 {
                self.merge_and_begin_branch();
            }
            self.task(task);
            if (task + 1) * shape.edits / shape.tasks > task * shape.edits / shape.tasks {
                self.edit(shape.tasks, task);
            }
        }
        if shape.branches == Branches::PerPhase {
            self.merge_and_begin_branch();
        }
    }

    /// Another description of the task that comes next.
    fn edit(&mut self, tasks: usize, task: usize) {
        self.descriptions[(task + 1) % tasks] = self.words(30);
        let plan = tree(&self.descriptions);
        self.commit("Edit the plan", &[(TREE, &plan)]);
    }

    /// The four commits of a task that goes well.
    fn task(&mut self, task: usize) {
        let title = format!("\"Build part {task} of the thing\"");
        let stamp = format!("20261120T{:06}", task % 240_000);
        self.implement(task, &title);
        self.test(task, &title);
        self.review(task, &title, &stamp);
        self.complete(task, &title, &stamp);
    }

    fn implement(&mut self, task: usize, title: &str) {
        let name = task_name(task);
        let file = format!("src/module{}/file{}.rs", self.below(20), self.below(25));
        let test = format!("tests/test{}.rs", self.below(100));
        let (code, checks, printed) = (self.words(150), self.words(80), self.words(180));
        let message = format!(
            "task({name}): implement {title}\n\nRunner output (truncated to 2000 chars):\n\n{printed}\n\n\
             Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\nArborist-Runner: claude\n\
             Arborist-Duration: 93.4\n"
        );
        self.commit(&message, &[(&file, &code), (&test, &checks)]);
    }

    fn test(&mut self, task: usize, title: &str) {
        let (name, printed) = (task_name(task), self.words(100));
        let message = format!(
            "task({name}): tests pass for {title}\n\nTest (unit) stdout (last 1000 chars):\n\n{printed}\n\n\
             Arborist-Step: test\nArborist-Test: pass\nArborist-Retry: 0\nArborist-Test-Type: unit\n\
             Arborist-Test-Passed: 42\nArborist-Test-Failed: 0\nArborist-Test-Skipped: 0\n\
             Arborist-Test-Runtime: 3.201\n"
        );
        self.commit(&message, &[]);
    }

    fn review(&mut self, task: usize, title: &str, stamp: &str) {
        let (name, review) = (task_name(task), self.words(80));
        let log = format!("spec/logs/{name}_review_{stamp}.log");
        let message = format!(
            "task({name}): review approved for {title}\n\nReview:\n\n{review}\nAPPROVED\n\n\
             Arborist-Step: review\nArborist-Review: approved\nArborist-Retry: 0\nArborist-Review-Log: {log}\n"
        );
        // Few names: a folder that only grows would take fast-import longer than all the rest.
        self.commit(&message, &[(&format!("spec/logs/{}.log", task % 500), &review)]);
    }

    fn complete(&mut self, task: usize, title: &str, stamp: &str) {
        let name = task_name(task);
        let report = format!("spec/reports/{name}_run_{stamp}.json");
        let message = format!(
            "task({name}): complete {title}\n\nCompleted after 1 attempt(s). Report: {report}\n\n\
             Arborist-Step: complete\nArborist-Result: pass\nArborist-Report: {report}\n"
        );
        let content = format!("{{\"task_id\": \"{name}\", \"result\": \"pass\", \"retries\": 0}}");
        self.commit(&message, &[(&format!("spec/reports/{}.json", task % 500), &content)]);
    }

    /// Merges the branch that commits go to into `main`, where something else was done meanwhile, and begins another.
    fn merge_and_begin_branch(&mut self) {
        if self.branch != "main" {
            let done = std::mem::replace(&mut self.branch, "main");
            self.commit("Something else", &[("other", &self.time.to_string())]);
            self.merge = Some(done);
            self.commit("Merge a phase", &[]);
        }
        self.branch = "phase";
        self.to
            .write_all(b"reset refs/heads/phase\nfrom refs/heads/main\n\n")
            .expect("git fast-import reads");
    }

    fn commit(&mut self, message: &str, files: &[(&str, &str)]) {
        self.time += 60;
        let person = format!("Gardener <gardener@example.com> {} +0000", self.time);
        let mut text = format!("commit refs/heads/{}\nauthor {person}\ncommitter {person}\n", self.branch);
        text += &format!("data {}\n{message}\n", message.len());
        if let Some(branch) = self.merge.take() {
            text += &format!("merge refs/heads/{branch}\n");
        }
        for (path, content) in files {
            text += &format!("M 100644 inline {path}\ndata {}\n{content}\n", content.len());
        }
        self.to.write_all(text.as_bytes()).expect("git fast-import reads");
    }

    fn below(&mut self, limit: usize) -> usize {
        self.dice ^= self.dice << 13;
        self.dice ^= self.dice >> 7;
        self.dice ^= self.dice << 17;
        (self.dice >> 33) as usize % limit
    }

    /// Lines of words, of which some are often there and some hardly ever.
    fn words(&mut self, count: usize) -> String {
        const OFTEN: [&str; 24] = [
            "the", "of", "test", "ok", "file", "changed", "error", "in", "module", "added", "a", "function",
            "passed", "line", "now", "returns", "value", "config", "parser", "with", "when", "fixed",
            "handler", "and",
        ];
        let mut text = String::new();
        for number in 0..count {
            match self.below(4) {
                0 => text += &format!("{:x}", self.below(1 << 24)),
                _ => text += OFTEN[self.below(OFTEN.len())],
            }
            text.push(if number % 12 == 11 { '\n' } else { ' ' });
        }
        text.trim_end().to_owned()
    }
}

/// A task tree with a leaf for each of these descriptions.
fn tree(descriptions: &[String]) -> String {
    let tasks = descriptions.len();
    let mut nodes = Vec::new();
    for phase in 0..tasks.div_ceil(TASKS_A_PHASE) {
        let leaves = phase * TASKS_A_PHASE..tasks.min((phase + 1) * TASKS_A_PHASE);
        let id = phase_of(phase * TASKS_A_PHASE);
        let children: Vec<_> = leaves.clone().map(|task| format!("\"{}\"", task_name(task))).collect();
        nodes.push(format!(
            "\"{id}\": {{\"id\": \"{id}\", \"name\": \"Phase {phase}\", \"children\": [{}]}}",
            children.join(", ")
        ));
        for task in leaves {
            let name = task_name(task);
            let description = match descriptions[task].as_str() {
                "" => String::new(),
                words => format!(", \"description\": \"{}\"", words.replace('\n', "\\n")),
            };
            nodes.push(format!(
                "\"{name}\": {{\"id\": \"{name}\", \"name\": \"Build part {task}\", \"parent\": \"{id}\"{description}}}"
            ));
        }
    }
    format!("{{\"spec_id\": \"bench\", \"nodes\": {{\n{}\n}}}}\n", nodes.join(",\n"))
}
