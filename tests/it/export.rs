//! Tests `export`: the job files pass the checkers of their engines, and what they run is what the plan and the settings say.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::json;

use crate::support::cli::Said;
use crate::support::garden::{Ended, Garden, plan, programs};

/// The words for all engines.
const ENGINES: [&str; 5] = ["slurm", "github", "gitlab", "k8s", "make"];

/// A remote repository whose address a shell would split.
const ADDRESS: &str = "ssh://git@example.com/a b/n's.git";

/// A command that each language of a job file reads as something else, unless it is quoted.
const HOSTILE: &str = r#"sh -c 'echo "$$ $(date) ${{ x }} $(JOB_UID) `id`" # \\' \ %s : - {a}"#;

/// Two phases, of which the second waits for the first; names that become alike without their dots.
fn two_phases() -> serde_json::Value {
    let mut plan = plan(&[
        ("p1", "", &[], &[]),
        ("T1", "p1", &[], &["true"]),
        ("T2.a", "p1", &["T1"], &["true"]),
        ("p2", "", &["p1"], &[]),
        ("3", "p2", &[], &["true"]),
        ("T2_a", "p2", &[], &["true"]),
        ("all", "p2", &["3", "T2_a"], &["true"]),
    ]);
    plan["spec_id"] = json!("my plan: 2/3 ${{ x }} # $(y)");
    plan
}

fn garden() -> Garden {
    let garden = Garden::new(&two_phases());
    garden.git(&["remote", "add", "origin", ADDRESS]);
    garden.config("arborist.worktree.setup", HOSTILE);
    garden.config("arborist.runner.mine.command", HOSTILE);
    garden
}

/// The file for an engine.
fn file(garden: &Garden, args: &[&str]) -> String {
    let ended = garden.run(&[&["export", "--to"], args].concat());
    ended.assert(0, &[]);
    assert_eq!(ended.stderr, "");
    ended.stdout
}

/// A folder whose `git-arborist` writes down how it is called. It says so at the beginning and at the end of a call.
fn stand_in(garden: &Garden) -> PathBuf {
    let folder = garden.root().join("stand-in");
    garden.program(
        &folder.join("git-arborist"),
        r#"{ for word in "$@"; do printf '<%s>\n' "$word"; done; env | grep -a '^ARBORIST_WORKTREE_SETUP=\|^GIT_CONFIG_'; cat; } >"$ROOT/call-$$"
if test "$2" != --remote; then echo "begin $2" >>"$ROOT/order"; sleep 0.1; echo "end $2" >>"$ROOT/order"; fi"#,
    );
    folder
}

/// What the calls of the stand-in wrote down, one after another.
fn calls(garden: &Garden) -> Vec<String> {
    let entries = fs::read_dir(garden.root()).unwrap().map(|entry| entry.unwrap().path());
    let is_call = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().starts_with("call-");
    let mut calls: Vec<String> =
        entries.filter(is_call).map(|path| fs::read_to_string(path).unwrap()).collect();
    calls.sort();
    calls
}

/// What a worker must be called with.
fn expected(remote: &str, claimant: &str, attempt: &str) -> String {
    let words =
        ["work", "--remote", remote, "--branch", "main", "--claimant", claimant, "--attempt", attempt];
    words.iter().chain(&["--until-idle", "10m"]).map(|word| format!("<{word}>\n")).collect()
}

fn assert_called(call: &str, words: &str) {
    assert!(call.starts_with(words), "{call}\n{words}");
    let settings = format!("ARBORIST_WORKTREE_SETUP={HOSTILE}\n");
    assert!(call.contains(&settings), "{call}\n{settings}");
    assert!(call.contains("=arborist.runner.mine.command\n"), "{call}");
    assert!(call.contains(&format!("={HOSTILE}\n")), "{call}");
}

