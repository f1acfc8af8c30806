//! git runs a copy of the hooks as they were when the run began, whatever a program does to them while a commit is made. Hooks that
//! look for files from their own place find the same ones as before.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::PathBuf;

use crate::support::garden::{Ended, Garden, one_task, plan, side_by_side};
use crate::support::harness::script_before;

/// Puts other hooks in the place of `$ROOT/targets` as long as git makes a commit, as a program that was left behind could do it.
const REPLACE: &str = r#"n=0
for f in $(cat "$ROOT/targets"); do
  n=$((n + 1)); rm -f "$ROOT/kept$n"; [ ! -e "$f" ] || cp -p "$f" "$ROOT/kept$n"
  mkdir -p "$(dirname "$f")"; printf '#!/bin/sh\ntouch "$ROOT/hooked"\n' > "$f"; chmod +x "$f"
done
"$real" "$@"; status=$?
n=0
for f in $(cat "$ROOT/targets"); do
  n=$((n + 1)); rm -f "$f"; [ ! -e "$ROOT/kept$n" ] || cp -p "$ROOT/kept$n" "$f"
done
touch "$ROOT/replaced"; exit $status"#;

/// Refuses if it is told to, and says that it was run.
const CHECK: &str =
    "test ! -e \"$ROOT/refuse\" || { echo 'not now' >&2; exit 1; }\necho \"$0\" >> \"$ROOT/ran\"";

