//! Tests plans that cannot be built: the error names file, line, cause and remedy, and nothing is written.

use crate::support::garden::Garden;

/// A row of the table: the files, the arguments after `build`, and what the error says.
struct Row<'a> {
    files: &'a [(&'a str, &'a [u8])],
    args: &'a [&'a str],
    says: &'a [&'a str],
}

#[track_caller]
fn check(what: &str, rows: &[Row<'_>]) {
    for Row { files, args, says } in rows {
        let garden = Garden::empty();
        garden.git(&["init", "-q"]);
        for (path, bytes) in *files {
            let file = garden.top().join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, bytes).unwrap();
        }
        let ended = garden.run(&[&["build"], *args].concat());
        assert_eq!((ended.status, ended.stdout.as_str()), (2, ""), "{what}: {args:?}: {ended:?}");
        for words in *says {
            assert!(ended.stderr.contains(words), "{what}: {words}: {ended:?}");
        }
        // What is wrong, and then what to do.
        let (what, remedy) = ended.stderr.trim_end().rsplit_once('\n').expect("there is a remedy");
        assert!(
            what.starts_with("error: ") && remedy.ends_with(['.', '?']) || remedy.contains("git arborist"),
            "{ended:?}"
        );
        assert!(!garden.exists("task-tree.json"), "{what}");
    }
}

const PLAN: &[u8] = b"## Phase 1: One\n\n- [ ] T001 Write it\n";
const PRD: &[u8] = br#"{"userStories": [{"id": "US-1", "title": "Write it", "priority": 1}]}"#;

#[test]
fn an_unknown_format() {
    check(
        "an unknown format",
        &[
            Row {
                files: &[("notes.txt", b"Only words.\n")],
                args: &["notes.txt"],
                says: &["notes.txt is not a plan of a known format", "git arborist help build", "--planner"],
            },
            Row {
                files: &[("data.json", b"{\"a\": 1}\n")],
                args: &["data.json"],
                says: &["data.json is not a plan of a known format", "git arborist help build"],
            },
            Row {
                files: &[("notes.md", b"Only words.\n")],
                args: &[],
                says: &["there is no plan of a known format", "git arborist build FILE"],
            },
        ],
    );
}

#[test]
fn mixed_formats() {
    check(
        "mixed formats",
        &[
            Row {
                files: &[("spec/tasks.md", PLAN), ("prd.json", PRD)],
                args: &["spec/tasks.md", "prd.json"],
                says: &["different formats", "spec/tasks.md is arborist, prd.json is ralph", "--from"],
            },
            Row {
                files: &[
                    (".kiro/specs/a/tasks.md", b"- [ ] 1. A\n"),
                    ("openspec/changes/b/tasks.md", b"- [ ] 1.1 B\n"),
                ],
                args: &["."],
                says: &["plans of several formats", "kiro", "openspec", "--from"],
            },
        ],
    );
}

#[test]
fn dependencies_on_missing_tasks() {
    check(
        "dependencies on missing tasks",
        &[
            Row {
                files: &[("spec/tasks.md", b"- [ ] T001 A (depends on T002)\n- [ ] T003 B\n")],
                args: &[],
                says: &["spec/tasks.md:1: T001 depends on T002, which is not in the plan", "add the task"],
            },
            Row {
                files: &[(
                    "tasks/tasks.json",
                    b"{\"tasks\": [\n{\"id\": 1, \"title\": \"A\", \"dependencies\": [9]}]}",
                )],
                args: &[],
                says: &["tasks/tasks.json:2: 1 depends on 9, which is not in the plan", "add the task"],
            },
            Row {
                files: &[(".kiro/specs/a/tasks.md", b"- [ ] 1. A\n  - _Depends: 9_\n")],
                args: &[],
                says: &[".kiro/specs/a/tasks.md:2: 1 depends on 9, which is not in the plan", "add the task"],
            },
        ],
    );
}

