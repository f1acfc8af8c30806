//! Tests that the cache of a run changes no answer: it is used if it fits, and otherwise everything is read.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::support::repo::{Commit, Repo, tasks};
use git_arborist::history::{AnchorRule, Cache, Query, RepoPath, Run, read_run, read_union};
use git_arborist::record::CommitId;

const LEAVES: [(&str, &str); 2] = [("T1", "p"), ("T2", "p")];
const PLAN: &str = r#"{"nodes": {"T1": {"id": "T1", "name": "one"}, "T2": {"id": "T2", "name": "two"}}}"#;

/// The files of a cache.
fn files(common_dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(common_dir.join("arborist/cache")).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// Changes one byte in each file of a cache.
pub(super) fn damage(common_dir: &Path, seed: usize) {
    for file in files(common_dir) {
        let mut bytes = fs::read(&file).unwrap();
        let place = seed.wrapping_mul(7919) % bytes.len();
        bytes[place] ^= 1 << (seed % 7);
        fs::write(&file, bytes).unwrap();
    }
}

struct History {
    repo: Repo,
    ids: Vec<CommitId>,
    folder: tempfile::TempDir,
}

impl History {
    /// A plan, and steps of its tasks.
    fn new(steps: usize) -> Self {
        let message = |number: usize| match number {
            0 => "plan".to_owned(),
            _ => format!(
                "task(T{}): x\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: {number}\n",
                1 + number % 2
            ),
        };
        let commit = |number: usize| Commit {
            parents: number.checked_sub(1).into_iter().collect(),
            time: 1_700_000_000 + i64::try_from(number).unwrap(),
            message: message(number),
            files: if number == 0 {
                vec![("task-tree.json".to_owned(), Some(PLAN.to_owned()))]
            } else {
                Vec::new()
            },
        };
        let (repo, ids) = Repo::with(&(0..=steps).map(commit).collect::<Vec<_>>());
        Self { repo, ids, folder: tempfile::tempdir().unwrap() }
    }

    fn cache(&self) -> Cache {
        Cache::of(self.folder.path()).keeping_all()
    }

    /// The run read with a cache, and how many objects were read for it. Asserts that the answer is the same without a
    /// cache.
    fn read(&self, cache: &Cache, head: CommitId) -> (Run, u64) {
        let (path, leaves) = (RepoPath::new(b"task-tree.json").unwrap(), tasks(&LEAVES));
        let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves };
        let repository = self.repo.open();
        let run = cache.read_run(&repository, head, &query).unwrap();
        assert_eq!(read_run(&self.repo.open(), head, &query).unwrap(), run);
        (run, repository.reads())
    }
}

#[test]
fn the_next_read_continues_from_the_cache() {
    let history = History::new(300);
    let (_, all) = history.read(&history.cache(), history.ids[290]);
    let (_, same) = history.read(&history.cache(), history.ids[290]);
    let (_, ten_more) = history.read(&history.cache(), history.ids[300]);
    assert!(all > 290 && same <= 4 && ten_more <= 30, "{all} {same} {ten_more}");
}

#[test]
fn a_short_read_is_not_cached() {
    let history = History::new(10);
    history.read(&Cache::of(history.folder.path()), history.ids[10]);
    assert!(files(history.folder.path()).is_empty());
    let long = History::new(200);
    long.read(&Cache::of(long.folder.path()), long.ids[200]);
    assert_eq!(files(long.folder.path()).len(), 1);
}

#[test]
fn a_damaged_byte_anywhere_in_the_cache_changes_no_answer() {
    let history = History::new(20);
    let size = {
        history.read(&history.cache(), history.ids[20]);
        fs::read(&files(history.folder.path())[0]).unwrap().len()
    };
    // Every bit of a byte is changed somewhere.
    for seed in (0..size).step_by(5) {
        damage(history.folder.path(), seed);
        history.read(&history.cache(), history.ids[20]);
    }
}

