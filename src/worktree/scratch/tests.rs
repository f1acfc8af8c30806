//! Tests scratch work trees in real repositories.

use super::*;
use crate::git::Git;
use std::process::Command;

pub(super) struct Place {
    _dir: tempfile::TempDir,
    pub(super) top: PathBuf,
    pub(super) git: Git,
}

impl Place {
    /// A repository with two commits, in a folder with a blank in its name.
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap().join("my project");
        std::fs::create_dir(&top).unwrap();
        let git = Git::find(&top).unwrap().discovering_from_folder_alone();
        let place = Self { _dir: dir, top, git };
        place.git(&["init", "--quiet", "--initial-branch=main"]);
        place.git(&["config", "user.name", "A"]);
        place.git(&["config", "user.email", "a@example.com"]);
        place.write(".gitignore", "node_modules/\n.env\n");
        place.commit("file", "one\n");
        place.commit("file", "two\n");
        place
    }

    pub(super) fn git(&self, args: &[&str]) -> String {
        let mut command = Command::new("git");
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        let output = command
            .args(["-c", "protocol.file.allow=always"])
            .args(args)
            .current_dir(&self.top)
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    pub(super) fn write(&self, path: &str, content: &str) {
        let path = self.top.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(super) fn commit(&self, path: &str, content: &str) {
        self.write(path, content);
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--message", "a commit"]);
    }

    pub(super) fn id(&self, revision: &str) -> CommitId {
        CommitId::from_hex(self.git(&["rev-parse", revision]).as_bytes()).unwrap()
    }

    pub(super) fn work_tree(&self) -> WorkTree {
        self.git.work_tree().unwrap()
    }

    pub(super) fn scratches(&self) -> Scratches {
        let work_tree = self.work_tree();
        Scratches {
            git: self.git.clone(),
            places: ScratchPlaces::beside(&work_tree, [std::env::temp_dir()]),
            work_tree,
            copy: Vec::new(),
            setup: None,
            setup_timeout: Duration::from_secs(60),
            programs: ScratchPrograms {
                shell: "/bin/sh".into(),
                local_env: self.git.local_env_vars().unwrap(),
                cancel: Cancel::new(),
                secrets: Secrets::default(),
                sandbox: None,
            },
        }
    }

    fn make(&self, revision: &str) -> Scratch {
        self.scratches().make("prove-clean", &self.id(revision)).unwrap()
    }

    fn worktrees(&self) -> usize {
        self.git(&["worktree", "list", "--porcelain"])
            .lines()
            .filter(|line| line.starts_with("worktree "))
            .count()
    }

    fn assert_nothing_left(&self) {
        assert_eq!(self.worktrees(), 1);
        assert!(!self.top.join(".git/worktrees").exists());
        let names: Vec<_> = std::fs::read_dir(self.top.parent().unwrap())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["my project"]);
        assert_eq!(ScratchRecords::of(&self.top.join(".git")).all(), []);
    }
}

/// Imitates a killed process: the lock is released, and nothing is removed.
fn kill(mut scratch: Scratch) -> PathBuf {
    scratch.is_removed = true;
    scratch.work_tree.top.clone()
}

fn content(scratch: &Scratch, path: &str) -> Option<String> {
    std::fs::read_to_string(scratch.work_tree.top.join(path)).ok()
}

#[test]
fn a_scratch_work_tree_has_the_files_of_its_commit_and_leaves_nothing_behind() {
    let place = Place::new();
    place.write("untracked", "");
    place.write(".env", "");
    place.write(
        ".git/hooks/post-checkout",
        "#!/bin/sh\ntouch \"$(git rev-parse --git-common-dir)/hook-ran\"\n",
    );
    place.git(&["config", "core.fileMode", "true"]);
    Command::new("chmod").arg("+x").arg(place.top.join(".git/hooks/post-checkout")).status().unwrap();
    let before = place.git(&["for-each-ref"]);
    let scratch = place.make("HEAD~");
    let WorkTree { top, .. } = &scratch.work_tree;
    assert!(
        !top.starts_with(&place.top) && top.to_str().unwrap().contains("/my project.arborist/prove-clean-")
    );
    assert_eq!(content(&scratch, "file").as_deref(), Some("one\n"));
    assert_eq!((content(&scratch, "untracked"), content(&scratch, ".env")), (None, None));
    assert_eq!(place.worktrees(), 2);
    assert_eq!(place.git(&["for-each-ref"]), before);
    assert!(!place.top.join(".git/hook-ran").exists());
    std::fs::create_dir(top.join("left")).unwrap();
    scratch.remove().unwrap();
    place.assert_nothing_left();
    assert_eq!(place.git(&["status", "--porcelain"]), "?? untracked");
}

