//! Tests the completions in the real shells.

use std::path::Path;
use std::process::Command;

use crate::support::cli::{Story, arborist};
use crate::support::repo::{Repo, command};
use crate::support::skip::{has, missing};

/// A plan with a name that a shell must not execute.
const PLAN: &str = r#"{"spec_id": "p", "nodes": {
    "phase1": {"id": "phase1", "name": "All of it", "children": ["T001", "T002"]},
    "T001": {"id": "T001", "name": "Create the schema", "parent": "phase1"},
    "T002": {"id": "T002", "name": "Run $(touch evil) `touch evil`; touch evil", "parent": "phase1"}}}"#;

/// A repository with a plan, and a prefix with the completions and our programs.
struct Shells {
    repo: Repo,
    prefix: tempfile::TempDir,
}

impl Shells {
    fn new() -> Self {
        let (repo, _) = Story::of(PLAN).told(0);
        let prefix = tempfile::tempdir().unwrap();
        let place = prefix.path().to_str().unwrap();
        arborist(repo.path(), &["init", "completions", "--prefix", place]).answer();
        repo.git(&["branch", "x$(touch${IFS}evil)"]);
        repo.git(&["remote", "add", "origin", "https://example.com/$(touch${IFS}evil).git"]);
        repo.git(&["remote", "add", "upstream", "../elsewhere"]);
        Self { repo, prefix }
    }

    /// A shell in the repository that finds the completions, and nothing of this user.
    fn shell(&self, program: &str) -> Command {
        let own = Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().unwrap().to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(own).chain(std::env::split_paths(&path));
        // A shell that waits for something is ended.
        let mut shell = command(self.repo.path(), "timeout");
        shell.args(["120", program]).env("PATH", std::env::join_paths(folders).unwrap());
        shell.env("XDG_DATA_HOME", self.prefix.path().join("share")).env("HOME", self.prefix.path());
        shell.env("LC_ALL", "C.UTF-8").env("TERM", "dumb").env_remove("XDG_CONFIG_HOME");
        shell
    }

    fn nothing_was_executed(&self) {
        assert!(!self.repo.path().join("evil").exists(), "a shell has executed what it was to show");
    }
}

/// A command line, and words of which the answer has all that follow it and none that does not begin with it.
const CASES: [(&str, &[&str], &[&str]); 14] = [
    ("git arborist work --remote ", &["origin", "upstream"], &["T001"]),
    ("git arborist integrate --remote u", &["upstream"], &["origin"]),
    ("git arborist st", &["status", "stop"], &["init"]),
    ("git arborist ", &["init", "gardener", "help"], &["__complete", "--help"]),
    ("git arborist status --", &["--short", "--json"], &["--dry-run"]),
    ("git arborist show T", &["T001", "T002"], &["phase1"]),
    ("git arborist show ", &["T001", "phase1"], &["evil"]),
    ("git arborist garden ", &["T001", "T002"], &["phase1"]),
    ("git arborist garden --runner cl", &["claude", "cline"], &["codex"]),
    ("git arborist rescue ", &["list", "drop"], &["help"]),
    ("git arborist check --explain A00", &["A001", "A008"], &["A010"]),
    ("git arborist help c", &["check", "config"], &["status"]),
    ("git-arborist st", &["status", "stop"], &["init"]),
    ("git-arborist-status --s", &["--short"], &["--json"]),
];

#[track_caller]
fn fits(line: &str, answer: &str, wanted: &[&str], unwanted: &[&str]) {
    let has = |word: &str| answer.lines().any(|line| line.split_whitespace().next() == Some(word));
    for word in wanted {
        assert!(has(word), "{line}<TAB> must offer {word}:\n{answer}");
    }
    for word in unwanted {
        assert!(!has(word), "{line}<TAB> must not offer {word}:\n{answer}");
    }
}

