//! Tests that a hook reads the same trailers from the message file as git from the resulting commit.

use std::fs;

use crate::support::sandbox::Sandbox;

/// A repository whose `commit-msg` hook writes down what `check --parse` reads.
fn recording() -> Sandbox {
    let sandbox = Sandbox::with_repo();
    let record = sandbox.root().join("read");
    sandbox.script(
        &sandbox.hook_path("commit-msg"),
        &format!("exec git-arborist-check --parse \"$1\" > '{}'", record.display()),
    );
    fs::write(sandbox.home().join(".gitconfig"), "[advice]\n\tmergeConflict = false\n").unwrap();
    sandbox
}

/// What the hook read last, and what git reads from `HEAD`.
#[track_caller]
fn compare(sandbox: &Sandbox, case: &str) -> usize {
    let read = fs::read_to_string(sandbox.root().join("read")).unwrap_or_default();
    let by_hook: Vec<String> = read
        .lines()
        .map(|line| {
            let pair: serde_json::Value = serde_json::from_str(line).unwrap();
            format!("{}: {}", pair["key"].as_str().unwrap(), pair["value"].as_str().unwrap())
        })
        .collect();
    let by_git = sandbox.git(&["log", "-1", "--format=%(trailers:only,unfold)"]).ok().out;
    let by_git: Vec<&str> = by_git.lines().filter(|line| !line.is_empty()).collect();
    let message = sandbox.git(&["log", "-1", "--format=%B"]).out;
    assert_eq!(by_hook, by_git, "{case}\n{message}");
    fs::remove_file(sandbox.root().join("read")).unwrap();
    by_git.len()
}

/// Whether this git knows `core.commentString`, as it does from 2.45 on; older ones ignore it.
fn git_has_comment_strings(sandbox: &Sandbox) -> bool {
    let has = sandbox.git(&["help", "--config"]).out.lines().any(|line| line == "core.commentString");
    if !has {
        println!("not tried: this git has no core.commentString");
    }
    has
}

/// Message files that are read as by git only if the prediction is right.
const FILES: &[&str] = &[
    "task(T1): x\n\nbody\n\nArborist-Step: implement\nArborist-Retry: 0\n",
    "\n\n  task(T1): x\n\n\nbody  \n\n\n\nArborist-Step: implement  \n  \n\n",
    "# comment\ntask(T1): x\n\nbody\n# inside\n\nArborist-Step: implement\n# below\n folded\n",
    "task(T1): x\n\nArborist-Step: implement\n\n# Arborist-Retry: 0\n",
    "task(T1): x\n\nbody\n#comment\nArborist-Step: implement\n",
    "task(T1): x\n\nbody\n# ------------------------ >8 ------------------------\n\nArborist-Step: implement\n",
    "task(T1): x\n\nArborist-Step: implement\n# ------------------------ >8 ------------------------\nArborist-Retry: 0\n",
    "task(T1): x\n\nArborist-Step: implement\n\n--- a/file\n+++ b/file\n\nArborist-Retry: 0\n",
    "task(T1): x\r\n\r\nArborist-Step: implement\r\nArborist-Retry: 0\r\n",
    "task(T1): x\n\nArborist-Step: implement\nprose\n",
    "task(T1): x\n;comment\n\n;another\nArborist-Step: implement\n",
];

/// An editor that puts a message above git's template.
const PUT_ABOVE: &str = "cat \"$HOME/text\" \"$1\" > \"$1.new\" && mv \"$1.new\" \"$1\"";

#[test]
fn the_hook_reads_the_same_trailers_as_git_from_the_commit() {
    assert!(compared(WAYS_EACH) > 60, "these trailers are too few to prove anything");
}

#[test]
#[ignore = "takes ten seconds"]
fn the_hook_reads_the_same_trailers_as_git_from_every_message_committed_in_every_way() {
    assert!(compared(usize::MAX) > 150, "these trailers are too few to prove anything");
}