/// A place for hooks: its name, what makes them in the work tree, and the files that another program changes.
type Place = (&'static str, fn(&Garden), &'static [&'static str]);

const PLACES: &[Place] = &[
    (
        "no hooks",
        |_| {},
        &[".git/hooks/pre-commit", ".git/hooks/post-commit", ".git/hooks/reference-transaction"],
    ),
    (
        "git's own folder, from which a script reaches the work tree",
        |garden| {
            hook(garden, "scripts/check", CHECK);
            hook(garden, ".git/hooks/lib/more.sh", "test -f task-tree.json || exit 1");
            hook(
                garden,
                ".git/hooks/pre-commit",
                "here=$(dirname \"$0\")\n. \"$here/lib/more.sh\"\nlib=$(basename \"$0\")\n\"$here/../../scripts/check\" && \
                 cd \"$here/../..\" && test -f task-tree.json && git diff --cached --quiet HEAD -- nothing",
            );
        },
        &[
            ".git/hooks/pre-commit",
            ".git/hooks/post-commit",
            ".git/hooks/lib/more.sh",
            ".git/hooks/post-index-change",
        ],
    ),
    (
        "a link to a folder of the work tree",
        |garden| {
            hook(
                garden,
                "team hooks/pre-commit",
                &format!(
                    "test -f \"$(dirname \"$0\")/../task-tree.json\" && cd -L \"$(dirname \"$0\")/../..\" && test -f task-tree.json || exit 1\n{CHECK}"
                ),
            );
            fs::remove_dir_all(garden.top().join(".git/hooks")).ok();
            symlink("../team hooks", garden.top().join(".git/hooks")).unwrap();
        },
        &[".git/hooks/pre-commit", ".git/hooks/commit-msg"],
    ),
    (
        "a folder of the work tree, from which a script goes to the top",
        |garden| {
            hook(garden, ".githooks/more/unnamed.sh", ":");
            hook(
                garden,
                ".githooks/pre-commit",
                &format!(
                    "{CHECK}\nroot=$(cd \"$(dirname \"$0\")/..\" && pwd) && cd \"$root\" && \
                     test \"$(git rev-parse --show-toplevel)\" = \"$root\" && test -z \"$(git ls-files --others \
                     --exclude-standard -- '.arborist-*')\" && git diff --cached --name-only >> \"$ROOT/ran\" || exit 1\n\
                     for f in \"${{0%/*}}\"/more/*; do . \"$f\" || exit 1; done"
                ),
            );
            garden.config("core.hooksPath", ".githooks");
        },
        &[".githooks/pre-commit", ".githooks/post-commit", ".githooks/prepare-commit-msg"],
    ),
    ("husky", husky, &[".husky/pre-commit", ".husky/_/pre-commit", ".husky/_/h", ".husky/_/post-commit"]),
    (
        "a folder elsewhere, with scripts beside it",
        |garden| {
            garden.program(&garden.root().join("company/lib.sh"), CHECK);
            let hook = garden.root().join("company/hooks/pre-commit");
            garden.program(&hook, ". \"$(dirname \"$0\")/../lib.sh\"");
            garden.config("core.hooksPath", hook.parent().unwrap().to_str().unwrap());
        },
        &["../company/hooks/pre-commit", "../company/hooks/post-commit"],
    ),
    (
        "hooks that ours replaced",
        |garden| {
            hook(garden, ".git/hooks/lib.sh", CHECK);
            hook(garden, ".git/hooks/commit-msg", ". \"$(dirname \"$0\")/lib.sh\"");
            garden.run(&["hooks", "install"]).assert(0, &[]);
            assert!(garden.exists(".git/hooks.pre-arborist/commit-msg"));
        },
        &[".git/hooks/commit-msg", ".git/hooks.pre-arborist/commit-msg", ".git/hooks/lib.sh"],
    ),
];

fn hook(garden: &Garden, path: &str, script: &str) {
    garden.program(&garden.top().join(path), script);
}

/// As husky 9 lays them out.
fn husky(garden: &Garden) {
    garden.write(".husky/pre-commit", &format!("{CHECK}\n"));
    garden.write(".husky/_/.gitignore", "*");
    garden.write(
        ".husky/_/h",
        "#!/usr/bin/env sh\n[ \"$HUSKY\" = \"2\" ] && set -x\nn=$(basename \"$0\")\ns=$(dirname \"$(dirname \"$0\")\")/$n\n\n\
         [ ! -f \"$s\" ] && exit 0\n\n[ \"${HUSKY-}\" = \"0\" ] && exit 0\nexport PATH=\"node_modules/.bin:$PATH\"\nsh -e \"$s\" \"$@\"\n\
         c=$?\n\n[ $c != 0 ] && echo \"husky - $n script failed (code $c)\"\n[ $c = 127 ] && echo \"husky - command not found in \
         PATH=$PATH\"\nexit $c\n",
    );
    for name in ["pre-commit", "prepare-commit-msg", "commit-msg", "post-commit"] {
        let file = garden.top().join(".husky/_").join(name);
        garden.program(&file, "");
        fs::write(file, "#!/usr/bin/env sh\n. \"$(dirname \"$0\")/h\"").unwrap();
    }
    garden.config("core.hooksPath", ".husky/_");
}

fn garden_with(place: &Place, plan: &serde_json::Value) -> Garden {
    let garden = Garden::new(plan);
    garden.agent(":");
    (place.1)(&garden);
    garden.commit("Hooks");
    let _ = fs::remove_file(garden.root().join("ran"));
    fs::write(garden.root().join("targets"), place.2.join("\n")).unwrap();
    garden
}

/// The copies that exist now.
fn copies(garden: &Garden) -> Vec<PathBuf> {
    let places = [garden.top(), garden.top().join(".git")];
    let entries = places.iter().flat_map(|place| fs::read_dir(place).unwrap());
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.to_string_lossy().contains("arborist-hooks-")).collect()
}

/// Asserts that only the hooks that were there when the run began were run.
#[track_caller]
fn assert_held(garden: &Garden, name: &str, ended: &Ended) {
    let there = |file: &str| garden.root().join(file).exists();
    assert!(there("replaced"), "{name}: nothing was tried: {ended:#?}");
    assert!(!there("hooked"), "{name}: a changed hook was run: {ended:#?}");
    assert_eq!(there("ran"), name != "no hooks", "{name}: {ended:#?}");
    assert_eq!(copies(garden), [""; 0].map(PathBuf::from), "{name}");
    assert_eq!(garden.status(), [""; 0], "{name}");
}

#[test]
fn a_hook_that_is_changed_while_git_makes_a_commit_is_never_run() {
    side_by_side(PLACES, |place| {
        let garden = garden_with(place, &one_task(&["true"]));
        let ended = garden.finish(script_before(&garden, &["gardener"], ("commit", REPLACE)));
        assert_eq!(ended.status, 0, "{}: {ended:#?}", place.0);
        assert_held(&garden, place.0, &ended);
    });
}

/// Puts other hooks in the place of `$ROOT/targets` when the hooks were compared for the last time and are not copied yet: git is
/// asked for its settings between the two.
const PUT: &str = r#"if grep -q '"unread": *{' .git/arborist/journal.json 2>/dev/null && [ ! -e "$ROOT/replaced" ]; then
for f in $(cat "$ROOT/targets"); do
  mkdir -p "$(dirname "$f")"; printf '#!/bin/sh\ntouch "$ROOT/hooked"\n' > "$f"; chmod +x "$f"
done
touch "$ROOT/replaced"; fi"#;

#[test]
fn a_hook_that_is_changed_after_the_last_look_at_it_is_never_run() {
    let changed = [(1, ".git/hooks/pre-commit"), (3, ".githooks/pre-commit"), (4, ".husky/pre-commit")];
    let new = [(1, ".git/hooks/post-commit"), (3, ".githooks/post-commit"), (4, ".husky/post-commit")];
    let cases = changed.map(|case| (case, true)).into_iter().chain(new.map(|case| (case, false)));
    side_by_side(cases, |((place, target), is_there)| {
        let garden = garden_with(&PLACES[place], &one_task(&["true"]));
        // So git itself is asked for its settings.
        garden.config("includeIf.onbranch:never.path", "none");
        fs::write(garden.root().join("targets"), target).unwrap();
        let ended = garden.start(script_before(&garden, &["gardener"], ("config", PUT))).wait();
        // A new hook is noticed when it is looked for again.
        let words = ["files that decide which programs run here", target];
        ended.assert(6, &words);
        assert_eq!(ended.stderr.contains("T001 implement"), !is_there, "{target}: {ended:#?}");
        let there = |file: &str| garden.root().join(file).exists();
        assert!(there("replaced") && !there("hooked"), "{target}: {ended:#?}");
        assert_eq!(copies(&garden), [""; 0].map(PathBuf::from), "{target}");
    });
}

#[test]
fn a_hook_refuses_from_every_place_and_is_named_by_its_own() {
    side_by_side(&PLACES[1..], |place| {
        let garden = garden_with(place, &one_task(&["true"]));
        fs::write(garden.root().join("refuse"), "").unwrap();
        let ended = garden.run(&["gardener"]);
        assert!(ended.status != 0 && ended.stderr.contains("not now"), "{}: {ended:#?}", place.0);
        assert!(!ended.stderr.contains("arborist-hooks-"), "{}: {ended:#?}", place.0);
        assert_eq!(copies(&garden), [""; 0].map(PathBuf::from), "{}", place.0);
        fs::remove_file(garden.root().join("refuse")).unwrap();
        garden.run(&["gardener"]).assert(0, &[]);
    });
}

#[test]
fn in_a_slot_git_runs_a_copy_of_the_hooks_too() {
    let plan =
        plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &["true"]), ("T002", "p1", &["T001"], &["true"])]);
    side_by_side(PLACES[..5].iter().step_by(2), |place| {
        let garden = garden_with(place, &plan);
        let top = garden.top().display().to_string();
        // Where git ignores a part of the hooks, those of the main work tree run. The others are in each work tree.
        let is_shared = |file: &str| file.starts_with(".git/") || file.starts_with(".husky/");
        let targets = place.2.iter().map(|file| match is_shared(file) {
            true => format!("{top}/{file}"),
            false => (*file).to_owned(),
        });
        fs::write(garden.root().join("targets"), targets.collect::<Vec<_>>().join("\n")).unwrap();
        let ended = garden.finish(script_before(&garden, &["gardener", "--jobs", "2"], ("commit", REPLACE)));
        assert_eq!(ended.status, 0, "{}: {ended:#?}", place.0);
        assert_held(&garden, place.0, &ended);
    });
}

