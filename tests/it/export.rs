//! Tests `export`: what the job files run is what the plan and the settings say. That their engines read them is tested in tests/tools.

use std::fs;
use std::process::Command;

use crate::support::cli::Said;
use crate::support::garden::{Ended, Garden, plan, programs};
use crate::support::jobs::{ADDRESS, assert_called, calls, expected, file, garden, stand_in, two_phases};

/// The words for all engines.
const ENGINES: [&str; 5] = ["slurm", "github", "gitlab", "k8s", "make"];

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
    shell.env("RUNNER_TEMP", garden.root());
    garden.finish(shell)
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
            variables: &[
                ("GITHUB_RUN_ID", "71"),
                ("WORKER", "2"),
                ("GITHUB_RUN_ATTEMPT", "1"),
                ("GITHUB_SERVER_URL", "https://example.com"),
                ("LOGIN", "sesame"),
            ],
            remote: "origin",
            claimant: "github:71.2",
            attempt: "1",
        },
        Started {
            engine: "gitlab",
            variables: &[
                ("CI_PIPELINE_ID", "71"),
                ("CI_NODE_INDEX", "2"),
                ("CI_JOB_ID", "5000000001"),
                ("CI_REPOSITORY_URL", "https://gitlab-ci-token:sesame@example.com/o/n.git"),
                ("CI_JOB_TOKEN", "sesame"),
            ],
            remote: "origin",
            claimant: "gitlab:71.2",
            attempt: "5000000001",
        },
        Started {
            engine: "k8s",
            variables: &[
                ("JOB_UID", "u-71"),
                ("JOB_COMPLETION_INDEX", "2"),
                ("FAILURES", "2"),
                ("DISRUPTIONS", "1"),
            ],
            remote: ADDRESS,
            claimant: "k8s:u-71.2",
            attempt: "3",
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
        if engine == "gitlab" {
            // GitLab has cloned with its token.
            garden.git(&["remote", "set-url", "origin", variables[3].1]);
        }
        let script = format!("{script}\numask >\"$ROOT/umask\"").replace("exec git", "git");
        run_script(&garden, &script, variables).assert(0, &[]);
        let mask = fs::read_to_string(garden.root().join("umask")).unwrap();
        assert_ne!(mask.trim_end(), "0077", "{engine}: agents write files as they always do");
        let calls = calls(&garden);
        let [call] = calls.as_slice() else { panic!("{calls:#?}") };
        assert_called(call, &expected(remote, claimant, attempt));
        assert!(!call.contains("sesame"), "{call}");
        assert!(call.contains("ARBORIST_PATIENCE=1h\n"), "{call}");
        assert!(!garden.git(&["config", "--list"]).contains("sesame"), "{engine}");
    }
}

#[test]
fn the_right_to_push_is_in_no_variable_and_in_no_file_that_others_may_read() {
    use std::os::unix::fs::PermissionsExt;
    let garden = garden();
    let text = file(&garden, &["github"]);
    assert!(
        text.contains("persist-credentials: false") && text.contains("LOGIN: ${{ github.token }}"),
        "{text}"
    );
    let script = block(&text, "run: |\n").replace("${{ '${{' }}", "${{");
    let variables = [("LOGIN", "sesame"), ("GITHUB_SERVER_URL", "https://example.com")];
    run_script(&garden, &format!("{script}\nenv >\"$ROOT/env\"").replace("exec git", "git"), &variables)
        .assert(0, &[]);
    let kept = garden.root().join("arborist-login");
    assert_eq!(fs::read_to_string(&kept).unwrap(), "https://x-access-token:sesame@example.com\n");
    assert_eq!(fs::metadata(&kept).unwrap().permissions().mode() & 0o77, 0);
    let call = &calls(&garden)[0];
    assert!(!call.contains("sesame") && call.contains("\nARBORIST_PUSH=ends\n"), "{call}");
    let rest = fs::read_to_string(garden.root().join("env")).unwrap();
    assert!(!rest.contains("sesame"), "{rest}");
    garden.config("arborist.push", "steps");
    assert!(file(&garden, &["github"]).contains("export ARBORIST_PUSH=steps\n"));
}