#[test]
fn what_a_killed_command_left_is_removed_and_what_is_in_use_is_not() {
    let place = Place::new();
    let (used, left) = (place.make("HEAD"), kill(place.make("HEAD")));
    assert!(left.exists());
    let found = remove_leftovers(&used.work_tree).unwrap();
    assert_eq!((found.removed, found.stuck), (vec![left.clone()], vec![]));
    assert_eq!(found.in_use.len(), 1);
    assert_eq!(found.in_use[0].folder, used.work_tree.top);
    assert!(!left.exists() && content(&used, "file").is_some());
    let next = kill(place.make("HEAD"));
    let last = place.make("HEAD");
    assert!(!next.exists(), "the next one removes it");
    drop((used, last));
    place.assert_nothing_left();
}

#[test]
fn whatever_was_made_before_a_command_was_killed_is_removed() {
    let place = Place::new();
    let work_tree = place.work_tree();
    let records = ScratchRecords::of(&work_tree.common_dir);
    let tree = |name: &str| place.top.parent().unwrap().join("my project.arborist").join(name);
    // Only the record; the record and its note; git's entry without a word; and one that says why it is locked, with a folder in
    // which nothing is yet.
    std::fs::create_dir_all(place.top.join(".git/arborist/scratch/a-1-1")).unwrap();
    for name in ["b-2-2", "c-3-3", "d-4-4"] {
        let turn = records.turn().unwrap();
        drop(records.make(&turn, name, &tree(name)).unwrap().unwrap());
    }
    for name in ["c-3-3", "d-4-4"] {
        std::fs::create_dir_all(place.top.join(".git/worktrees").join(name)).unwrap();
    }
    place.write(".git/worktrees/d-4-4/locked", "git-arborist: in use by process 4");
    std::fs::create_dir_all(tree("d-4-4")).unwrap();
    let found = remove_leftovers(&work_tree).unwrap();
    assert_eq!(found.stuck, []);
    place.assert_nothing_left();
}

/// Imitates an agent that writes the record of a scratch work tree.
fn forge(place: &Place, kind: &str, name: &str, tree: &Path) {
    let record = format!(".git/arborist/{kind}/{name}/folder");
    place.write(&record, tree.to_str().unwrap());
}

#[test]
fn a_record_alone_removes_nothing() {
    let place = Place::new();
    let work_tree = place.work_tree();
    let beside = place.top.parent().unwrap().to_owned();
    let own = beside.join("my project.arborist");
    // Whatever an agent writes there: a folder of the user, one among our own, the user's other work tree (with our name, and where
    // ours are), the main one, a slot, and ways around.
    let users = beside.join("users/doc-1-1");
    std::fs::create_dir_all(&users).unwrap();
    std::fs::write(users.join("file"), "").unwrap();
    std::fs::create_dir_all(own.join("doc-2-2")).unwrap();
    std::fs::write(own.join("doc-2-2/file"), "").unwrap();
    for (tree, name) in [(beside.join("tree-3-3"), "tree-3-3"), (own.join("slot-4"), "slot-4")] {
        place.git(&["worktree", "add", "--quiet", "--detach", tree.to_str().unwrap()]);
        forge(&place, "scratch", name, &tree);
    }
    let linked = beside.join("users.arborist");
    std::os::unix::fs::symlink(beside.join("users"), &linked).unwrap();
    forge(&place, "scratch", "doc-1-1", &linked.join("doc-1-1"));
    forge(&place, "scratch", "doc-2-2", &own.join("doc-2-2"));
    forge(&place, "scratch", "my project", &place.top);
    forge(&place, "scratch", "doc-5-5", &own.join("../users/doc-1-1/../doc-5-5"));
    forge(&place, "scratch", "doc-6-6", &place.top);
    // git's entry of the one leads to the folder of the other.
    place.write(".git/worktrees/doc-2-2/gitdir", own.join("doc-2-2/.git").to_str().unwrap());
    let found = remove_leftovers(&work_tree).unwrap();
    assert!(found.removed.iter().all(|tree| !tree.exists()), "{:?}", found.removed);
    for kept in [users.join("file"), own.join("doc-2-2/file"), place.top.join("file")] {
        assert!(kept.exists(), "{}", kept.display());
    }
    for tree in [beside.join("tree-3-3"), own.join("slot-4")] {
        assert!(tree.join("file").exists(), "{}", tree.display());
    }
    let told: Vec<&str> = found.stuck.iter().map(Error::what).collect();
    assert!(
        told.iter().any(|told| told.contains("doc-2-2") && told.contains("git does not know it")),
        "{told:?}"
    );
}

