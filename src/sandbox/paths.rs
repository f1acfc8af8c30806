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
    /// The rules for a work tree and these other writable paths. Missing ones are left out, and so are those in which the
    /// work tree is: what is next to a work tree must not be written to.
    pub(super) fn of(tree: &WorkTree, writable: impl IntoIterator<Item = PathBuf>) -> Self {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let top = real(&tree.top);
        let mut protected = vec![real(&tree.git_dir), real(&tree.common_dir)];
        // In a linked work tree it is a file, which names the git directory.
        let link = top.join(".git");
        if link.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
            protected.push(link);
        }
        let may_be_written = |path: &PathBuf| {
            !top.starts_with(path) && !protected.iter().any(|protected| path.starts_with(protected))
        };
        let writable =
            writable.into_iter().filter_map(|path| path.canonicalize().ok()).filter(may_be_written);
        let mut rules: BTreeMap<PathBuf, Access> = writable.map(|path| (path, Access::Write)).collect();
        rules.insert(top.clone(), Access::Write);
        rules.extend(protected.into_iter().map(|path| (path, Access::Read)));
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
        let others =
            ["home/cache", "missing", ".", "main", "main/.git/worktrees"].map(|path| root.join(path));
        let rules = |tree| told(&Rules::of(&tree, others.clone()), &root);
        assert_eq!(
            rules(tree("link", "link/.git", "link/.git")),
            ["Write home/cache", "Write main", "Read main/.git"]
        );
        assert_eq!(
            rules(tree("side", "main/.git/worktrees/side", "main/.git")),
            [
                "Write home/cache",
                "Write main",
                "Read main/.git",
                "Read main/.git/worktrees/side",
                "Write side",
                "Read side/.git"
            ]
        );
        assert_eq!(
            rules(tree("bare.git/in", "bare.git/worktrees/in", "bare.git"))[..3],
            ["Read bare.git", "Write bare.git/in", "Read bare.git/worktrees/in"]
        );
    }

    #[test]
    fn the_rule_for_the_longest_path_decides() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        create_dir_all(root.join("top/.git/info")).unwrap();
        create_dir_all(root.join("top/src")).unwrap();
        let (top, git) = (root.join("top"), root.join("top/.git"));
        let rules = Rules::of(&WorkTree { top, git_dir: git.clone(), common_dir: git }, []);
        for (path, expected) in
            [("top/src", true), ("top/.git/info", false), (".", false), ("missing", false)]
        {
            assert_eq!(rules.may_write_in(&root.join(path)), expected, "{path}");
        }
    }
}
