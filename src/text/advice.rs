//! The commands that messages advise: each is a value, and is made here, so that no message can name a command or an option
//! that does not exist. A test parses each of them as the program does.
//!
//! Words in capitals, such as `WHY`, are for the user to fill in.

use std::fmt;
use std::sync::OnceLock;

use super::shell_word;

/// The plan that was chosen on the command line, as it was written there.
static PLAN: OnceLock<String> = OnceLock::new();

/// Commands that work without a plan.
const WITHOUT_PLAN: [&str; 6] = ["demo", "help", "hooks", "init", "mcp", "stop"];

/// Everything that is advised from now on is about this plan, which was chosen on the command line, and so has to be chosen again. The
/// first call decides.
pub(crate) fn is_about_plan(tree: &str) {
    let _ = PLAN.set(tree.to_owned());
}

/// A command that a message advises. In a sentence, it is between backticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    words: Vec<String>,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.line())
    }
}

impl Advice {
    /// The command as it is typed.
    #[must_use]
    pub fn line(&self) -> String {
        self.line_about(PLAN.get().map(String::as_str))
    }

    fn line_about(&self, plan: Option<&str>) -> String {
        let has = |options: &[&str]| self.words.iter().any(|word| options.contains(&word.as_str()));
        let needs_plan = !self.words.first().is_some_and(|name| WITHOUT_PLAN.contains(&name.as_str()));
        let plan = plan.filter(|_| needs_plan && !has(&["--tree", "--help", "-h"]));
        let words = self.words.iter().map(String::as_str);
        let words = words.chain(plan.into_iter().flat_map(|plan| ["--tree", plan]));
        let words: Vec<String> = words.map(shell_word).collect();
        format!("git arborist {}", words.join(" "))
    }

    /// The name of the command, and what follows it.
    #[cfg(test)]
    pub(crate) fn words(&self) -> &[String] {
        &self.words
    }

    /// The same run, which neither tries failed tasks again nor ends at a failure.
    #[must_use]
    pub(crate) fn past_failures(mut self) -> Self {
        self.words.retain(|word| word != "--failed" && word != "--stop-on-failure");
        self
    }

    /// The run that tries failed tasks again: `autopilot` does so by itself, and one that follows a request never does.
    #[must_use]
    pub(crate) fn trying_failed(self) -> Self {
        match self.words.first().map(String::as_str) {
            Some("gardener") => self.failed(),
            Some("autopilot") if !self.words.iter().any(|word| word.starts_with("--follow")) => self,
            _ => gardener().failed(),
        }
    }

    /// The same command with more words.
    #[must_use]
    pub(crate) fn of(mut self, arguments: impl IntoIterator<Item = impl fmt::Display>) -> Self {
        self.words.extend(arguments.into_iter().map(|argument| argument.to_string()));
        self
    }
}

/// Defines a function for each command, and a list of all of them with examples as arguments.
macro_rules! commands {
    ($($name:ident($($argument:ident),*) = $($word:expr),+;)+) => {
        $(#[must_use]
        pub(crate) fn $name($($argument: impl fmt::Display),*) -> Advice {
            Advice { words: vec![$($word.to_string()),+] }
        })+

        /// Every command, with examples as arguments.
        #[cfg(test)]
        pub(crate) fn all() -> Vec<Advice> {
            vec![$($name($(example(stringify!($argument))),*)),+]
        }
    };
}

/// Defines a method for each option of a run that a command can be given in addition. An option that is there already stays.
macro_rules! options {
    ($($name:ident($($value:ident),*) = $option:literal;)+) => {
        impl Advice {
            $(#[must_use]
            pub(crate) fn $name(mut self $(, $value: impl fmt::Display)*) -> Self {
                if !self.words.iter().any(|word| word == $option) {
                    self.words.extend([$option.to_owned() $(, $value.to_string())*]);
                }
                self
            })+
        }

        /// A run with each of these options.
        #[cfg(test)]
        pub(crate) fn runs() -> Vec<Advice> {
            vec![$(gardener().$name($(example(stringify!($value))),*)),+]
        }
    };
}

options! {
    base(commit) = "--base";
    branches(mode) = "--branches";
    failed() = "--failed";
    gate(when) = "--gate";
    jobs(number) = "--jobs";
    max_cost(number) = "--max-cost";
    max_tasks(number) = "--max-tasks";
    max_time(number) = "--max-time";
    max_tokens(number) = "--max-tokens";
    stop_on_failure() = "--stop-on-failure";
}

/// An argument of this name that any command accepts.
#[cfg(test)]
fn example(argument: &str) -> &'static str {
    match argument {
        "command" => "status",
        "topic" => "config",
        "runner" => "codex",
        "engine" => "slurm",
        "format" => "checklist",
        "hook" => "commit-msg",
        "mode" => "task",
        "number" => "2",
        "rule" => "all",
        "when" => "phase",
        "range" => "A..B",
        "commit" | "what" => "HEAD",
        _ => "T001",
    }
}

