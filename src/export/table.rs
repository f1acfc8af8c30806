//! The table of engines. The command line, its help and the tests follow it.

use super::engine::{Engine, PerTask};
use super::header::Head;
use super::job::{Form, JobFile};
use super::{github, gitlab, kubernetes, make, slurm};

/// All engines.
pub const ENGINES: [Engine; 5] =
    [slurm::ENGINE, github::ENGINE, gitlab::ENGINE, kubernetes::ENGINE, make::ENGINE];

impl Engine {
    /// The engine with this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        ENGINES.into_iter().find(|engine| engine.word == word)
    }

    /// The whole file; `None` if it would need dependencies between jobs, which the engine does not know.
    #[must_use]
    pub fn text(&self, job: &JobFile<'_>, form: &Form) -> Option<String> {
        let head = Head { engine: self, job, form };
        match form {
            Form::Equal(jobs) => Some((self.equal)(job, &head.text(self.start, &[]), *jobs)),
            Form::PerTask(open) => {
                let PerTask { start, limits, write, .. } = self.per_task?;
                Some(write(job, &head.text(start, limits), open))
            }
        }
    }
}
