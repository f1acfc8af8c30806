//! Takes tasks through implement → test → review → complete: the domain decides, this acts.

mod aftermath;
mod alive;
mod anew;
mod artifact;
mod committed;
mod complete;
mod empty;
mod event;
mod feedback;
mod fingerprint;
mod garden;
mod gardener;
mod give_back;
mod guard;
mod idle;
mod implement;
mod journal;
mod leftovers;
mod listed;
mod lock;
mod obstacle;
mod opening;
mod patience;
mod pending;
mod plan;
mod prompt;
mod prompts;
mod prune;
mod put_back;
mod record;
mod remains;
mod rescue;
mod review;
mod seen;
mod snapshot;
mod space;
mod stale_locks;
mod test;
mod verdict;
mod work;
mod written;

pub use artifact::{Artifact, ArtifactKind, LOG_LIMIT};
pub use committed::WrongCommit;
pub use event::{Event, Observer, StepBegins, StepEnded, StepResult, Wait};
pub use feedback::{body_of, feedback_of};
pub use garden::{DirtyTree, FirstRefusal, Garden, Parts, Runners, Settings, TaskEnd, read_run};
pub use gardener::{Extent, OnFailure, RunEnd};
pub use give_back::give_back;
pub use implement::describe;
pub use journal::{Journal, RunEntry, StepEntry};
pub use lock::{Lock, who_is_at_work};
pub use obstacle::Obstacle;
pub use opening::{check_clean, tag_of};
pub use patience::Patience;
pub use pending::Pending;
pub use plan::Plan;
pub use prompt::{
    Change, DIFF_LIMIT, DependencyFacts, FEEDBACK_LIMIT, Feedback, TaskFacts, cut_diff, implement_prompt,
    review_prompt,
};
pub use prompts::Prompts;
pub use prune::{Kept, Orchard, Pruning, Runs};
pub use rescue::{Interrupted, Rescue, rescue};
pub use verdict::{Verdict, verdict};
pub use work::{Changed, Dirt, Marks};
