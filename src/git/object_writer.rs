//! Writes many trees and commits with a number of git processes that does not grow with them.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::cat_file::CatFile;
use super::running::Running;
use super::trees::{TreeEntry, tree_entries};
use super::{Author, Git, NewCommit, Written};
use crate::error::{Error, Kind, Result};
use crate::record::CommitId;

/// Writes objects into the store of a repository. No reference leads to them.
pub struct ObjectWriter<'g> {
    git: &'g Git,
    objects: CatFile,
    trees: Option<Filter>,
    commits: Option<Filter>,
    /// The file from which git reads a commit.
    file: PathBuf,
    idents: Option<Idents>,
}

/// Author and committer, as git's configuration has them, without dates.
struct Idents {
    author: String,
    committer: String,
}

impl<'g> ObjectWriter<'g> {
    /// A writer for a repository with this git directory.
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn new(git: &'g Git, git_dir: &Path) -> Result<Self> {
        let objects = git.cat_file()?;
        let file = git_dir.join(format!("arborist-commit-{}", std::process::id()));
        Ok(Self { git, objects, trees: None, commits: None, file, idents: None })
    }

    /// Who wrote a commit, and when it was made.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn written_by(&mut self, commit: &CommitId) -> Result<Written> {
        let mut raw = Vec::new();
        self.read(&commit.to_string(), &mut raw)?;
        let end = memchr::memmem::find(&raw, b"\n\n").unwrap_or(raw.len());
        let message = raw.get(end + 2..).unwrap_or_default().to_vec();
        let headers = String::from_utf8_lossy(&raw[..end]);
        let header = |key: &str| headers.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' '));
        let written = || {
            let (tree, author, committer) = (header("tree")?, header("author")?, header("committer")?);
            let (name, rest) = author.rsplit_once('<')?;
            let (email, date) = rest.split_once("> ")?;
            let (_, made) = committer.rsplit_once("> ")?;
            let author =
                Author { name: name.trim().to_owned(), email: email.to_owned(), date: date.to_owned() };
            Some(Written { author, message, date: made.to_owned(), tree: tree.to_owned() })
        };
        let written = written().ok_or_else(|| damaged(&commit.short()))?;
        match header("encoding") {
            Some(_) => self.in_utf8(commit, written),
            None => Ok(written),
        }
    }

    /// The same where git has put name, address and message into the encoding in which commits are written from here.
    fn in_utf8(&self, commit: &CommitId, written: Written) -> Result<Written> {
        let id = commit.to_string();
        let format = "--format=%an%x00%ae%x00%B";
        let said = self.git.demand(["log", "-1", "--no-show-signature", "--encoding=UTF-8", format, &id])?;
        let mut parts = said.splitn(3, |byte| *byte == 0);
        let (Some(name), Some(email), Some(message)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(damaged(&commit.short()));
        };
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let author = Author { name: text(name), email: text(email), ..written.author };
        let message = message.strip_suffix(b"\n").unwrap_or(message).to_vec();
        Ok(Written { author, message, ..written })
    }

    /// The tree of a commit without these files, which need not be there. Paths are in bytes as git has them.
    ///
    /// # Errors
    /// If the tree cannot be read or written.
    pub fn tree_without(&mut self, commit: &CommitId, paths: &[Vec<u8>]) -> Result<String> {
        let tree = self.written_by(commit)?.tree;
        let paths: Vec<&[u8]> = paths.iter().map(Vec::as_slice).collect();
        match self.without(&tree, &paths)? {
            Some(tree) => Ok(tree),
            None => self.write_tree(&[]),
        }
    }

    /// A tree without these files; `None` if nothing is left of it.
    fn without(&mut self, tree: &str, paths: &[&[u8]]) -> Result<Option<String>> {
        let mut below: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
        for path in paths {
            let at = path.iter().position(|&byte| byte == b'/');
            let (name, rest) = at.map_or((*path, &path[..0]), |at| (&path[..at], &path[at + 1..]));
            below.entry(name).or_default().push(rest);
        }
        let mut is_changed = false;
        let mut kept = Vec::new();
        for mut entry in self.entries(tree)? {
            if let Some(rest) = below.get(entry.name.as_slice()) {
                let is_tree = entry.mode == "40000";
                let left = match rest.iter().any(|rest| rest.is_empty()) {
                    true => None,
                    false if is_tree => self.without(&entry.id, rest)?,
                    false => Some(entry.id.clone()),
                };
                is_changed |= left.as_ref() != Some(&entry.id);
                let Some(left) = left else { continue };
                entry.id = left;
            }
            kept.push(entry);
        }
        match (is_changed, kept.is_empty()) {
            (false, _) => Ok(Some(tree.to_owned())),
            (true, true) => Ok(None),
            (true, false) => self.write_tree(&kept).map(Some),
        }
    }

    fn entries(&mut self, tree: &str) -> Result<Vec<TreeEntry>> {
        let mut raw = Vec::new();
        self.read(tree, &mut raw)?;
        tree_entries(&raw, tree.len() / 2).ok_or_else(|| damaged(tree))
    }

    fn write_tree(&mut self, entries: &[TreeEntry]) -> Result<String> {
        let mut list = Vec::new();
        for TreeEntry { mode, name, id } in entries {
            let kind = match mode.as_str() {
                "40000" => "tree",
                "160000" => "commit",
                _ => "blob",
            };
            list.extend(format!("{mode:0>6} {kind} {id}\t").bytes());
            list.extend(name);
            list.push(0);
        }
        list.push(0);
        let filter = match &mut self.trees {
            Some(filter) => filter,
            none => none.insert(Filter::start(self.git, &["mktree", "-z", "--batch", "--missing"])?),
        };
        filter.ask(&list)
    }

    /// Makes a commit.
    ///
    /// # Errors
    /// If git refuses, for example because it cannot sign.
    pub fn commit(&mut self, new: &NewCommit) -> Result<CommitId> {
        let idents = match &self.idents {
            Some(idents) => idents,
            None => self.idents.insert(Idents {
                author: self.git.identity_in("GIT_AUTHOR_IDENT")?,
                committer: self.git.identity()?,
            }),
        };
        let Some(date) = new.date.as_ref().filter(|_| !new.signed) else {
            return self.git.new_commit(new);
        };
        let author = match &new.author {
            Some(Author { name, email, date }) => format!("{name} <{email}> {date}"),
            None => format!("{} {date}", idents.author),
        };
        let parents: String = new.parents.iter().map(|parent| format!("parent {parent}\n")).collect();
        let header =
            format!("tree {}\n{parents}author {author}\ncommitter {} {date}\n\n", new.tree, idents.committer);
        let mut raw = header.into_bytes();
        raw.extend(&new.message);
        if raw.last() != Some(&b'\n') {
            raw.push(b'\n');
        }
        std::fs::write(&self.file, raw).map_err(|error| Error::not_written(self.file.display(), &error))?;
        let mut asked = self.file.as_os_str().as_encoded_bytes().to_vec();
        asked.push(b'\n');
        let filter = match &mut self.commits {
            Some(filter) => filter,
            none => {
                let args = ["hash-object", "-w", "-t", "commit", "--stdin-paths"];
                none.insert(Filter::start(self.git, &args)?)
            }
        };
        let id = filter.ask(&asked)?;
        CommitId::from_hex(id.as_bytes()).ok_or_else(|| damaged(&id))
    }

    fn read(&mut self, name: &str, into: &mut Vec<u8>) -> Result<()> {
        let unreadable = |why| {
            Error::new(
                Kind::Repository,
                format!("the object {name} cannot be read: {why}"),
                "Nothing was changed. Run `git fsck` to see what is damaged.",
            )
        };
        self.objects.read(name, into).map(drop).map_err(unreadable)
    }
}

impl Drop for ObjectWriter<'_> {
    fn drop(&mut self) {
        // It is there only if a commit was written.
        let _ = std::fs::remove_file(&self.file);
    }
}

/// A git that answers each request with one line.
struct Filter(Running);

impl Filter {
    fn start(git: &Git, args: &[&str]) -> Result<Self> {
        // No reference leads to these objects yet, and to wait for the disk after each of them would take much longer than
        // to write it. Any value without objects stands for what git does by default.
        let args = ["-c", "core.fsync=pack"].iter().chain(args);
        git.command(args).spawn().map(Self)
    }

    fn ask(&mut self, request: &[u8]) -> Result<String> {
        let answer = self.0.ask(request).ok().and_then(|()| self.0.line());
        answer.ok_or_else(|| {
            Error::new(
                Kind::Environment,
                "git could not write an object",
                "Nothing was changed. Look at `git fsck` and at the space on the disk, then run the same command again.",
            )
        })
    }
}

fn damaged(what: &str) -> Error {
    Error::new(
        Kind::Repository,
        format!("{what} cannot be read"),
        "Nothing was changed. Run `git fsck` to see what is damaged.",
    )
}