/// The number of ways in which the suite commits each message. The next message continues with the next ways.
const WAYS_EACH: usize = 10;

/// Commits every message in this many ways, compares the trailers, and returns their number.
fn compared(ways: usize) -> usize {
    std::thread::scope(|scope| {
        let numbers: Vec<usize> = (0..FILES.len()).collect();
        let parts: Vec<_> = numbers
            .chunks(3)
            .map(|part| {
                let part = part.to_vec();
                scope.spawn(move || trailers_read_from(&part, ways))
            })
            .collect();
        parts.into_iter().map(|part| part.join().unwrap()).sum()
    })
}

/// Commits the messages with these numbers, each in at most `most` ways, and returns the number of trailers.
fn trailers_read_from(numbers: &[usize], most: usize) -> usize {
    let sandbox = recording();
    let text = sandbox.home().join("text");
    let file = text.to_str().unwrap().to_owned();
    let ways: &[(&str, &[&str])] = &[
        ("-F", &["-F", &file]),
        ("editor", &[]),
        ("-v", &["-v"]),
        ("-v -v", &["-v", "-v"]),
        ("--no-status", &["--no-status"]),
        ("--cleanup=scissors", &["--cleanup=scissors"]),
        ("--cleanup=scissors -v", &["--cleanup=scissors", "-v"]),
        ("--cleanup=strip, editor", &["--cleanup=strip"]),
        ("--amend", &["--amend"]),
        ("--amend -F", &["--amend", "-F", &file]),
        ("-F -e", &["-F", &file, "-e"]),
        ("-t", &["-t", &file]),
        ("commit.cleanup=whitespace", &["-F", &file]),
        ("commit.cleanup=scissors", &[]),
        ("commit.verbose=true", &["-F", &file]),
        ("commit.cleanup=verbatim", &["-F", &file]),
        ("core.commentChar=;", &[]),
        ("core.commentChar=auto", &[]),
        ("core.commentChar=auto ", &["-F", &file, "-e"]),
        ("core.commentChar=auto ", &["-F", &file, "-e", "-v"]),
        ("core.commentChar=auto ", &["-F", &file, "-e", "--no-status"]),
        ("core.commentChar=AUTO ", &["-t", &file]),
        ("core.commentChar=auto ", &["--amend"]),
        ("core.commentChar=auto ", &["--cleanup=scissors"]),
        ("core.commentString=auto ", &["--amend", "-v"]),
        ("core.commentString=//", &[]),
        ("core.commentString=//", &["-v"]),
        ("core.commentString=#:", &["-F", &file, "-e", "-v"]),
    ];
    let mut trailers = 0;
    let strings = git_has_comment_strings(&sandbox);
    sandbox.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", "first"]).ok();
    for number in numbers {
        let message = FILES[*number];
        fs::write(&text, message).unwrap();
        let possible = |name: &str| strings || !name.starts_with("core.commentString");
        let turn =
            ways.iter().cycle().skip(number.wrapping_mul(most) % ways.len()).take(most.min(ways.len()));
        for (name, args) in turn.filter(|(name, _)| possible(name)) {
            let (config, args): (Vec<&str>, Vec<&str>) = match name.split_once('=') {
                Some(_) if !name.starts_with('-') => {
                    let (key, value) = name.split_once('=').unwrap();
                    sandbox.git(&["config", key, value.trim()]).ok();
                    (vec![key], args.to_vec())
                }
                _ => (Vec::new(), args.to_vec()),
            };
            let commit = ["commit", "-q", "--allow-empty"].into_iter().chain(args).collect::<Vec<_>>();
            let editor =
                if commit.contains(&"-e") || commit.contains(&"-t") { "echo >> \"$1\"" } else { PUT_ABOVE };
            let editor = if name.starts_with("core.commentChar") && !name.ends_with(' ') {
                // What is a comment for git must be none of the message's own lines.
                "grep -v '^[;#]' \"$HOME/text\" > \"$HOME/t\"; cat \"$HOME/t\" \"$1\" > \"$1.new\"; mv \"$1.new\" \"$1\""
            } else {
                editor
            };
            let said = sandbox.git_with_editor(editor, &commit);
            for key in config {
                sandbox.git(&["config", "--unset", key]).ok();
            }
            // A template that nobody changed is refused by git itself.
            if said.status == 0 {
                trailers += compare(&sandbox, &format!("{name}: {message:?}"));
            } else {
                assert!(said.err.contains("Aborting") || *name == "-t", "{name}: {said:?}");
            }
        }
    }
    trailers
}