#[test]
fn a_cache_file_that_is_truncated_empty_a_folder_or_a_pipe_changes_no_answer() {
    let history = History::new(20);
    history.read(&history.cache(), history.ids[20]);
    let file = files(history.folder.path()).remove(0);
    let whole = fs::read(&file).unwrap();
    for cut in [0, 1, 41, 60, whole.len() - 1] {
        fs::write(&file, &whole[..cut]).unwrap();
        history.read(&history.cache(), history.ids[20]);
    }
    fs::remove_file(&file).unwrap();
    fs::create_dir(&file).unwrap();
    history.read(&history.cache(), history.ids[20]);
    fs::remove_dir(&file).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
    history.read(&history.cache(), history.ids[20]);
}

#[test]
fn without_a_cache_everything_is_read() {
    let history = History::new(20);
    fs::write(history.folder.path().join("arborist"), "a file in the way of the folder").unwrap();
    history.read(&history.cache(), history.ids[20]);
    if !rustix::process::geteuid().is_root() {
        let closed = tempfile::tempdir().unwrap();
        fs::set_permissions(closed.path(), fs::Permissions::from_mode(0o500)).unwrap();
        history.read(&Cache::of(closed.path()).keeping_all(), history.ids[20]);
    }
}

#[test]
fn the_cache_of_another_branch_is_not_used_for_this_one() {
    let history = History::new(40);
    history.read(&history.cache(), history.ids[40]);
    // Back, as after `git reset`; on, with a revert; and with a merge.
    history.read(&history.cache(), history.ids[20]);
    let reverted = history.ids[39];
    let message = format!("Revert \"task(T2): x\"\n\nThis reverts commit {reverted}.\n");
    let on_top = |parents: &[&str], message: &str| {
        let mut args = vec!["commit-tree", "-m", message];
        for parent in parents {
            args.extend(["-p", parent]);
        }
        let tree = format!("{}^{{tree}}", parents[0]);
        args.push(&tree);
        history.repo.git(&args).trim().parse::<CommitId>().unwrap()
    };
    let tip = history.ids[40].to_string();
    history.read(&history.cache(), history.ids[40]);
    let revert = on_top(&[&tip], &message);
    history.read(&history.cache(), revert);
    let merge = on_top(&[&revert.to_string(), &history.ids[10].to_string()], "merge");
    history.read(&history.cache(), merge);
    history.read(&history.cache(), history.ids[40]);
}

#[test]
fn concurrent_writers_of_the_cache_leave_right_answers() {
    let history = History::new(60);
    let (folder, repo, head) = (history.folder.path(), &history.repo, history.ids[60]);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(move || {
                let (path, leaves) = (RepoPath::new(b"task-tree.json").unwrap(), tasks(&LEAVES));
                let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves };
                for _ in 0..10 {
                    let repository = repo.open();
                    let run = Cache::of(folder).keeping_all().read_run(&repository, head, &query).unwrap();
                    assert_eq!(run, read_run(&repository, head, &query).unwrap());
                    let _ = fs::remove_dir_all(folder.join("arborist"));
                }
            });
        }
    });
}

/// A plan with two tasks, and for each a branch of steps that began at the plan.
struct Forked {
    history: History,
    /// The plan, at which both began.
    plan: CommitId,
    /// The commits of each branch.
    branches: [Vec<CommitId>; 2],
}

impl Forked {
    fn new() -> Self {
        let history = History::new(0);
        let plan = history.ids[0];
        let branch = |task: &str| {
            let mut tip = plan;
            let step = |retry: u32| {
                let message = format!(
                    "task({task}): x\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: {retry}\n"
                );
                let (parent, tree) = (tip.to_string(), format!("{plan}^{{tree}}"));
                let id = history.repo.git(&["commit-tree", "-m", &message, "-p", &parent, &tree]);
                tip = id.trim().parse::<CommitId>().unwrap();
                tip
            };
            (0..6).map(step).collect::<Vec<_>>()
        };
        let branches = ["T1", "T2"].map(branch);
        Self { history, plan, branches }
    }

