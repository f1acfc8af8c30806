//! Reads objects with the git program: in repositories that libgit2 cannot open (reftable, SHA-256, partial clones,
//! future extensions) or that borrow objects, and to get git's own error if something is broken.

use std::collections::HashSet;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

use super::raw::ObjectId;
use super::source::{ObjectKind, Source, local_upstream, shallow_file};
use crate::error::{Error, Kind, Result};
use crate::git::Git;
use crate::record::{CommitId, IdPrefix};

/// A repository that is read with the git program.
pub(super) struct Program {
    git: Git,
    shallow_file: Option<PathBuf>,
    reads: u64,
}

impl Program {
    /// The repository of `git`, once git has agreed to open it.
    pub(super) fn open(git: Git) -> Result<Self> {
        git.answer(["rev-parse", "--git-dir"])?;
        Ok(Self { git, shallow_file: None, reads: 0 })
    }

    /// Whether `HEAD` names a branch that has no commit, as opposed to one that is broken.
    fn is_unborn(&self) -> Result<bool> {
        let branch = self.git.call(["symbolic-ref", "-q", "HEAD"])?;
        let Ok(name) = String::from_utf8(branch.stdout) else { return Ok(false) };
        if !branch.status.success() {
            return Ok(false);
        }
        // git lists all references, even broken ones, and warns about those that it cannot read. `show-ref --exists`
        // would be simpler, but needs git 2.43.
        let name = name.trim();
        let listed = self.git.call(["for-each-ref", "--format=%(refname)", name])?;
        let is_listed = listed.stdout.split(|&byte| byte == b'\n').any(|line| line == name.as_bytes());
        let is_broken = listed.stderr.contains(name);
        Ok(listed.status.success() && !is_listed && !is_broken)
    }
}

impl Source for Program {
    fn reads(&self) -> u64 {
        self.reads
    }

    fn read(&mut self, id: &ObjectId, kind: ObjectKind, into: &mut Vec<u8>) -> Result<()> {
        self.reads += 1;
        *into = self.git.object(&id.to_string(), kind.word())?;
        Ok(())
    }

    fn head(&mut self) -> Result<Option<CommitId>> {
        let output = self.git.call(["rev-parse", "--verify", "HEAD^{commit}"])?;
        if let (true, Some(id)) = (output.status.success(), CommitId::from_hex(output.stdout.trim_ascii())) {
            return Ok(Some(id));
        }
        if self.is_unborn()? {
            return Ok(None);
        }
        Err(Error::new(
            Kind::Repository,
            format!("HEAD cannot be read: {}", output.stderr.lines().next().unwrap_or_default()),
            "Nothing was changed. Run `git fsck` to see what is damaged; `git reflog` may know the lost commit.",
        ))
    }

    fn branch(&mut self) -> Result<Option<String>> {
        let output = self.git.call(["symbolic-ref", "-q", "HEAD"])?;
        let name = String::from_utf8_lossy(output.stdout.trim_ascii_end()).into_owned();
        Ok(output.status.success().then_some(name))
    }

    fn references(&mut self, names: &[&str]) -> Result<Vec<(String, ObjectId)>> {
        let names: Vec<&str> = names.iter().map(|name| name.trim_end_matches('/')).collect();
        let call = [&["for-each-ref", "--format=%(objectname) %(refname)"], names.as_slice()].concat();
        let listed = self.git.answer(call)?;
        let line = |line: &[u8]| {
            let space = line.iter().position(|&byte| byte == b' ')?;
            let name = String::from_utf8_lossy(&line[space + 1..]).into_owned();
            Some((name, ObjectId::from_hex(&line[..space])?))
        };
        Ok(listed.split(|&byte| byte == b'\n').filter_map(line).collect())
    }

    fn upstream(&mut self, branch: &str) -> Result<Option<String>> {
        let get = |name: &str| -> Result<Option<String>> {
            let output = self.git.call(["config", "--get", &format!("branch.{branch}.{name}")])?;
            let value = String::from_utf8_lossy(&output.stdout).trim_end_matches('\n').to_owned();
            Ok(output.status.success().then_some(value))
        };
        Ok(local_upstream(get("remote")?.as_deref(), get("merge")?.as_deref()))
    }

    fn shallow(&mut self) -> Result<HashSet<CommitId>> {
        let path = match &self.shallow_file {
            Some(path) => path,
            None => {
                let path =
                    self.git.answer(["rev-parse", "--path-format=absolute", "--git-path", "shallow"])?;
                self.shallow_file.insert(PathBuf::from(OsString::from_vec(path)))
            }
        };
        shallow_file(path)
    }

    fn find(&mut self, prefix: &IdPrefix) -> Result<Option<ObjectId>> {
        let found = self.git.answer(["rev-parse", &format!("--disambiguate={prefix}")])?;
        Ok(ObjectId::from_hex(found.trim_ascii()))
    }
}