#[test]
fn a_slot_that_only_its_record_names_is_neither_used_nor_removed() {
    let place = Place::new();
    let users = place.top.parent().unwrap().join("users/slot-0");
    std::fs::create_dir_all(&users).unwrap();
    std::fs::write(users.join("file"), "").unwrap();
    forge(&place, "slots", "slot-0", &users);
    place.write(".git/arborist/slots/slot-0/lock", "");
    place.write(".git/arborist/slots/slot-0/ready", "");
    let scratches = place.scratches();
    let slots = Slots { scratches: &scratches, folder: None };
    let error = slots.take(0, &place.id("HEAD")).unwrap_err();
    assert!(error.what().contains("git does not know it"), "{error}");
    let left = slots_left(&place.work_tree());
    let held = LockedSlot::lock(&place.git, &place.work_tree(), None, &left[0]).unwrap().unwrap();
    assert!(!held.is_ready && held.remove().is_err());
    assert!(users.join("file").exists());
}

#[test]
fn a_tree_that_tests_have_cut_off_from_git_is_still_removed_by_its_maker() {
    let place = Place::new();
    let scratch = place.make("HEAD");
    std::fs::remove_file(scratch.work_tree.top.join(".git")).unwrap();
    scratch.remove().unwrap();
    place.assert_nothing_left();
}

#[test]
fn what_is_copied_does_not_go_where_a_link_of_the_commit_leads() {
    let place = Place::new();
    let users = place.top.parent().unwrap().join("users");
    std::fs::create_dir(&users).unwrap();
    std::fs::write(users.join("file"), "kept").unwrap();
    std::os::unix::fs::symlink(&users, place.top.join("lib")).unwrap();
    place.git(&["add", "lib"]);
    place.git(&["commit", "--quiet", "--message", "link"]);
    let linked = place.id("HEAD");
    place.git(&["rm", "--quiet", "lib"]);
    place.commit(".gitignore", "lib/\n");
    place.write("lib/new", "from the user");
    place.write("lib/file", "from the user");
    let scratches = Scratches { copy: vec!["lib".to_owned()], ..place.scratches() };
    let scratch = scratches.make("a", &linked).unwrap();
    scratches.prepare(&scratch, &LiveLine::new()).unwrap();
    assert_eq!(std::fs::read(users.join("file")).unwrap(), b"kept");
    assert!(!users.join("new").exists() && scratch.work_tree.top.join("lib").is_symlink());
    scratch.remove().unwrap();
    assert!(users.join("file").exists());
}

#[test]
fn ignored_files_are_copied_and_links_do_not_lead_into_the_users_work_tree() {
    let place = Place::new();
    place.write(".env", "SECRET=1");
    place.write("node_modules/a/index.js", "a");
    place.write("src/lib.js", "user");
    std::os::unix::fs::symlink("../src", place.top.join("node_modules/relative")).unwrap();
    std::os::unix::fs::symlink(place.top.join("src"), place.top.join("node_modules/absolute")).unwrap();
    let scratches = Scratches {
        copy: [".env", "node_modules", "src", "missing"].map(str::to_owned).into(),
        ..place.scratches()
    };
    let scratch = scratches.make("a", &place.id("HEAD")).unwrap();
    scratches.prepare(&scratch, &LiveLine::new()).unwrap();
    assert_eq!(content(&scratch, ".env").as_deref(), Some("SECRET=1"));
    assert_eq!(content(&scratch, "node_modules/a/index.js").as_deref(), Some("a"));
    let link =
        |name: &str| std::fs::read_link(scratch.work_tree.top.join("node_modules").join(name)).unwrap();
    assert_eq!((link("relative"), link("absolute")), ("../src".into(), scratch.work_tree.top.join("src")));
    assert_eq!(content(&scratch, "src/lib.js"), None, "git does not ignore it");
    std::fs::write(scratch.work_tree.top.join("node_modules/a/index.js"), "changed").unwrap();
    assert_eq!(std::fs::read(place.top.join("node_modules/a/index.js")).unwrap(), b"a");
}