#[test]
fn bash_completes_below_git_and_for_the_programs_themselves() {
    const SCRIPT: &str = r#"
        . /usr/share/bash-completion/bash_completion
        line=$1 COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=$2 COMP_KEY=9
        read -ra COMP_WORDS <<<"$line"
        [[ $line == *' ' ]] && COMP_WORDS+=('')
        COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
        COMPREPLY=()
        complete -p "${COMP_WORDS[0]}" >/dev/null 2>&1 || _completion_loader "${COMP_WORDS[0]}"
        registered=$(complete -p "${COMP_WORDS[0]}")
        function=${registered##*-F }
        "${function%% *}" "${COMP_WORDS[0]}" "${COMP_WORDS[COMP_CWORD]}" ""
        printf '%s\n' "${COMPREPLY[@]}"
    "#;
    // The completions of git come with git, those that load them with another package.
    let is_there = |file: &str| Path::new("/usr/share/bash-completion").join(file).exists();
    if !has("bash") {
        return;
    }
    if !is_there("bash_completion") || !is_there("completions/git") {
        return missing("bash-completion is not installed");
    }
    let shells = Shells::new();
    let press = |line: &str, kind: &str| {
        let output =
            shells.shell("bash").args(["--norc", "-c", SCRIPT, "bash", line, kind]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    for (line, wanted, unwanted) in CASES {
        fits(line, &press(line, "9"), wanted, unwanted);
    }
    // The names of tasks appear when bash lists what is possible.
    assert!(press("git arborist show T", "63").contains("T001  (Create the schema)\n"));
    let elsewhere = format!("git -C {} arborist show T", shells.repo.path().display());
    fits(&elsewhere, &press(&elsewhere, "9"), &["T001"], &[]);
    let reference = press("git arborist prove x", "9");
    assert_eq!(reference.trim(), r"x\$\(touch\$\{IFS\}evil\)");
    shells.nothing_was_executed();
}

#[test]
fn fish_completes_below_git_and_for_the_programs_themselves() {
    if !has("fish") {
        return;
    }
    let shells = Shells::new();
    for (line, wanted, unwanted) in CASES {
        let output = shells.shell("fish").args(["-c", &format!("complete -C '{line}'")]).output().unwrap();
        let answer = String::from_utf8(output.stdout).unwrap();
        fits(line, &answer, wanted, unwanted);
        if line == "git arborist show T" {
            assert!(answer.contains("T001\tCreate the schema\n"), "{answer}");
        }
    }
    shells.nothing_was_executed();
}

#[test]
fn zsh_completes_below_git_and_for_the_programs_themselves() {
    // The prompt shows that zsh reads keys. What is typed after the tab key waits until it has listed the possibilities.
    const SCRIPT: &str = r#"
        zmodload zsh/zpty || exit 77
        zpty shell zsh -f -i
        zpty -w shell "fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -d $2"
        zpty -w shell 'stty columns 200 rows 60 -echo; LISTMAX=0; setopt noautomenu; PS1="REA""DY>"'
        zpty -r -m shell shown '*READY>*'
        zpty -n -w shell "$3"$'\t\t'
        zpty -w shell $'\C-uprint "DO""NE"'
        zpty -r -m shell shown '*DONE*'
        print -r -- $shown
    "#;
    if !has("zsh") {
        return;
    }
    let shells = Shells::new();
    let functions = shells.prefix.path().join("share/zsh/site-functions");
    for (line, wanted, unwanted) in CASES {
        let mut zsh = shells.shell("zsh");
        zsh.args(["-f", "-c", SCRIPT, "zsh"])
            .arg(&functions)
            .arg(shells.prefix.path().join("dump"))
            .arg(line);
        let output = zsh.output().unwrap();
        if output.status.code() == Some(77) {
            return missing("this zsh has no zpty");
        }
        let shown =
            String::from_utf8_lossy(&output.stdout).replace(['\r', '\u{7}'], "\n").replace("  ", "\n");
        // Escape sequences, and the line itself in which the only possibility is inserted.
        let bare: String = shown
            .split('\u{1b}')
            .map(|part| part.trim_start_matches(|c: char| "[0123456789;?".contains(c)))
            .map(|part| part.get(1..).unwrap_or(""))
            .collect::<Vec<_>>()
            .join("\n");
        let answer = bare.replace(line.rsplit_once(' ').map_or(line, |(before, _)| before), "\n");
        fits(line, &answer, wanted, unwanted);
        if line == "git arborist show T" {
            assert!(shown.contains("Create the schema"), "{shown}");
        }
    }
    shells.nothing_was_executed();
}
