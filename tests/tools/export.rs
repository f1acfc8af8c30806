//! Tests that the exported job files pass the checkers of their engines, and that make and Slurm run them.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::cli::Said;
use crate::support::garden::{Ended, Garden, programs};
use crate::support::jobs::{ADDRESS, assert_called, calls, expected, file, garden, stand_in};
use crate::support::skip::{has, missing};

fn run_make(garden: &Garden, file: &str, args: &[&str]) -> Ended {
    let path = garden.root().join("file.mk");
    fs::write(&path, file).unwrap();
    let mut make = garden.command("make");
    make.arg("-f").arg(path).args(args).env("PATH", garden.path_with(&stand_in(garden)));
    garden.finish(make)
}

#[test]
fn the_files_pass_the_checkers_of_their_engines() {
    if !["bash", "python3"].into_iter().all(has) {
        return;
    }
    let garden = garden();
    let folder = garden.root().join("files");
    fs::create_dir(&folder).unwrap();
    for engine in ["slurm", "github", "gitlab", "k8s"] {
        let ending = if engine == "slurm" { "sh" } else { "yml" };
        fs::write(folder.join(format!("{engine}.{ending}")), file(&garden, &[engine])).unwrap();
        if engine != "k8s" {
            let dag = file(&garden, &[engine, "--dag"]);
            fs::write(folder.join(format!("{engine}-dag.{ending}")), dag).unwrap();
        }
    }
    let check = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/check-job-files");
    let said = Said::of(Command::new(check).arg(&folder).current_dir("/").output().unwrap());
    said.out.lines().filter_map(|line| line.strip_prefix("skipped: ")).for_each(missing);
    assert!(said.code == 0 && said.out.ends_with("7 job files are in order\n"), "{said:#?}");
}

#[test]
fn make_starts_its_workers_here_or_through_another_program_as_ssh_would() {
    if !has("make") {
        return;
    }
    for job in ["", "$(ROOT)/remote host-$*"] {
        let garden = garden();
        // As ssh does: the words are joined, and a shell on the other side reads them.
        garden.program(
            &garden.root().join("remote"),
            "echo \"$1\" >>\"$ROOT/hosts\"; shift; exec sh -c \"$*\"",
        );
        let text = file(&garden, &["make", "--jobs", "3"]);
        run_make(&garden, &text, &["-j4", &format!("JOB={job}"), "RUN=here", "ATTEMPT=7"]).assert(0, &[]);
        let calls = calls(&garden);
        assert_eq!(calls.len(), 3, "{calls:#?}");
        for (number, call) in calls.iter().enumerate() {
            assert_called(call, &expected(ADDRESS, &format!("make:here.{}", number + 1), "7"));
            assert!(!call.contains("exec git"), "a worker read its own script: {call}");
        }
        if !job.is_empty() {
            let mut hosts: Vec<String> =
                fs::read_to_string(garden.root().join("hosts")).unwrap().lines().map(str::to_owned).collect();
            hosts.sort();
            assert_eq!(hosts, ["host-1", "host-2", "host-3"]);
        }
    }
}

#[test]
fn make_begins_a_task_when_everything_that_it_depends_on_has_ended() {
    if !has("make") {
        return;
    }
    let garden = garden();
    run_make(&garden, &file(&garden, &["make", "--dag"]), &["-j4"]).assert(0, &[]);
    let order = fs::read_to_string(garden.root().join("order")).unwrap();
    let lines: Vec<&str> = order.lines().collect();
    assert_eq!(lines.len(), 10, "{order}");
    let at = |line: &str| {
        lines.iter().position(|known| *known == line).unwrap_or_else(|| panic!("{line}: {order}"))
    };
    for (before, after) in [("T1", "T2.a"), ("T2.a", "3"), ("T2.a", "T2_a"), ("3", "all"), ("T2_a", "all")] {
        assert!(at(&format!("end {before}")) < at(&format!("begin {after}")), "{before}, {after}: {order}");
    }
}

#[test]
#[ignore = "starts a cluster, whose times depend on how busy the machine is"]
fn a_cluster_of_slurm_on_this_machine_runs_requeues_and_cancels_jobs() {
    if !has("python3") {
        return;
    }
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/run");
    let said = Said::of(Command::new(run).arg("cluster").output().unwrap());
    assert_eq!(said.code, 0, "{said:#?}");
    match said.out.strip_prefix("skipped: ") {
        Some(reason) => missing(reason.trim_end()),
        None => assert_eq!(said.out, "the cluster runs, requeues and cancels jobs\n", "{said:#?}"),
    }
}

#[test]
fn make_runs_a_whole_plan_by_its_file_on_a_remote_repository() {
    if !["python3", "make"].into_iter().all(has) {
        return;
    }
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/run");
    let program = programs().join("git-arborist");
    let args = ["make", "--seconds", "0.1", "--program", program.to_str().unwrap()];
    let said = Said::of(Command::new(run).args(args).output().unwrap());
    let ends_well = said.out.ends_with("every task is complete and was merged exactly once\n");
    assert!(said.code == 0 && ends_well, "{said:#?}");
}