#[test]
fn a_set_up_that_fails_is_an_error_with_its_last_words() {
    let place = Place::new();
    let scratches = |setup: &str| Scratches { setup: Some(setup.to_owned()), ..place.scratches() };
    let prepared = |setup: &str| {
        let scratches = scratches(setup);
        let scratch = scratches.make("a", &place.id("HEAD")).unwrap();
        scratches.prepare(&scratch, &LiveLine::new()).map(|()| content(&scratch, "made"))
    };
    assert_eq!(prepared("cat file > made").unwrap().as_deref(), Some("two\n"));
    let error = prepared("echo no network >&2; exit 3").unwrap_err();
    assert_eq!(error.kind(), Kind::Environment);
    assert!(error.what().contains("exit status 3") && error.what().contains("no network"), "{error}");
    place.assert_nothing_left();
}

#[test]
fn a_sparse_work_tree_with_submodules_and_line_ends_is_filled_completely() {
    let place = Place::new();
    let inner = Place::new();
    place.commit("dir/a", "x\n");
    place.git(&["submodule", "--quiet", "add", inner.top.to_str().unwrap(), "vendor/inner"]);
    place.git(&["commit", "--quiet", "--message", "add a submodule"]);
    place.git(&["config", "core.autocrlf", "true"]);
    place.git(&["sparse-checkout", "set", "--no-cone", "/file"]);
    assert!(!place.top.join("dir/a").exists());
    // The place from which the submodule came is gone.
    drop(inner);
    let scratch = place.make("HEAD");
    assert_eq!(content(&scratch, "dir/a").as_deref(), Some("x\r\n"));
    assert_eq!(content(&scratch, "vendor/inner/file").as_deref(), Some("two\n"));
    drop(scratch);
    place.assert_nothing_left();
    assert!(!place.top.join("dir/a").exists());
}

#[test]
fn programs_that_are_left_running_are_ended_and_several_trees_are_made_at_once() {
    let place = Place::new();
    let trees: Vec<Scratch> = std::thread::scope(|scope| {
        let made: Vec<_> = (0..4).map(|_| scope.spawn(|| place.make("HEAD"))).collect();
        made.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(place.worktrees(), 5);
    let result = trees[0]
        .launch()
        .job("/bin/sh", Duration::from_secs(60))
        .args(["-c", "sleep 600 & chmod 500 ."])
        .run();
    // Without /proc, nobody can tell which programs are left; they end all the same.
    assert_eq!(result.leaked.len(), usize::from(Path::new("/proc/self/stat").exists()));
    drop(trees);
    place.assert_nothing_left();
}

#[test]
fn a_work_tree_inside_another_one_gets_its_scratch_work_trees_elsewhere() {
    let outer = Place::new();
    let nested = outer.top.join("nested");
    std::fs::create_dir(&nested).unwrap();
    let work_tree = WorkTree { top: nested, ..outer.git.work_tree().unwrap() };
    let other = tempfile::tempdir().unwrap();
    let places = ScratchPlaces::beside(&work_tree, ["relative".into(), other.path().to_owned()]);
    assert!(places.choose().unwrap().starts_with(other.path()));
    let beside = ScratchPlaces::beside(&work_tree, []).choose().unwrap();
    assert_eq!(beside, outer.top.join("nested.arborist"), "there is no better place");
    let own = outer.git.work_tree().unwrap();
    let places = ScratchPlaces { places: vec![outer.top.join("scratch")], top: own.top };
    let error = places.choose().unwrap_err();
    assert!(error.what().contains("it is in the work tree"), "{error}");
}

#[test]
fn a_work_tree_that_git_refuses_to_make_leaves_nothing_and_keeps_nobody_waiting() {
    let place = Place::new();
    let missing = CommitId::from_hex(&[b'1'; 40]).unwrap();
    let error = place.scratches().make("a", &missing).unwrap_err();
    assert!(error.what().contains("git worktree add failed"), "{error}");
    place.assert_nothing_left();
}
