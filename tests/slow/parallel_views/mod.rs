//! Tests how runs that work on several tasks at the same time are shown and read.

mod check;
mod commands;
mod decisions;
mod doctor;
mod landing;
mod live;
mod reading;
mod status;

use crate::support::garden::{Garden, plan};

/// Three tasks that do not depend on each other, and are not reviewed.
fn three_tasks() -> Garden {
    let rows: [(&str, &str, &[&str], &[&str]); 4] = [
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], &["test -s T001.txt"]),
        ("T002", "p1", &[], &["test -s T002.txt"]),
        ("T003", "p1", &[], &["test -s T003.txt"]),
    ];
    let garden = Garden::new(&plan(&rows));
    garden.config("arborist.review", "false");
    garden
}

/// The agent appends a line to a file that all tasks share, and removes conflict markers if it finds some there. So only the
/// task that ends first can be merged at once.
const SHARED: &str = r#"if grep -q '<<<<<<<' shared.txt 2> /dev/null; then
  grep -v -e '^<<<<<<<' -e '^=======' -e '^>>>>>>>' shared.txt > x && mv x shared.txt
  exit 0
fi
echo "line of $ARBORIST_TASK" >> shared.txt"#;

/// A run over three tasks that change the same file has ended. Two of them were resolved by merges.
fn after_conflicts() -> Garden {
    let garden = three_tasks();
    garden.agent(SHARED);
    garden.run(&["gardener", "--jobs", "3"]).assert(0, &[]);
    garden
}
