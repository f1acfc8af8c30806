//! Checks the commits that a runner made itself. It is too late to hold them back, so the run stops if they contain
//! something that must not be committed.

use super::secret_files::FilesBefore;
use crate::config::SecretFiles;
use crate::engine::run_context::context::RunContext;
use crate::error::{Error, Kind, Result};
use crate::git::{Entry, EntryKind, PathEntry};
use crate::record::CommitId;
use crate::text::show_path;
use crate::worktree::branch_watch::{BranchChange, taken_off_by};
use crate::worktree::obstacle::SIZE_LIMIT;
use crate::worktree::suspects::Suspect;

/// A path in the commits of a runner.
struct CommittedFile {
    path: Vec<u8>,
    entry: Entry,
    /// Whether the commits added the path.
    is_new: bool,
}

/// The commits that a runner has made.
struct AdoptedCommits<'a> {
    run: &'a RunContext<'a>,
    /// The commits, oldest first.
    commits: &'a [CommitId],
    /// The head of the branch before them.
    base: &'a CommitId,
}

/// Makes sure that the commits which a runner has made since `base` may stay. Returns the files in them that may
/// contain a secret but stay.
///
/// # Errors
/// [`Kind::Unsafe`] if a new file is over the size limit, if a repository was committed as if it were a submodule, or
/// if the settings refuse secrets and there is one in a message, in a new file or in its name.
pub(crate) fn check_adopted(
    run: &RunContext<'_>,
    watched: &BranchChange,
    base: &CommitId,
) -> Result<Vec<Suspect>> {
    let adopted = AdoptedCommits { run, commits: &watched.adopted, base };
    if adopted.commits.is_empty() {
        return Ok(Vec::new());
    }
    let files = adopted.files()?;
    let suspects = match run.settings.secret_files {
        SecretFiles::Off => Vec::new(),
        SecretFiles::Warn | SecretFiles::Refuse => adopted.suspects(&files)?,
    };
    adopted.refuse_large(&files)?;
    adopted.refuse_embedded(&watched.head.commit)?;
    Ok(suspects)
}

impl AdoptedCommits<'_> {
    fn files(&self) -> Result<Vec<CommittedFile>> {
        let git = &self.run.git;
        let made = git.entries_made_by(self.commits)?;
        let paths: Vec<Vec<u8>> = made.iter().map(|entry| entry.path.clone()).collect();
        let known = git.entries(self.base, &paths)?;
        let file = |PathEntry { path, entry }| {
            let entry = entry.filter(|entry: &Entry| entry.kind != EntryKind::Submodule)?;
            let is_new = !known.contains_key(&path);
            Some(CommittedFile { path, entry, is_new })
        };
        Ok(made.into_iter().filter_map(file).collect())
    }

    fn suspects(&self, files: &[CommittedFile]) -> Result<Vec<Suspect>> {
        let Self { run, commits, base } = *self;
        let search = run.secret_search();
        let (mut new, mut named) = (Vec::new(), Vec::new());
        for commit in commits {
            new.extend(search.by_message(commit, &run.repository.commit(commit)?.message));
        }
        let mut before = FilesBefore::new(&run.git, base);
        for CommittedFile { path, entry, is_new } in files {
            let by_name = is_new.then(|| search.by_name(path)).flatten();
            let found = match by_name {
                Some(suspect) => Some(suspect),
                None => {
                    let content = before.beginning(&entry.id)?;
                    before.suspect(search, path, &content)?
                }
            };
            if *is_new { &mut new } else { &mut named }.extend(found);
        }
        new.dedup();
        if run.settings.secret_files == SecretFiles::Refuse && !new.is_empty() {
            let listed: Vec<String> = new.iter().map(ToString::to_string).collect();
            let what = format!("the runner made a commit that contains a secret: {}", listed.join("; "));
            return Err(refused(what, base, "If it is not a secret, leave the commit there."));
        }
        new.append(&mut named);
        Ok(new)
    }

    /// Refuses repositories that the commits have added like submodules although `.gitmodules` does not name them: their
    /// files are in no commit, and a clone cannot get them.
    fn refuse_embedded(&self, head: &CommitId) -> Result<()> {
        let Self { run, commits, base } = *self;
        let is_submodule =
            |made: &PathEntry| made.entry.as_ref().is_some_and(|entry| entry.kind == EntryKind::Submodule);
        let mut added = run.git.entries_made_by(commits)?;
        added.retain(is_submodule);
        if added.is_empty() {
            return Ok(());
        }
        let paths: Vec<Vec<u8>> = added.into_iter().map(|made| made.path).collect();
        let (before, now) = (run.git.entries(base, &paths)?, run.git.entries(head, &paths)?);
        let named = run.git.submodules_named_in(head)?;
        let is_embedded = |path: &&Vec<u8>| {
            !before.contains_key(*path)
                && now.get(*path).is_some_and(|entry| entry.kind == EntryKind::Submodule)
                && !named.contains(*path)
        };
        let mut listed: Vec<String> = paths.iter().filter(is_embedded).map(|path| show_path(path)).collect();
        listed.sort();
        listed.dedup();
        if listed.is_empty() {
            return Ok(());
        }
        let what = format!(
            "the runner committed another repository as if it were a submodule, so its files are in no commit: {}",
            listed.join(", ")
        );
        Err(refused(
            what,
            base,
            "If it is meant to be a submodule, name it in `.gitmodules` with `git submodule add`.",
        ))
    }

    /// Refuses new files over the size limit, unless `base` has the same content under another name.
    fn refuse_large(&self, files: &[CommittedFile]) -> Result<()> {
        let Self { run, base, .. } = *self;
        let new: Vec<&CommittedFile> = files.iter().filter(|file| file.is_new).collect();
        let ids: Vec<&str> = new.iter().map(|file| file.entry.id.as_str()).collect();
        let sizes = run.git.sizes(&ids)?;
        let mut large: Vec<_> = new.into_iter().zip(sizes).filter(|(_, size)| *size > SIZE_LIMIT).collect();
        if large.is_empty() {
            return Ok(());
        }
        let old = run.git.object_ids_in(base)?;
        large.retain(|(file, _)| !old.contains(&file.entry.id));
        if large.is_empty() {
            return Ok(());
        }
        let search = run.secret_search();
        let mut listed: Vec<String> = large
            .iter()
            .map(|(file, size)| format!("{} ({})", search.shown(&file.path), mebibytes(*size)))
            .collect();
        listed.dedup();
        let what = format!(
            "the runner made a commit with a new file of more than {}: {}",
            mebibytes(SIZE_LIMIT),
            listed.join(", ")
        );
        Err(refused(what, base, "If the file belongs in the repository, leave the commit there."))
    }
}

fn refused(what: String, base: &CommitId, otherwise: &str) -> Error {
    let remedy = format!(
        "Look at it with `git log -p {}..`, take it off the branch with {}, and run the same command again. {otherwise}",
        base.short(),
        taken_off_by(&base.short())
    );
    Error::new(Kind::Unsafe, what, remedy)
}

/// A size in MiB for messages, with one decimal place unless that is zero.
fn mebibytes(bytes: u64) -> String {
    let tenths = (bytes * 10) >> 20;
    match tenths % 10 {
        0 => format!("{} MiB", tenths / 10),
        tenth => format!("{}.{tenth} MiB", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::mebibytes;

    #[test]
    fn sizes_are_shown_to_a_tenth() {
        assert_eq!(mebibytes(10 << 20), "10 MiB");
        assert_eq!(mebibytes(11_000_000), "10.4 MiB");
    }
}