#[test]
fn the_hook_agrees_with_git_in_merges_reworded_commits_and_after_conflicts() {
    let sandbox = recording();
    let message = "task(T1): x\n\n# a comment line\nbody\n\nArborist-Step: implement\nArborist-Retry: 0\n";
    fs::write(sandbox.home().join("text"), message).unwrap();
    sandbox.write("a", "1");
    sandbox.git(&["add", "a"]).ok();
    sandbox.git(&["commit", "-q", "--no-verify", "-m", "first"]).ok();
    sandbox.git(&["switch", "-q", "-c", "other"]).ok();
    sandbox.write("b", "1");
    sandbox.git(&["add", "b"]).ok();
    sandbox.git(&["commit", "-q", "--no-verify", "-m", "other"]).ok();
    sandbox.git(&["switch", "-q", "main"]).ok();
    sandbox.write("c", "1");
    sandbox.git(&["add", "c"]).ok();
    sandbox.git(&["commit", "-q", "--no-verify", "-m", "mine"]).ok();

    sandbox.git(&["merge", "-q", "--no-ff", "-m", message, "other"]).ok();
    assert_eq!(compare(&sandbox, "merge -m"), 2);
    sandbox.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
    sandbox.git_with_editor(PUT_ABOVE, &["merge", "-q", "--no-ff", "-e", "other"]).ok();
    assert_eq!(compare(&sandbox, "merge -e"), 0);
    sandbox.git(&["reset", "-q", "--hard", "HEAD~"]).ok();

    let reword = "case \"$1\" in *todo) sed -i s/^pick/reword/ \"$1\";; *) cat \"$HOME/text\" \"$1\" > \"$1.n\"; mv \"$1.n\" \"$1\";; esac";
    sandbox
        .git_with_editor(&format!("{reword}\nexport GIT_SEQUENCE_EDITOR"), &["rebase", "-q", "-i", "HEAD~"])
        .ok();
    compare(&sandbox, "reword");

    for what in ["merge", "cherry-pick", "revert"] {
        conflict(&sandbox, what);
        sandbox.git(&["add", "-A"]).ok();
        sandbox.git(&["commit", "-q", "--no-edit"]).ok();
        compare(&sandbox, &format!("{what}, then commit --no-edit"));
        conflict(&sandbox, what);
        sandbox.git(&["add", "-A"]).ok();
        sandbox.git_with_editor(PUT_ABOVE, &[what, "--continue"]).ok();
        compare(&sandbox, &format!("{what} --continue"));
    }
}

/// Ends in a conflict.
fn conflict(sandbox: &Sandbox, what: &str) {
    let count = sandbox.git(&["rev-list", "--count", "--all"]).out;
    let name = format!("side{}", count.trim());
    sandbox.git(&["switch", "-q", "-c", &name]).ok();
    sandbox.write("a", format!("theirs {count}"));
    let message = "task(T2): y\n\nArborist-Step: test\nArborist-Retry: 0\n";
    sandbox.git(&["commit", "-q", "--no-verify", "-a", "-m", message]).ok();
    sandbox.git(&["switch", "-q", "main"]).ok();
    sandbox.write("a", format!("mine {count}"));
    sandbox.git(&["commit", "-q", "--no-verify", "-a", "-m", "mine"]).ok();
    sandbox.git(&[what, &name]).refused();
    sandbox.write("a", format!("both {count}"));
}