commands! {
    approve(task) = "mark", "approve", task;
    autopilot(task) = "autopilot", task;
    build(file) = "build", file;
    build_expand(task) = "build", "--expand", task;
    build_planner(runner, files) = "build", "--planner", runner, files;
    build_tick() = "build", "--tick";
    build_tag(tag) = "build", "--tag", tag;
    build_update() = "build", "--update";
    build_update_adopt() = "build", "--update", "--commit", "--adopt-done";
    build_update_same(tasks) = "build", "--update", "--same", tasks;
    build_update_test_command() = "build", "--update", "--test-command", "CMD";
    build_update_yes() = "build", "--update", "--yes";
    check() = "check";
    check_range(range) = "check", range;
    check_run() = "check", "--run";
    command(command) = command;
    complete(task) = "mark", "complete", task, "-m", "WHY";
    demo() = "demo";
    doctor() = "doctor";
    doctor_agents() = "doctor", "agents";
    doctor_agents_probe() = "doctor", "agents", "--probe";
    doctor_fix() = "doctor", "--fix";
    doctor_probe() = "doctor", "--probe";
    doctor_unlock() = "doctor", "--unlock";
    done(task) = "done", task;
    done_any() = "done";
    done_range(task, range) = "done", task, range;
    explain(rule) = "check", "--explain", rule;
    export_check(engine) = "export", "--to", engine, "--check";
    garden(task) = "garden", task;
    garden_any() = "garden";
    gardener() = "gardener";
    gardener_dry_run() = "gardener", "--dry-run";
    gardener_failed() = "gardener", "--failed";
    gardener_json() = "gardener", "--json";
    help(topic) = "help", topic;
    help_all() = "help", "-a";
    help_of(command) = command, "--help";
    hooks_install() = "hooks", "install";
    hooks_install_global() = "hooks", "install", "--global";
    hooks_uninstall() = "hooks", "uninstall";
    init() = "init";
    init_man() = "init", "man", "completions", "--prefix", "DIR";
    init_plan() = "init", "--plan", "FILE";
    init_suite() = "init", "--suite", "COMMAND";
    init_yes() = "init", "--yes";
    integrate() = "integrate";
    integrate_by_request() = "integrate", "--remote", "REMOTE", "--to", "pull-request";
    land() = "land";
    landed(commit) = "mark", "landed", commit;
    mcp() = "mcp";
    next_all() = "next", "--all";
    next_unit() = "next", "--json";
    note(task) = "note", task, "-m", "TEXT";
    options_of(command) = command, "-h";
    pr() = "pr";
    pr_of(task) = "pr", task;
    prove() = "prove";
    prove_one(what) = "prove", what;
    prune() = "prune";
    prune_all_runs() = "prune", "--all-runs";
    prune_dry_run() = "prune", "--dry-run";
    reject(task) = "mark", "reject", task, "-m", "WHY";
    reopen(task) = "mark", "reopen", task, "-m", "WHY";
    reopen_any(task) = "mark", "reopen", task;
    raw(task) = "show", task, "--raw";
    report_json() = "report", "--format", "json";
    report_json_of(task) = "report", "--format", "json", task;
    rescue() = "rescue";
    rescue_apply(what) = "rescue", "apply", what;
    rescue_drop(what) = "rescue", "drop", what;
    rescue_list() = "rescue", "list";
    rescue_show(what) = "rescue", "show", what;
    resume() = "autopilot", "--resume";
    show(task) = "show", task;
    show_config() = "init", "--show-config";
    status() = "status";
    status_all() = "status", "--all";
    status_of_tree() = "status", "--tree", "FILE";
    stop() = "stop";
    stop_now() = "stop", "--now";
    watch() = "status", "--watch";
    watch_remote(remote, branch) = "status", "--remote", remote, "--branch", branch, "--watch";
    work(task) = "work", task, "--remote", "REMOTE";
    work_any(remote) = "work", "--remote", remote;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_names_the_plan_that_was_chosen_on_the_command_line() {
        let cases = [
            (gardener(), "gardener --tree 'my plans/p 2.json'"),
            (note("B"), "note B -m TEXT --tree 'my plans/p 2.json'"),
            (status_of_tree(), "status --tree FILE"),
            (help("config"), "help config"),
            (options_of("gardener"), "gardener -h"),
        ];
        for (advice, expected) in cases {
            assert_eq!(advice.line_about(Some("my plans/p 2.json")), format!("git arborist {expected}"));
        }
        assert_eq!(gardener().line_about(None), "git arborist gardener");
    }
}
