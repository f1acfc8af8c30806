//! Kills schedulers, workers and whole groups at random moments.

use std::os::unix::process::CommandExt;
use std::process::Command;
use std::time::{Duration, Instant};

use crate::jobs::assert_integrated;
use crate::support::dice::Dice;
use crate::support::garden::{Garden, plan};
use crate::support::harness::assert_nothing_lost;
use crate::support::skip::has_proc;

const ALL: [&str; 5] = ["T001", "T002", "T003", "T004", "T005"];

/// Five tasks, of which some need others and two edit the same line.
fn garden() -> Garden {
    let garden = Garden::new(&plan(&[
        ("p1", "", &[], &["test -f T001.txt"]),
        ("T001", "p1", &[], &["test -f T001.txt"]),
        ("T002", "p1", &[], &["grep -q T002 shared"]),
        ("T003", "p1", &[], &["grep -q T003 shared"]),
        ("p2", "", &[], &[]),
        ("T004", "p2", &["T001"], &["test -f T001.txt && test -f T004.txt"]),
        ("T005", "p2", &["T002", "T004"], &["grep -q T002 shared && test -f T005.txt"]),
    ]));
    garden.config("arborist.review", "false");
    garden.write("shared", "first\n");
    garden.write("mine", "committed\n");
    garden.commit("Add files");
    garden.write("notes", "of the user\n");
    garden.agent(
        r#"mkdir -p "$ROOT/ledger"
        case $ARBORIST_TASK in
        T002|T003)
            if grep -q '^<<<<<<<' shared; then sed -i '/^<<<<<<<\|^=======\|^>>>>>>>/d' shared
            else grep -q "$ARBORIST_TASK" shared || echo "$ARBORIST_TASK" >> shared; fi;;
        esac
        echo "$ARBORIST_TASK" > "$ARBORIST_TASK.txt"
        sleep 0.05
        exit 0"#,
    );
    garden
}

const RUN: [&str; 4] = ["gardener", "--jobs", "3", "--allow-dirty"];

/// The processes of our program that run in this garden: the scheduler and its workers.
fn ours(garden: &Garden) -> Vec<i32> {
    let ours = format!("ROOT={}\0", garden.root().display());
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let is_ours = |folder: &std::path::Path| {
        let environment = std::fs::read(folder.join("environ")).unwrap_or_default();
        let comm = std::fs::read_to_string(folder.join("comm")).unwrap_or_default();
        comm.starts_with("git-arborist")
            && environment.windows(ours.len()).any(|window| window == ours.as_bytes())
    };
    entries
        .filter(|entry| is_ours(&entry.path()))
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}

fn kill(target: &str) {
    let _ =
        Command::new("/bin/kill").args(["-KILL", "--", target]).stderr(std::process::Stdio::null()).status();
}

/// Kills something of a run at a random moment, until so many were killed. Returns the number of runs that came to their end.
fn kill_at_random(kills: usize, seed: u64) -> usize {
    let mut dice = Dice(seed);
    let (mut killed, mut ends) = (0, 0);
    while killed < kills {
        let garden = garden();
        loop {
            let mut command = garden.arborist(&RUN);
            command.process_group(0);
            let mut running = garden.start(command);
            let until = Instant::now() + Duration::from_millis(50 + u64::try_from(dice.below(4000)).unwrap());
            while Instant::now() < until && running.child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(2));
            }
            let mut what = "nothing";
            if killed < kills && running.child.try_wait().unwrap().is_none() {
                let scheduler = i32::try_from(running.child.id()).unwrap();
                let workers: Vec<i32> = ours(&garden).into_iter().filter(|pid| *pid != scheduler).collect();
                match dice.below(4) {
                    0 => {
                        what = "the scheduler";
                        kill(&scheduler.to_string());
                    }
                    1 => {
                        what = "the group";
                        kill(&format!("-{scheduler}"));
                    }
                    2 => {
                        what = "everything";
                        kill(&scheduler.to_string());
                        workers.iter().for_each(|pid| kill(&pid.to_string()));
                    }
                    _ if workers.is_empty() => {}
                    _ => {
                        what = "a worker";
                        kill(&workers[dice.below(workers.len())].to_string());
                    }
                }
                killed += usize::from(what != "nothing");
            }
            let ended = running.wait();
            let place = format!("seed {seed}, kill {killed} of {what}: {ended:?}");
            garden.assert_nothing_runs();
            garden.check_repository();
            assert_nothing_lost(&garden);
            assert_eq!(garden.read("notes"), "of the user\n", "{place}");
            if ended.status == 0 {
                std::fs::remove_file(garden.top().join("notes")).unwrap();
                assert_integrated(&garden, &ALL);
                ends += 1;
                break;
            }
            if ![137, 4, 5].contains(&ended.status)
                && let Ok(folder) = std::env::var("JOBS_KEEP")
            {
                let _ = Command::new("cp").args(["-a", garden.root().to_str().unwrap(), &folder]).status();
            }
            // A worker that was killed is an error of the run, which the next one does not have.
            assert!([137, 4, 5].contains(&ended.status), "{place}");
        }
    }
    ends
}

#[test]
fn a_task_that_was_killed_in_its_first_step_goes_on_where_it_began_although_others_were_merged_since() {
    let garden = garden();
    garden.agent(
        r#"case $ARBORIST_TASK in
        T001) echo T001 > T001.txt; exit 0;;
        *) echo "$ARBORIST_TASK" >> shared; echo x > "$ARBORIST_TASK.txt"
           test -e "$ROOT/go" || { touch "$ROOT/waits-$ARBORIST_TASK"; sleep 600; }; exit 0;;
        esac"#,
    );
    let mut command = garden.arborist(&RUN);
    command.process_group(0);
    let running = garden.start(command);
    garden.wait_for("waits-T002");
    garden.wait_until("T001 was not merged", || {
        garden.git(&["log", "--format=%s", "main"]).contains("Merge task")
    });
    kill(&format!("-{}", running.id()));
    running.wait();
    garden.assert_nothing_runs();
    std::fs::write(garden.root().join("go"), "").unwrap();
    garden.agent(
        r#"case $ARBORIST_TASK in
        T00[23]) if grep -q '^<<<<<<<' shared; then sed -i '/^<<<<<<<\|^=======\|^>>>>>>>/d' shared
            else grep -q "$ARBORIST_TASK" shared || echo "$ARBORIST_TASK" >> shared; fi;;
        esac; echo x > "$ARBORIST_TASK.txt"; exit 0"#,
    );
    garden.run(&RUN).assert(0, &["T002 merge       pass"]);
    std::fs::remove_file(garden.top().join("notes")).unwrap();
    assert_integrated(&garden, &ALL);
}

#[test]
fn whatever_is_killed_every_task_is_merged_exactly_once() {
    // What a killed run has left is waited for.
    if has_proc() {
        kill_at_random(3, 3);
    }
}

#[test]
#[ignore = "takes long: 300 kills, or JOBS_KILLS, with the seed JOBS_SEED"]
fn hundreds_of_kills_still_merge_every_task_exactly_once() {
    let number = |name: &str, default| std::env::var(name).map_or(default, |text| text.parse().unwrap());
    let (kills, seed) = (number("JOBS_KILLS", 300), number("JOBS_SEED", 1));
    let ends = kill_at_random(usize::try_from(kills).unwrap(), seed);
    println!("{kills} kills, seed {seed}: {ends} runs came to their end");
}