/// The last block of a YAML file that begins with this line, without its indentation.
fn block(yaml: &str, begin: &str) -> String {
    let (_, after) = yaml.rsplit_once(begin).unwrap();
    let indent = after.len() - after.trim_start_matches(' ').len();
    let lines = after.lines().take_while(|line| line.starts_with(&" ".repeat(indent)));
    lines.map(|line| format!("{}\n", &line[indent..])).collect()
}

/// A command as Kubernetes passes it on: `$$` is a dollar, and a known variable is replaced.
fn as_kubernetes_reads(text: &str) -> String {
    text.replace("$$", "\0").replace("$(JOB_UID)", "replaced").replace('\0', "$")
}

/// Runs a script as an engine does, with the variables that it sets.
fn run_script(garden: &Garden, script: &str, variables: &[(&str, &str)]) -> Ended {
    let path = garden.root().join("script");
    fs::write(&path, script).unwrap();
    let mut shell = garden.command("sh");
    shell.arg(path).env("PATH", garden.path_with(&stand_in(garden))).envs(variables.iter().copied());
    garden.finish(shell)
}

fn run_make(garden: &Garden, file: &str, args: &[&str]) -> Ended {
    let path = garden.root().join("file.mk");
    fs::write(&path, file).unwrap();
    let mut make = garden.command("make");
    make.arg("-f").arg(path).args(args).env("PATH", garden.path_with(&stand_in(garden)));
    garden.finish(make)
}

fn has_make() -> bool {
    let has = which::which("make").is_ok();
    if !has {
        eprintln!("skipped: make is not installed");
    }
    has
}

