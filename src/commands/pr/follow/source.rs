//! Where it is read what is on a request: from the forge, or from a file.

use std::path::PathBuf;
use std::time::Duration;

use crate::error::{Error, Kind, Result};
use crate::files;
use crate::forge::{CheckState, FollowedRequest, Publication, Thread, read_file};
use crate::record::{Origin, OriginKind};
use crate::report;
use crate::text::one_line;

/// The largest file that is read, in bytes.
const LONGEST: u64 = 16 << 20;

/// How often it is asked whether a check that runs again has ended, and how long that is waited for in between.
const LOOKS: u32 = 60;
const BETWEEN_LOOKS: Duration = Duration::from_secs(10);

pub(super) enum Source {
    File(PathBuf),
    Forge(Box<Publication>),
}

impl Source {
    pub(super) fn read(&self) -> Result<FollowedRequest> {
        match self {
            Self::File(path) => {
                let refused = |why: &str| {
                    Error::new(
                        Kind::Input,
                        format!("{} cannot be read: {why}", one_line(&path.to_string_lossy())),
                        "Nothing was done. docs/pull-requests.md says what such a file looks like.",
                    )
                };
                let bytes = files::read(path, LONGEST).map_err(|error| refused(&error.to_string()))?;
                read_file(&bytes).map_err(|why| refused(&why))
            }
            Self::Forge(publication) => {
                publication.requests().expect("a program was found").follow(publication.number())
            }
        }
    }

    /// Adds the output of the checks that failed. Those that the forge can run again are run once more first, if they may.
    pub(super) fn complete(
        &self,
        request: &mut FollowedRequest,
        taken: &[Origin],
        may_run_again: impl Fn(&str) -> bool,
    ) -> Result<()> {
        let Self::Forge(publication) = self else { return Ok(()) };
        let requests = publication.requests().expect("a program was found");
        let mut begun = Vec::new();
        for check in &request.checks {
            let origin = Origin { kind: OriginKind::Check, id: check.name.clone(), at: request.head.clone() };
            if check.state != CheckState::Failure || check.fails_on_base || taken.contains(&origin) {
                continue;
            }
            let Some(job) = requests.first_run(check) else { continue };
            let name = one_line(&check.name);
            if may_run_again(&name) && requests.run_again(&job) {
                report::eprint(&format!("The check {name} runs again."));
                begun.push(Some(job));
            }
        }
        let mut looks = 0;
        while !begun.is_empty() && looks < LOOKS {
            looks += 1;
            *request = requests.follow(publication.number())?;
            let is_old = |job: &Option<String>| begun.contains(job);
            if !request.checks.iter().any(|check| check.state == CheckState::Pending || is_old(&check.job)) {
                break;
            }
            std::thread::sleep(BETWEEN_LOOKS);
        }
        for check in request.checks.iter_mut().filter(|check| check.state == CheckState::Failure) {
            check.log = requests.log(check);
        }
        Ok(())
    }

    /// Answers a thread; from a file, the answer is printed.
    pub(super) fn answer(&self, thread: &Thread, text: &str) -> Result<()> {
        match self {
            Self::File(_) => {
                report::print(&format!("Answer the thread {}:\n{text}\n\n", one_line(&thread.id)))
            }
            Self::Forge(publication) => {
                publication.requests().expect("a program was found").answer(
                    publication.number(),
                    thread,
                    text,
                )?;
                report::eprint(&format!("Answered the thread about {}.", one_line(&thread.path)));
                Ok(())
            }
        }
    }
}
