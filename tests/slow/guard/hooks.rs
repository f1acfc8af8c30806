//! The hooks of the user run for the commits of a run wherever they are, and find the files that they look for from their own place.

use std::fs;
use std::os::unix::fs::symlink;

use crate::support::garden::{Garden, one_task, plan, side_by_side};

/// Refuses if it is told to, and says that it was run.
const CHECK: &str =
    "test ! -e \"$ROOT/refuse\" || { echo 'not now' >&2; exit 1; }\necho \"$0\" >> \"$ROOT/ran\"";

/// A place for hooks: its name, and what makes them in the work tree.
type Place = (&'static str, fn(&Garden));

const PLACES: &[Place] = &[
    ("git's own folder, from which a script reaches the work tree", |garden| {
        hook(garden, "scripts/check", CHECK);
        hook(garden, ".git/hooks/lib/more.sh", "test -f task-tree.json || exit 1");
        hook(
            garden,
            ".git/hooks/pre-commit",
            "here=$(dirname \"$0\")\n. \"$here/lib/more.sh\"\nlib=$(basename \"$0\")\n\"$here/../../scripts/check\" && \
                 cd \"$here/../..\" && test -f task-tree.json && git diff --cached --quiet HEAD -- nothing",
        );
    }),
    ("a link to a folder of the work tree", |garden| {
        hook(
            garden,
            "team hooks/pre-commit",
            &format!(
                "test -f \"$(dirname \"$0\")/../task-tree.json\" && cd -L \"$(dirname \"$0\")/../..\" && test -f task-tree.json || exit 1\n{CHECK}"
            ),
        );
        fs::remove_dir_all(garden.top().join(".git/hooks")).ok();
        symlink("../team hooks", garden.top().join(".git/hooks")).unwrap();
    }),
    ("a folder of the work tree, from which a script goes to the top", |garden| {
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
    }),
    ("husky", husky),
    ("a folder elsewhere, with scripts beside it", |garden| {
        garden.program(&garden.root().join("company/lib.sh"), CHECK);
        let hook = garden.root().join("company/hooks/pre-commit");
        garden.program(&hook, ". \"$(dirname \"$0\")/../lib.sh\"");
        garden.config("core.hooksPath", hook.parent().unwrap().to_str().unwrap());
    }),
    ("hooks that ours replaced", |garden| {
        hook(garden, ".git/hooks/lib.sh", CHECK);
        hook(garden, ".git/hooks/commit-msg", ". \"$(dirname \"$0\")/lib.sh\"");
        garden.run(&["hooks", "install"]).assert(0, &[]);
        assert!(garden.exists(".git/hooks.pre-arborist/commit-msg"));
    }),
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
    garden
}

#[test]
fn a_hook_refuses_from_every_place() {
    side_by_side(PLACES, |place| {
        let garden = garden_with(place, &one_task(&["true"]));
        fs::write(garden.root().join("refuse"), "").unwrap();
        let ended = garden.run(&["gardener"]);
        assert!(ended.status != 0 && ended.stderr.contains("not now"), "{}: {ended:#?}", place.0);
        fs::remove_file(garden.root().join("refuse")).unwrap();
        garden.run(&["gardener"]).assert(0, &[]);
    });
}

#[test]
fn in_a_slot_the_hooks_run_too() {
    let plan =
        plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &["true"]), ("T002", "p1", &["T001"], &["true"])]);
    side_by_side(&PLACES[..4], |place| {
        let garden = garden_with(place, &plan);
        let ended = garden.run(&["gardener", "--jobs", "2"]);
        assert_eq!(ended.status, 0, "{}: {ended:#?}", place.0);
        assert!(garden.root().join("ran").exists(), "{}: {ended:#?}", place.0);
        assert_eq!(garden.status(), [""; 0], "{}", place.0);
    });
}
