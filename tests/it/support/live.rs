//! A run whose agent waits in its second task, so that what is shown meanwhile can be looked at.

use super::garden::{Garden, plan};

/// Two phases with two tasks each.
pub(crate) fn four_tasks() -> Garden {
    let test = |id: &'static str| -> &'static [&'static str] {
        match id {
            "T001" => &["test -s T001.txt"],
            "T002" => &["test -s T002.txt"],
            "T003" => &["test -s T003.txt"],
            _ => &["test -s T004.txt"],
        }
    };
    Garden::new(&plan(&[
        ("p1", "", &[], &[]),
        ("T001", "p1", &[], test("T001")),
        ("T002", "p1", &[], test("T002")),
        ("p2", "", &[], &[]),
        ("T003", "p2", &[], test("T003")),
        ("T004", "p2", &[], test("T004")),
    ]))
}

/// Makes a script the runner, which is named `script`.
pub(crate) fn script(garden: &Garden, text: &str) {
    let file = garden.root().join("script.sh");
    garden.program(&file, text);
    garden.config("arborist.runner.script.command", &file.display().to_string());
    garden.config("arborist.runner", "script");
}

/// Does every task, but waits in the second one until the file `go` exists. The review of the first is rejected once.
pub(crate) const WAITS: &str = r#"cat > /dev/null
case $ARBORIST_STEP.$ARBORIST_TASK.$ARBORIST_ATTEMPT in
review.T001.0) printf '1. It greets nobody.\n\nREJECTED\n';;
review.*) echo APPROVED;;
*.T002.*) echo "reading the manual"; while ! [ -e "$ROOT/go" ]; do sleep 0.1; done; echo x >> T002.txt;;
*) echo x >> $ARBORIST_TASK.txt;;
esac"#;