#[test]
fn a_known_agent_is_installed_and_logged_in_by_a_secret() {
    let garden = garden();
    garden.config("arborist.runner", "claude,codex");
    let text = file(&garden, &["github"]);
    for line in [
        "      - run: npm install -g @anthropic-ai/claude-code@latest\n",
        "          ANTHROPIC_API_KEY: ${{ secrets.ANTHROPIC_API_KEY }}\n",
        "# - claude, codex, logged in, for example by ANTHROPIC_API_KEY and ",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    // Two agents take the same key, and a map in YAML has each key once.
    garden.config("arborist.runner", "claude,codex,opencode");
    assert_eq!(file(&garden, &["github"]).matches(" ANTHROPIC_API_KEY: ").count(), 1);
    garden.config("user.name", "A $(B)");
    garden.config("user.email", "a@example.com");
    let text = file(&garden, &["k8s"]);
    assert!(text.contains("value: \"A $$(B)\"\n"), "{text}");
    assert!(text.contains("name: GIT_AUTHOR_NAME\n") && text.contains("name: arborist-agent\n"), "{text}");
}

#[test]
fn a_check_says_what_is_missing_and_writes_nothing() {
    let garden = Garden::new(&two_phases());
    let bare = garden.root().join("there.git");
    garden.git(&["init", "-q", "--bare", bare.to_str().unwrap()]);
    garden.git(&["remote", "add", "origin", bare.to_str().unwrap()]);
    fs::write(garden.top().join("package-lock.json"), "{}").unwrap();
    garden.commit("Add a lock file");
    let check = |args: &[&str], status: i32, missing: &[&str]| {
        let ended = garden.run(&[&["export", "--check", "--to"], args].concat());
        ended.assert(status, &["Not visible from here: "]);
        missing.iter().for_each(|word| assert!(ended.stdout.contains(word), "{word}: {ended:?}"));
        assert_eq!(ended.stdout.lines().count(), missing.len(), "{ended:?}");
    };
    check(&["k8s"], 1, &["has no branch main: push it", "folder of this machine", "package-lock.json"]);
    garden.config("arborist.worktree.setup", "npm ci");
    garden.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]);
    check(&["make"], 0, &[]);
    garden.write("more", "");
    garden.commit("Go on");
    check(&["make"], 1, &["does not have the newest commit"]);
    garden.git(&["push", "-q", "origin", "HEAD:refs/heads/main"]);
    let path = garden.root().join("job.yml");
    let path = path.to_str().unwrap();
    let unwritten = garden.run(&["export", "--check", "--to", "github", "-o", path]);
    unwritten.assert(2, &["cannot be read", "leave out --check"]);
    garden.run(&["export", "--to", "github", "-o", path]).assert(0, &[]);
    check(&["github", "-o", path], 1, &["Replace `OWNER/git-arborist@`"]);
    let text = fs::read_to_string(path).unwrap().replace("OWNER/", "me/");
    fs::write(path, &text).unwrap();
    check(&["github", "-o", path], 0, &[]);
    assert_eq!(fs::read_to_string(path).unwrap(), text);
    fs::rename(&bare, garden.root().join("away.git")).unwrap();
    check(&["make"], 1, &["does not answer"]);
}

#[test]
fn slurm_reads_the_login_of_the_agent_from_a_file_if_there_is_one() {
    let garden = garden();
    let script = file(&garden, &["slurm"]);
    let login = garden.root().join("login");
    fs::write(&login, "ARBORIST_WORKTREE_SETUP_SEEN='a b'\nGIT_CONFIG_SEEN=yes\n").unwrap();
    let login = login.to_str().unwrap();
    let variables = [("SLURM_ARRAY_JOB_ID", "71"), ("SLURM_ARRAY_TASK_ID", "2"), ("ARBORIST_LOGIN", login)];
    run_script(&garden, &script, &variables).assert(0, &[]);
    assert!(calls(&garden)[0].contains("GIT_CONFIG_SEEN=yes\n"), "{}", calls(&garden)[0]);
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
fn every_engine_has_a_section_in_the_docs_and_the_manual_names_it() {
    let docs = include_str!("../../docs/engines.md");
    let help =
        Said::of(Command::new(programs().join("git-arborist")).args(["export", "-h"]).output().unwrap());
    for engine in ENGINES {
        assert!(docs.contains(&format!("export --to {engine}")), "{engine}");
        assert!(help.out.contains(engine), "{engine}: {}", help.out);
    }
}