    /// The run read from these branches with a cache, and how many objects were read for it. Asserts that the answer is the same
    /// without a cache.
    fn read(&self, head: CommitId, beside: &[CommitId]) -> (Run, u64) {
        let (path, leaves) = (RepoPath::new(b"task-tree.json").unwrap(), tasks(&LEAVES));
        let query = Query { tree_file: Some(&path), anchor: AnchorRule::Plan, tasks: &leaves };
        let (cache, repository) = (self.history.cache(), self.history.repo.open());
        let here = read_run(&self.history.repo.open(), head, &query).unwrap().range;
        let open = cache.open_tips(&repository, &here, beside, &query).unwrap();
        assert_eq!(open, self.history.repo.open().open_tips(&here, beside).unwrap());
        let run = cache.read_union(&repository, head, beside.to_vec(), &query).unwrap();
        assert_eq!(read_union(&self.history.repo.open(), head, beside.to_vec(), &query).unwrap(), run);
        (run, repository.reads())
    }
}

#[test]
fn several_branches_are_read_from_the_cache_only_while_all_of_them_stay_where_they_are() {
    let forked = Forked::new();
    let [one, two] = &forked.branches;
    let (_, all) = forked.read(forked.plan, &[one[4], two[5]]);
    let (_, same) = forked.read(forked.plan, &[one[4], two[5]]);
    assert!(all > 10 && same == 0, "{all} {same}");
    // A branch moves on or back, another is checked out, one is gone, or one is merged.
    forked.read(forked.plan, &[one[5], two[5]]);
    forked.read(forked.plan, &[one[3], two[0]]);
    forked.read(one[3], &[two[0]]);
    forked.read(two[0], &[one[3]]);
    forked.read(forked.plan, &[one[3]]);
    let tree = format!("{}^{{tree}}", forked.plan);
    let parents = [forked.plan.to_string(), one[5].to_string()];
    let merge = ["commit-tree", "-m", "merge", "-p", &parents[0], "-p", &parents[1], &tree];
    let merge = forked.history.repo.git(&merge).trim().parse::<CommitId>().unwrap();
    let (run, _) = forked.read(merge, &[one[5], two[5]]);
    assert_eq!(run.tasks.len(), 2);
    assert_eq!(forked.read(merge, &[one[5], two[5]]), (run, 0));
}

#[test]
fn a_damaged_byte_in_the_stored_run_of_several_branches_changes_no_answer() {
    let forked = Forked::new();
    let [one, two] = &forked.branches;
    let beside = [one[5], two[5]];
    let (run, _) = forked.read(forked.plan, &beside);
    let folder = forked.history.folder.path();
    let stored = files(folder);
    assert_eq!(stored.len(), 2, "the run, and which branches are open: {stored:?}");
    let size = stored.iter().map(|file| fs::read(file).unwrap().len()).max().unwrap();
    // Every bit of a byte is changed somewhere.
    for seed in (0..size).step_by(5) {
        damage(folder, seed);
        assert_eq!(forked.read(forked.plan, &beside).0, run);
    }
    for file in stored {
        let whole = fs::read(&file).unwrap();
        for cut in [0, 1, 41, 60, whole.len() - 1] {
            fs::write(&file, &whole[..cut]).unwrap();
            assert_eq!(forked.read(forked.plan, &beside).0, run);
        }
    }
    // Each of the two files in the place of the other.
    let mut stored = files(folder);
    stored.sort();
    let contents: Vec<Vec<u8>> = stored.iter().map(|file| fs::read(file).unwrap()).collect();
    fs::write(&stored[0], &contents[1]).unwrap();
    fs::write(&stored[1], &contents[0]).unwrap();
    assert_eq!(forked.read(forked.plan, &beside).0, run);
}