#[test]
fn cycles_through_phases() {
    check(
        "cycles through phases",
        &[
            Row {
                files: &[(
                    "spec/tasks.md",
                    b"## Phase 1: A\n- [ ] T001 A (depends on T002)\n## Phase 2: B\n- [ ] T002 B\n## Dependencies\nPhase 1 -> Phase 2\nPhase 2 -> Phase 1\n",
                )],
                args: &[],
                says: &["the dependencies form a cycle", "phase1", "phase2", "spec/tasks.md:", "Remove one"],
            },
            Row {
                files: &[(
                    "backlog/tasks/task-1.md",
                    b"---\nid: task-1\ntitle: A\ndependencies: [task-2]\n---\n",
                ), (
                    "backlog/tasks/task-2.md",
                    b"---\nid: task-2\ntitle: B\ndependencies: [task-1]\n---\n",
                )],
                args: &[],
                says: &["task-1.md:4: the dependencies form a cycle", "task-1", "task-2", "Remove one"],
            },
            Row {
                files: &[(
                    "tasks/tasks.json",
                    b"{\"tasks\": [\n{\"id\": 1, \"title\": \"A\", \"subtasks\": [{\"id\": 1, \"title\": \"P\", \"dependencies\": [\"2\"]}]},\n{\"id\": 2, \"title\": \"B\", \"dependencies\": [1]}]}",
                )],
                args: &[],
                says: &["tasks/tasks.json:", "the dependencies form a cycle", "Remove one"],
            },
        ],
    );
}

#[test]
fn an_empty_file() {
    check(
        "an empty file",
        &[
            Row {
                files: &[("spec/tasks.md", b"")],
                args: &[],
                says: &["spec/tasks.md: the file is empty", "Write the tasks"],
            },
            Row {
                files: &[("prd.json", b"\xEF\xBB\xBF \r\n")],
                args: &[],
                says: &["prd.json: the file is empty", "Write the tasks"],
            },
            Row {
                files: &[("prd.json", b"{\"userStories\": []}")],
                args: &[],
                says: &["prd.json:1: the file has no stories", "a list \"userStories\""],
            },
        ],
    );
}

#[test]
fn a_directory() {
    check(
        "a directory",
        &[
            Row {
                files: &[("plans/notes.txt", b"x\n")],
                args: &["plans"],
                says: &["there is no plan of a known format in plans", "Name the file"],
            },
            Row {
                files: &[("plans/notes.md", b"x\n")],
                args: &["plans", "--from", "openspec"],
                says: &["plans/notes.md:1: no task was found", "--from"],
            },
            Row {
                files: &[("spec/tasks.md/a.txt", b"x\n")],
                args: &["spec/tasks.md"],
                says: &["there is no plan of a known format in spec/tasks.md"],
            },
        ],
    );
}

#[test]
fn a_binary_file() {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
    check(
        "a binary file",
        &[
            Row {
                files: &[("spec/tasks.md", png)],
                args: &[],
                says: &["spec/tasks.md:1: the file is not valid UTF-8 here", "UTF-8"],
            },
            Row {
                files: &[("prd.json", png)],
                args: &[],
                says: &["prd.json:1: the file is not valid UTF-8 here", "UTF-8"],
            },
            Row {
                files: &[("spec/tasks.md", b"- [ ] T001 A\n- [ ] T002 B\0\n")],
                args: &[],
                says: &[
                    "spec/tasks.md:2: there is a NUL character here, so the file is not text",
                    "Name a file with a plan",
                ],
            },
            Row {
                files: &[("TODO.md", b"- [ ] A\n\0\0\0\0\n")],
                args: &[],
                says: &["TODO.md:2: there is a NUL character here"],
            },
        ],
    );
}

#[test]
fn invalid_utf_8() {
    check(
        "invalid UTF-8",
        &[
            Row {
                files: &[("spec/tasks.md", b"- [ ] T001 A\n- [ ] T002 caf\xe9\n")],
                args: &[],
                says: &["spec/tasks.md:2: the file is not valid UTF-8 here", "Save it as UTF-8"],
            },
            Row {
                files: &[("prd.json", b"{\"userStories\": [\n{\"id\": \"US-1\", \"title\": \"caf\xe9\"}]}")],
                args: &[],
                says: &["prd.json:2: the file is not valid UTF-8 here", "Save it as UTF-8"],
            },
            Row {
                files: &[("TODO.md", b"\xFF\xFE-\0 \0[\0 \0]\0 \0A\0")],
                args: &[],
                says: &["TODO.md: the file is UTF-16", "Save it as UTF-8"],
            },
        ],
    );
}

