//! Watches the work tree while programs work in it: finds changes, refuses forbidden ones, and saves and restores work.

pub(crate) mod branch_watch;
pub(crate) mod changes;
mod clone_folder;
mod confirmed;
mod documents;
mod empty_folder;
mod give_back;
pub(crate) mod heartbeat;
mod holder;
mod inside;
pub(crate) mod made_by_tools;
pub(crate) mod moved_ref;
pub(crate) mod obstacle;
mod other_runs;
pub(crate) mod path_kind;
pub(crate) mod path_states;
mod prompt_file;
pub(crate) mod put_back;
mod remains;
mod rescue;
mod run_lock;
mod scratch;
mod secret_names;
pub(crate) mod secret_search;
pub(crate) mod snapshot;
pub(crate) mod space;
mod stop_request;
pub(crate) mod suspects;
pub(crate) mod task_commits;
pub(crate) mod tokens;
mod unlink;
pub(crate) mod waiting;

pub use changes::WorktreeChanges;
pub use clone_folder::CloneFolder;
pub use confirmed::ConfirmedCommands;
pub use documents::{DocumentTrouble, document_trouble, read_document};
pub use empty_folder::EmptyFolder;
pub use give_back::give_back;
pub use inside::{ConnectedClient, Inside};
pub use obstacle::Obstacle;
pub use obstacle::StepChanges;
pub use other_runs::{ActiveRun, active_runs, refuse_other_runs};
pub use path_states::PathStates;
pub use prompt_file::write_prompt;
pub use rescue::{Interrupted, Rescue, rescue, save_untouched, saves_step, unfinished_step};
pub(crate) use run_lock::check_in_place;
pub use run_lock::{Lock, tag_of, who_is_at_work};
pub use scratch::{
    ChangedPackages, DependencyListing, Home, Leftovers, LockedSlot, Preparation, ProofTree, SLOT_VARIABLE,
    Scratch, ScratchInUse, ScratchPlaces, ScratchPrograms, Scratches, Slot, SlotLeft, Slots, UsersTree,
    is_lock_file, is_slot, outputs_of, packages_changed, remove_leftovers, slots_left,
};
pub use stop_request::{StopAfter, forget_stop_request, request_stop, stop_requested};
pub(crate) use unlink::unlink;
pub use waiting::{WaitNote, is_lent, lend_between_steps, wait_for_lock};