#[test]
fn the_copy_that_a_killed_run_left_is_not_shown_and_the_next_run_removes_it() {
    side_by_side(&PLACES[1..], |place| {
        let garden = garden_with(place, &one_task(&["true"]));
        let kill = ("commit", "kill -9 $PPID; exit 1");
        assert_eq!(garden.start(script_before(&garden, &["gardener"], kill)).wait().status, 137);
        assert!(!copies(&garden).is_empty(), "{}", place.0);
        let shown = garden.status();
        assert!(!shown.iter().any(|line| line.contains("arborist-hooks-")), "{}: {shown:?}", place.0);
        let again = garden.run(&["gardener"]);
        assert_eq!(again.status, 0, "{}: {again:#?}", place.0);
        assert_eq!(copies(&garden), [""; 0].map(PathBuf::from), "{}", place.0);
        assert_eq!(garden.status(), [""; 0], "{}", place.0);
    });
}

#[test]
fn hooks_that_a_user_changes_between_two_runs_are_copied_anew() {
    let garden = garden_with(&PLACES[1], &one_task(&["true"]));
    fs::write(garden.root().join("refuse"), "").unwrap();
    assert_ne!(garden.run(&["gardener"]).status, 0);
    hook(&garden, ".git/hooks/pre-commit", "echo new >> \"$ROOT/ran\"");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(fs::read_to_string(garden.root().join("ran")).unwrap().lines().next(), Some("new"));
}
