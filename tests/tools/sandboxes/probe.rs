use super::{bwrap_works, sandboxed};
use crate::support::sandboxes::{assert_refused, doctor, refusing};

#[test]
fn nothing_runs_if_bwrap_protects_too_little_or_too_much() {
    if !bwrap_works() {
        return;
    }
    for (command, words) in [
        ("bwrap --ro-bind / / --dev /dev", "programs cannot write to the work tree"),
        (
            "exec bwrap --bind / / --dev /dev --ro-bind \"$PWD/.git\" \"$PWD/.git\"",
            "programs can write to the folder around the work tree",
        ),
    ] {
        let garden = refusing(command);
        let origin = "the sandbox of arborist.sandbox (git config (local";
        assert_refused(&garden, &garden.run(&["gardener"]), &[origin, words]);
    }
}

#[test]
fn doctor_tries_bwrap() {
    if !bwrap_works() {
        return;
    }
    let garden = refusing("bwrap");
    let said = doctor(&garden);
    assert!(said.contains("agents run in `bwrap`") && said.contains("test commands do not"), "{said}");
    garden.config("arborist.test.sandbox", "bwrap");
    let said = doctor(&garden);
    assert!(said.lines().all(|line| line.starts_with("OK")), "{said}");
    assert!(said.contains("test commands run in `bwrap`"), "{said}");
}

#[test]
fn doctor_does_not_try_a_sandbox_while_a_run_is_active() {
    if !bwrap_works() {
        return;
    }
    let garden = sandboxed("echo $$ > running; exec sleep 1000");
    let running = garden.start(garden.arborist(&["garden"]));
    garden.wait_for("work/running");
    let said = garden.run(&["doctor"]);
    assert!(said.stdout.contains("it was not tried: "), "{said:#?}");
    running.signal("INT");
    assert_eq!(running.wait().status, 130);
}
