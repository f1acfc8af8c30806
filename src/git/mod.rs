//! The only way to run git: for everything that writes, and for every read of index, work tree, diff or configuration.
//!
//! Commands are built so that the user's settings cannot change their meaning, and they run in the C locale.

mod branches;
mod call;
mod change;
mod commit;
mod commit_all;
mod commit_changes;
mod config;
mod create;
mod diff;
mod entries;
mod held;
mod holders;
mod hook_log;
mod hunks;
mod index;
mod index_entries;
mod index_file;
mod linked;
mod local_files;
mod lock_waits;
mod locks;
mod made_here;
mod merge_blobs;
mod messages;
mod new_commits;
mod objects;
mod operation;
mod outlived;
mod output;
mod private_clone;
mod range;
mod raw;
mod read;
mod references;
mod refusal;
mod remote_refs;
mod remotes;
mod replaced_hooks;
mod rescue;
mod settings;
mod signing;
mod staging;
mod status;
mod temporary_index;
mod traces;
mod work_tree;
mod writable;

pub use branches::{MergeRequest, Merging};
pub(crate) use call::{CallForm, Pathspecs};
pub use call::{Git, Variable};
pub use change::{Change, ChangeKind, InHead, Presence, Staged, StagedVersion, Submodule};
pub use commit::{CommitRequest, Committing, HookRefusal, MergeInProgress, Staging};
pub use commit_changes::{Compared, FileLines};
pub use config::{
    CONCERNING_US, ConfigEntry, ConfigFiles, ConfigQuestion, Variables, conditional_settings,
    settings_in_file,
};
pub use create::NewRepository;
pub use entries::{Entry, EntryKind, PathEntry};
pub use hook_log::HookRuns;
pub use hunks::Hunk;
pub use linked::NewLinkedTree;
pub use local_files::LocalFiles;
pub use lock_waits::LOCK_TIMEOUT;
pub use locks::{LockFile, LockScope, Owner};
pub use messages::Message;
pub use new_commits::{Author, Conflicted, MergedTree, NewCommit, TreeChange, Written};
pub use objects::PathInCommit;
pub use operation::Operation;
pub use outlived::await_git_of;
pub use output::GitOutput;
pub use range::Revisions;
pub use raw::{CommittableKind, FoundPath};
pub use read::{CatFile, DiscoveryStart, GitProgram};
pub use references::Stash;
use refusal::first_lines;
pub use remote_refs::{Fetching, PushEnd, RefUpdate, RemoteTips, Wanted};
pub use remotes::{Pushing, RemoteBranches};
pub use replaced_hooks::replaced_hooks_dir;
pub use rescue::{RESCUE, RescueRequest, Rescued};
pub use signing::Signing;
pub use staging::{NotAddable, Selection};
pub use traces::{KilledPrograms, Traces};
pub use work_tree::{Head, WorkTree};