#[test]
fn sources_that_are_made_to_exhaust_memory_or_time() {
    let brackets = format!("{{\"userStories\": {}", "[".repeat(200_000));
    let yaml_lists = format!("---\nid: task-1\ntitle: A\nstatus: {}\n---\n", "[".repeat(100_000));
    let laughs = "---\nid: task-1\ntitle: &a lol\nstatus: To Do\nb: &b [*a, *a, *a]\nc: &c [*b, *b, *b]\nd: [*c, *c]\n---\n";
    let large_yaml = format!("---\nid: task-1\ntitle: {}\nstatus: To Do\n---\n", "long ".repeat(100_000));
    let quotes = format!("{}- [ ] T001 A\n", "> ".repeat(10_000));
    let lists = format!("{}[ ] T001 A\n", "1. ".repeat(10_000));
    check(
        "a source that is made to exhaust memory or time",
        &[
            Row { files: &[("prd.json", brackets.as_bytes())], args: &[], says: &["prd.json:1"] },
            Row {
                files: &[("backlog/tasks/task-1 - a.md", yaml_lists.as_bytes())],
                args: &[],
                says: &["task-1 - a.md:4: the front matter"],
            },
            Row {
                files: &[("backlog/tasks/task-1 - a.md", laughs.as_bytes())],
                args: &[],
                says: &["task-1 - a.md:5: the front matter has an alias"],
            },
            Row {
                files: &[("backlog/tasks/task-1 - a.md", large_yaml.as_bytes())],
                args: &[],
                says: &["task-1 - a.md:2: the front matter is larger than 256 KiB"],
            },
            Row {
                files: &[("spec/tasks.md", quotes.as_bytes())],
                args: &[],
                says: &["spec/tasks.md:1: lists are nested too deeply", "Use fewer levels"],
            },
            Row {
                files: &[("TODO.md", lists.as_bytes())],
                args: &[],
                says: &["TODO.md:1: lists are nested too deeply"],
            },
        ],
    );
    let deep: String = (0..100_000)
        .map(|issue| format!("{{\"id\":\"b-{issue}\",\"title\":\"A\",\"parent\":\"b-{}\"}}\n", issue + 1))
        .collect();
    let linked: String =
        (1..=2_000).map(|task| format!("- [ ] T{task:04} A (depends on T0001-T0500)\n")).collect();
    let same = "- [ ] T001 The same again\n".repeat(60_000);
    check(
        "a plan with too much in it",
        &[
            Row {
                files: &[(".beads/issues.jsonl", deep.as_bytes())],
                args: &[],
                says: &["issues.jsonl:", "more than 50000 tasks and phases", "Split it"],
            },
            Row {
                files: &[("spec/tasks.md", linked.as_bytes())],
                args: &[],
                says: &["tasks.md:", "more than 200000 dependencies"],
            },
            Row {
                files: &[("spec/tasks.md", same.as_bytes())],
                args: &[],
                says: &["tasks.md:50001: the plan has more than 50000 tasks and phases"],
            },
        ],
    );
    // A hundred million bytes, which are refused before they are read.
    for path in ["spec/tasks.md", "prd.json"] {
        let garden = Garden::empty();
        garden.git(&["init", "-q"]);
        garden.write(path, "- [ ] T001 A\n");
        let file = std::fs::OpenOptions::new().write(true).open(garden.top().join(path)).unwrap();
        file.set_len(100_000_000).unwrap();
        let ended = garden.run(&["build"]);
        assert_eq!(ended.status, 2, "{ended:?}");
        for words in [path, "larger than 16 MiB", "Split the plan"] {
            assert!(ended.stderr.contains(words), "{words}: {ended:?}");
        }
        assert!(!garden.exists("task-tree.json"));
    }
}
