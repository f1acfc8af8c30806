//! Which paths a program may write to.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::git::WorkTree;

/// What a program may do with a path and with everything below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// Read and write.
    Write,
    /// Read.
    Read,
}

/// What a program may do: of two rules for a path, the one for the longer path applies. Where there is none, it may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Rules(BTreeMap<PathBuf, Access>);

impl Rules {
    /// The rules for a work tree and these other writable paths, of which missing ones are left out. What is next to the
    /// work tree must not be written to, even if it is in one of them, and neither must the other work trees in `others`.
    pub(super) fn of(tree: &WorkTree, others: &[&Path], writable: impl IntoIterator<Item = PathBuf>) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let top = real(&tree.top);
        let mut protected = vec![real(&tree.git_dir), real(&tree.common_dir)];
        // In a linked work tree it is a file, which names the git directory.
        let link = top.join(".git");
        if link.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
            protected.push(link);
        }
        let may_be_written = |path: &PathBuf| {
            path.parent().is_some() && !protected.iter().any(|protected| path.starts_with(protected))
        };
        let writable =
            writable.into_iter().filter_map(|path| path.canonicalize().ok()).filter(may_be_written);
        let mut rules: BTreeMap<PathBuf, Access> = writable.map(|path| (path, Access::Write)).collect();
        // Usually the git directory is in the main work tree.
        let main = real(&tree.common_dir);
        let around = others.iter().map(|other| real(other)).chain([top.clone(), main]);
        rules.extend(around.filter_map(|path| Some((path.parent()?.to_owned(), Access::Read))));
        rules.extend(others.iter().map(|other| (real(other), Access::Read)));
        rules.insert(top, Access::Write);
        rules.extend(protected.into_iter().map(|path| (path, Access::Read)));
        // Everything is read-only from the beginning.
        rules.remove(Path::new("/"));
        Self(rules)
    }

    /// All rules, those for a folder before those for what is in it.
    pub(super) fn iter(&self) -> impl Iterator<Item = Rule<'_>> {
        self.0.iter().map(|(path, access)| Rule { path, access: *access })
    }

    /// Whether files can be made in a folder.
    pub(super) fn may_write_in(&self, folder: &Path) -> bool {
        let Ok(folder) = folder.canonicalize() else { return false };
        folder.ancestors().find_map(|path| self.0.get(path)) == Some(&Access::Write)
    }
}

/// A rule for a path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule<'a> {
    pub(super) path: &'a Path,
    pub(super) access: Access,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{create_dir_all, write};

    fn told(rules: &Rules, root: &Path) -> Vec<String> {
        let told =
            |rule: Rule<'_>| format!("{:?} {}", rule.access, rule.path.strip_prefix(root).unwrap().display());
        rules.iter().map(told).collect()
    }

    #[test]
    fn the_work_tree_is_writable_and_its_git_directories_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for made in ["home/cache", "main/.git/worktrees/side", "side", "bare.git/worktrees/in", "bare.git/in"]
        {
            create_dir_all(root.join(made)).unwrap();
        }
        write(root.join("side/.git"), "gitdir: elsewhere\n").unwrap();
        std::os::unix::fs::symlink(root.join("main"), root.join("link")).unwrap();
        let tree = |top: &str, git: &str, common: &str| WorkTree {
            top: root.join(top),
            git_dir: root.join(git),
            common_dir: root.join(common),
        };
        let caches = ["home/cache", "missing", ".", "main/.git/worktrees"].map(|path| root.join(path));
        let rules = |tree| told(&Rules::of(&tree, &[], caches.clone()), &root);
        assert_eq!(
            rules(tree("link", "link/.git", "link/.git")),
            ["Read ", "Write home/cache", "Write main", "Read main/.git"]
        );
        let expected = [
            "Read ",
            "Write home/cache",
            "Read main",
            "Read main/.git",
            "Read main/.git/worktrees/side",
            "Write side",
            "Read side/.git",
        ];
        assert_eq!(rules(tree("side", "main/.git/worktrees/side", "main/.git")), expected);
        assert_eq!(
            rules(tree("bare.git/in", "bare.git/worktrees/in", "bare.git")),
            [
                "Read ",
                "Read bare.git",
                "Write bare.git/in",
                "Read bare.git/worktrees/in",
                "Write home/cache",
                "Write main/.git/worktrees"
            ]
        );
    }

    #[test]
    fn the_work_tree_of_the_run_cannot_be_written_to_from_another_one() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for made in ["temporary/run", "temporary/scratch/one", "main/.git"] {
            create_dir_all(root.join(made)).unwrap();
        }
        let git_dir = root.join("main/.git");
        let top = root.join("temporary/scratch/one");
        let tree = WorkTree { top, git_dir: git_dir.clone(), common_dir: git_dir };
        let rules = Rules::of(&tree, &[&root.join("temporary/run")], [root.join("temporary")]);
        for (path, expected) in [
            ("temporary/scratch/one", true),
            ("temporary/scratch", false),
            ("temporary/run", false),
            ("temporary", false),
            ("main", false),
        ] {
            assert_eq!(rules.may_write_in(&root.join(path)), expected, "{path}");
        }
    }

    #[test]
    fn the_rule_for_the_longest_path_decides() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        create_dir_all(root.join("top/.git/info")).unwrap();
        create_dir_all(root.join("top/src")).unwrap();
        let (top, git) = (root.join("top"), root.join("top/.git"));
        let rules = Rules::of(&WorkTree { top, git_dir: git.clone(), common_dir: git }, &[], []);
        for (path, expected) in
            [("top/src", true), ("top/.git/info", false), (".", false), ("missing", false)]
        {
            assert_eq!(rules.may_write_in(&root.join(path)), expected, "{path}");
        }
    }
}
