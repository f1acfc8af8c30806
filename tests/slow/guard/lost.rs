//! A branch that is moved away from a commit of the user, and the reflogs are gone: the commit is found among the lost objects.

use crate::support::garden::{Ended, Garden, one_task};

/// What the user has committed during the step, and the tip of the branch before it.
struct Moved {
    garden: Garden,
    mine: String,
    before: String,
}

/// Lets an agent move the branch while the user commits, after it has done `also`. `$before` is the tip that the run knows.
fn moved(also: &str) -> (Moved, Ended) {
    let garden = Garden::new(&one_task(&["true"]));
    garden.write("kept", "kept\n");
    garden.commit("Kept");
    let before = garden.head();
    garden.agent(&format!(
        r#"case $work in T001.implement.0) test -e "$ROOT/mine" || {{
            before=$(git rev-parse HEAD)
            echo mine > mine; git add mine; git commit -q -m Mine; git rev-parse HEAD > "$ROOT/mine"
            {also}
            rm -r .git/logs; git update-ref refs/heads/main $before~; rm -rf .git/logs; exit 0
        }};; esac"#
    ));
    let ended = garden.run(&["gardener"]);
    garden.forget_history();
    let mine = std::fs::read_to_string(garden.root().join("mine")).unwrap().trim().to_owned();
    (Moved { garden, mine, before }, ended)
}

#[test]
fn a_branch_without_reflogs_is_put_back_to_the_only_lost_commit_on_top_of_it() {
    // What was dropped below the known tip, and what claims to be a step, is nobody's newest commit.
    let (Moved { garden, mine, .. }, ended) = moved(
        "git commit-tree -p $before~ -m Old $before^{tree}
         git commit-tree -p $before -m 'task(T001): complete \"Do T001\"' -m 'Arborist-Step: complete' $before^{tree}",
    );
    ended.assert(6, &["something rewrote the branch main", "refs/heads/main names", &mine]);
    assert_eq!(garden.head(), mine);
    assert_eq!(garden.status(), [""; 0]);
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(garden.subjects().contains(&"Mine".to_owned()));
}

#[test]
fn if_several_lost_commits_may_be_the_users_all_are_kept_and_the_user_is_told_how_to_go_there() {
    let (Moved { garden, mine, before }, ended) =
        moved("git commit-tree -p $before -m Other $before^{tree} > \"$ROOT/other\"");
    let other = std::fs::read_to_string(garden.root().join("other")).unwrap();
    let refs = [&mine, &other].map(|commit| format!("refs/arborist/rescue/moved/{}", &commit[..7]));
    ended.assert(6, &["No log says what the branch named meanwhile", &refs[0], &refs[1], "`git reset refs/"]);
    assert_eq!(garden.head(), before);
    assert_eq!(garden.git(&["rev-parse", &refs[0]]), mine);
    assert_eq!(garden.git(&["rev-parse", &refs[1]]), other.trim());
    garden.git(&["reset", "-q", &refs[0]]);
    assert_eq!(garden.status(), [""; 0]);
    garden.run(&["gardener"]).assert(0, &[]);
}

#[test]
fn a_lost_commit_is_found_although_another_worker_has_kept_it_meanwhile() {
    // A worker that sees the branch of the run move away from a commit keeps the commit by a reference of this form.
    let (Moved { garden, mine, .. }, ended) = moved("git update-ref refs/arborist/rescue/replaced/mine HEAD");
    ended.assert(6, &["something rewrote the branch main", "refs/heads/main names", &mine]);
    assert_eq!(garden.head(), mine);
    garden.run(&["gardener"]).assert(0, &[]);
    assert!(garden.subjects().contains(&"Mine".to_owned()));
}