#[test]
fn the_files_pass_the_checkers_of_their_engines() {
    if !["bash", "python3"].iter().all(|program| which::which(program).is_ok()) {
        eprintln!("skipped: bash or python3 is not installed");
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
    said.out.lines().filter(|line| line.starts_with("skipped:")).for_each(|line| eprintln!("{line}"));
    assert!(said.code == 0 && said.out.ends_with("7 job files are in order\n"), "{said:#?}");
}

/// A job that an engine has started.
struct Started {
    engine: &'static str,
    /// What the engine sets.
    variables: &'static [(&'static str, &'static str)],
    remote: &'static str,
    claimant: &'static str,
    attempt: &'static str,
}

#[test]
fn a_worker_of_every_engine_gets_its_words_and_the_settings_that_a_clone_lacks_unchanged() {
    let started = [
        Started {
            engine: "slurm",
            variables: &[
                ("SLURM_ARRAY_JOB_ID", "71"),
                ("SLURM_ARRAY_TASK_ID", "2"),
                ("SLURM_RESTART_COUNT", "1"),
            ],
            remote: ADDRESS,
            claimant: "slurm:71.2",
            attempt: "1",
        },
        Started {
            engine: "github",
            variables: &[("GITHUB_RUN_ID", "71"), ("WORKER", "2"), ("GITHUB_RUN_ATTEMPT", "1")],
            remote: "origin",
            claimant: "github:71.2",
            attempt: "1",
        },
        Started {
            engine: "gitlab",
            variables: &[("CI_PIPELINE_ID", "71"), ("CI_NODE_INDEX", "2")],
            remote: "origin",
            claimant: "gitlab:71.2",
            attempt: "",
        },
        Started {
            engine: "k8s",
            variables: &[("JOB_UID", "u-71"), ("JOB_COMPLETION_INDEX", "2")],
            remote: ADDRESS,
            claimant: "k8s:u-71.2",
            attempt: "",
        },
    ];
    for Started { engine, variables, remote, claimant, attempt } in started {
        let garden = garden();
        let text = file(&garden, &[engine]);
        let script = match engine {
            "slurm" => text,
            "github" => block(&text, "run: |\n").replace("${{ '${{' }}", "${{"),
            "gitlab" => block(&text, "- |\n"),
            _ => as_kubernetes_reads(&block(&text, "- |\n")),
        };
        run_script(&garden, &script, variables).assert(0, &[]);
        let calls = calls(&garden);
        let [call] = calls.as_slice() else { panic!("{calls:#?}") };
        let words = expected(remote, claimant, attempt);
        // Where the engine tells no number, the time stands for it.
        assert_called(call, words.split_once("<>").map_or(&words, |(before, _)| before));
    }
}

#[test]
fn slurm_says_nothing_of_a_first_start_so_the_attempt_is_0() {
    let garden = garden();
    let script = file(&garden, &["slurm"]);
    let variables = [("SLURM_ARRAY_JOB_ID", "71"), ("SLURM_ARRAY_TASK_ID", "2")];
    run_script(&garden, &script, &variables).assert(0, &[]);
    assert_called(&calls(&garden)[0], &expected(ADDRESS, "slurm:71.2", "0"));
}

#[test]
fn make_starts_its_workers_here_or_through_another_program_as_ssh_would() {
    if !has_make() {
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
    if !has_make() {
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
fn slurm_gets_a_job_for_each_task_that_begins_after_those_of_its_dependencies() {
    let garden = garden();
    let folder = stand_in(&garden);
    garden.program(
        &folder.join("sbatch"),
        r#"n=$(cat "$ROOT/jobs" 2>/dev/null || echo 100); n=$((n + 1)); echo $n >"$ROOT/jobs"
printf '%s;cluster\n' $n
for word in "$@"; do case $word in --dependency=*) after=$word;; esac; script=$before; before=$word; done
echo "$n $before ${after-}" >>"$ROOT/submitted"
SLURM_JOB_ID=$n sh "$script" "$before" >/dev/null"#,
    );
    run_script(&garden, &file(&garden, &["slurm", "--dag"]), &[]).assert(0, &["T1: job 101", "all: job 105"]);
    let submitted = fs::read_to_string(garden.root().join("submitted")).unwrap();
    assert_eq!(
        submitted,
        "101 T1 \n102 T2.a --dependency=afterok:101\n103 3 --dependency=afterok:102\n\
         104 T2_a --dependency=afterok:102\n105 all --dependency=afterok:103:104\n"
    );
    let calls = calls(&garden);
    assert!(
        calls.iter().any(|call| call.starts_with("<work>\n<T2.a>\n") && call.contains("<slurm:102>")),
        "{calls:#?}"
    );
}

#[test]
fn ci_files_name_the_dependencies_of_each_job_once_and_no_others() {
    let garden = garden();
    let text = file(&garden, &["github", "--dag"]);
    for (job, needs) in [
        ("T2_a", "needs: [task-T1]"),
        ("3", "needs: [task-T2_a]"),
        ("T2_a__2", "needs: [task-T2_a]"),
        ("all", "needs: [task-3, task-T2_a__2]"),
    ] {
        let (_, after) =
            text.split_once(&format!("  task-{job}:\n")).unwrap_or_else(|| panic!("{job}: {text}"));
        assert!(after.lines().nth(1).unwrap().trim() == needs, "{job}: {after}");
    }
    let text = file(&garden, &["gitlab", "--dag"]);
    for (job, needs) in [("T1", ""), ("3", "\"task T2.a\""), ("all", "\"task 3\", \"task T2_a\"")] {
        let expected = format!("\"task {job}\":\n  extends: .arborist\n  needs: [{needs}]\n");
        assert!(text.contains(&expected), "{expected}{text}");
    }
}

#[test]
fn tasks_that_are_done_or_stuck_have_no_job_and_the_file_says_of_which_commit_it_is() {
    let garden = garden();
    let short = garden.lines(&["rev-parse", "--short=7", "HEAD"]).concat();
    assert!(file(&garden, &["make", "--dag"]).contains(&format!("open at commit {short}")));
    garden.run(&["mark", "skip", "T1", "-m", "Not needed."]).assert(0, &[]);
    let text = file(&garden, &["make", "--dag"]);
    assert!(text.contains("TARGETS := task-T2.a \\\n") && !text.contains("task-T1"), "{text}");
    garden.agent("exit 1");
    garden.run(&["garden", "T2.a", "--max-attempts", "1"]).assert(1, &[]);
    garden.config("arborist.worktree.setup", "true");
    let ended = garden.run(&["export", "--to", "make", "--dag"]);
    ended.assert(1, &["T2.a failed"]);
    for task in ["T2.a", "3", "T2_a", "all"] {
        garden.run(&["mark", "skip", task, "-m", "Not needed."]).assert(0, &[]);
    }
    garden.run(&["export", "--to", "make", "--dag"]).assert(1, &["nothing to export"]);
    garden.run(&["export", "--to", "make"]).assert(0, &[]);
}

#[test]
fn a_task_that_failed_leaves_those_without_it_in_the_file() {
    let rows: [(&str, &str, &[&str], &[&str]); 4] = [
        ("p", "", &[], &[]),
        ("A", "p", &[], &["true"]),
        ("B", "p", &["A"], &["true"]),
        ("C", "p", &[], &["true"]),
    ];
    let garden = Garden::new(&plan(&rows));
    garden.git(&["remote", "add", "origin", ADDRESS]);
    garden.agent("exit 1");
    garden.run(&["garden", "A", "--max-attempts", "1"]).assert(1, &[]);
    let text = file(&garden, &["make", "--dag"]);
    assert!(text.contains("because they have failed or wait for failed tasks: A, B."), "{text}");
    assert!(text.contains("TARGETS := task-C\n"), "{text}");
}

#[test]
fn what_an_engine_cannot_do_is_refused_with_a_reason() {
    let garden = garden();
    for (args, words) in [
        (&["slurm", "--jobs", "0"][..], &["--jobs is 0", "from 1 to 1000"][..]),
        (&["slurm", "--jobs", "1001"], &["1001", "MaxArraySize"]),
        (&["github", "--jobs", "257"], &["257", "at most 256 jobs", "from 1 to 256"]),
        (&["gitlab", "--jobs", "201"], &["parallel", "200"]),
        (&["make", "--jobs=-1"], &["--jobs"]),
        (&["k8s", "--dag"], &["Kubernetes knows no dependencies", "Leave out --dag"]),
        (&["slurm", "--dag", "--jobs", "2"], &["--dag", "--jobs"]),
        (&["pbs"], &["pbs", "slurm"]),
        (&["slurm", "--branch", "nowhere"], &["no branch nowhere"]),
        (&["slurm", "--remote", "nowhere"], &["no remote repository nowhere", "origin"]),
        (&["slurm", "-o", "no/such/file"], &["there is no folder no/such"]),
    ] {
        let ended = garden.run(&[&["export", "--to"], args].concat());
        ended.assert(2, words);
        assert_eq!(ended.stdout, "", "{args:?}");
    }
    for (engine, jobs) in [("slurm", "1000"), ("github", "256"), ("gitlab", "200")] {
        file(&garden, &[engine, "--jobs", jobs]);
    }
    garden.git(&["switch", "-q", "--detach"]);
    garden.run(&["export", "--to", "slurm"]).assert(3, &["--branch"]);
    file(&garden, &["slurm", "--branch", "main"]);
    garden.git(&["remote", "remove", "origin"]);
    garden.run(&["export", "--to", "slurm", "--branch", "main"]).assert(3, &["remote"]);
    // These engines make a checkout that has an origin.
    file(&garden, &["github", "--branch", "main"]);
}

#[test]
fn a_login_in_the_address_is_left_out_and_a_path_is_made_absolute() {
    let garden = Garden::new(&two_phases());
    garden.git(&["remote", "add", "origin", "https://me:hunter2secret@example.com/o/n.git"]);
    let ended = garden.run(&["export", "--to", "slurm"]);
    ended.assert(0, &["holds a login"]);
    assert!(!ended.stdout.contains("hunter2"), "{}", ended.stdout);
    assert!(ended.stdout.contains("--remote https://example.com/o/n.git "), "{}", ended.stdout);
    garden.git(&["remote", "set-url", "origin", "../n.git"]);
    let path = garden.top().join("../n.git");
    assert!(file(&garden, &["slurm"]).contains(&format!("--remote {} ", path.display())));
    assert!(file(&garden, &["slurm", "--remote", "git://h/n"]).contains("--remote git://h/n "));
    assert!(file(&garden, &["github", "--remote", "git://h/n"]).contains("--remote git://h/n "));
}

#[test]
fn a_value_that_no_job_file_can_hold_is_refused() {
    let garden = garden();
    garden.config("arborist.runner.other.command", "one\ntwo");
    garden.run(&["export", "--to", "make"]).assert(2, &["arborist.runner.other.command", "line break"]);
}

#[test]
fn a_file_that_was_not_made_here_is_only_replaced_on_request() {
    let garden = garden();
    let path = garden.root().join("job");
    let path = path.to_str().unwrap();
    let export = |args: &[&str]| garden.run(&[&["export", "--to", "slurm", "-o", path], args].concat());
    export(&[]).assert(0, &["Wrote "]);
    export(&["--jobs", "9"]).assert(0, &["Wrote "]);
    assert!(fs::read_to_string(path).unwrap().contains("--array=1-9\n"));
    fs::write(path, "all: clean\n").unwrap();
    export(&[]).assert(2, &["it is not a job file", "--force"]);
    assert_eq!(fs::read_to_string(path).unwrap(), "all: clean\n");
    export(&["--force"]).assert(0, &[]);
}

#[test]
fn the_plan_is_named_if_it_has_another_name_and_must_be_in_the_repository() {
    let garden = garden();
    garden.git(&["mv", "task-tree.json", "plan.json"]);
    garden.commit("Rename the plan");
    assert!(file(&garden, &["slurm", "--tree", "plan.json"]).contains("export ARBORIST_TREE=plan.json\n"));
    let outside = garden.root().join("plan.json");
    fs::copy(garden.top().join("plan.json"), &outside).unwrap();
    let ended = garden.run(&["export", "--to", "slurm", "--tree", outside.to_str().unwrap()]);
    ended.assert(2, &["is not in this repository"]);
}

#[test]
#[ignore = "starts a cluster, whose times depend on how busy the machine is"]
fn a_cluster_of_slurm_on_this_machine_runs_requeues_and_cancels_jobs() {
    if which::which("python3").is_err() {
        eprintln!("skipped: python3 is not installed");
        return;
    }
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/run");
    let said = Said::of(Command::new(run).arg("cluster").output().unwrap());
    assert_eq!(said.code, 0, "{said:#?}");
    if said.out.starts_with("skipped: ") {
        eprint!("{}", said.out);
    } else {
        assert_eq!(said.out, "the cluster runs, requeues and cancels jobs\n", "{said:#?}");
    }
}

#[test]
fn make_runs_a_whole_plan_by_its_file_on_a_remote_repository() {
    let is_there = |program: &&str| which::which(program).is_ok();
    if !["python3", "make"].iter().all(is_there) {
        eprintln!("skipped: python3 or make is not installed");
        return;
    }
    let run = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/engines/run");
    let program = programs().join("git-arborist");
    let args = ["make", "--seconds", "0.1", "--program", program.to_str().unwrap()];
    let said = Said::of(Command::new(run).args(args).output().unwrap());
    let ends_well = said.out.ends_with("every task is complete and was merged exactly once\n");
    assert!(said.code == 0 && ends_well, "{said:#?}");
}

#[test]
fn every_engine_has_a_section_in_the_docs_and_the_manual_names_it() {
    let docs = include_str!("../../docs/engines.md");
    let help =
        Said::of(Command::new(programs().join("git-arborist")).args(["export", "-h"]).output().unwrap());
    for engine in ENGINES {
        assert!(docs.contains(&format!("export --to {engine}")), "{engine}");
        assert!(help.out.contains(engine), "{engine}: {}", help.out);
    }
}
