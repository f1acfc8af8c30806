//! Tests names and places of files that runners write.

use crate::support::garden::{Garden, one_task, plan};

#[test]
fn new_names_of_every_kind_are_committed_as_they_are() {
    let garden = Garden::new(&one_task(&[]));
    garden.agent(
        "case $ARBORIST_STEP in implement)
         touch -- '-rf' ':(top)x' '*' 'a b' 'tab\tname' \"quote\\\"s\" 'ünï' \"$(printf 'line\\nend')\" '#x' '.env.example' 'Conflicts:';
         rm readme; mkdir dir; ln -s /nowhere dir/link; printf '#!/bin/sh\\n' > run.sh; chmod +x run.sh; exit 0;; esac",
    );
    garden.write("readme", "");
    garden.commit("Add a file");
    garden.run(&["gardener"]).assert(0, &[]);
    assert_eq!(garden.status(), [""; 0]);
    let implement = garden.git(&["diff-tree", "-r", "--name-status", "--no-commit-id", "HEAD~4"]);
    assert_eq!(implement.lines().count(), 14, "{implement}");
}

#[test]
fn code_written_outside_of_a_sparse_checkout_is_committed_and_nothing_is_deleted() {
    let garden = Garden::new(&plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &["test -f far/new"])]));
    garden.write("far/old", "");
    garden.write("near/old", "");
    garden.commit("Add files");
    garden.git(&["sparse-checkout", "set", "near"]);
    garden.agent("case $ARBORIST_STEP in implement) mkdir -p far; touch far/new;; esac");
    garden.run(&["gardener"]).assert(0, &[]);
    let files = garden.lines(&["ls-tree", "-r", "--name-only", "HEAD"]);
    for file in ["far/old", "far/new", "near/old", "T001.txt"] {
        assert!(files.iter().any(|path| path == file), "{file}: {files:?}");
    }
}
