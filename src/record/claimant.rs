//! Who has claimed a task: a job of an engine, how often it was restarted, and the host on which it runs.

use std::fmt;

use crate::text::one_line;

/// A claimant, as `Arborist-Claimant` names it: `slurm:4711.3.0@node7` is job 4711.3 of Slurm, never restarted, on node7.
///
/// It is one line of at most [`Claimant::LIMIT`] characters, each of which is visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimant(String);

/// What begins the subject of a claim of the integration.
pub const INTEGRATION_CLAIMED: &str = "arborist: integration claimed by ";

/// What a claim says that gives a task back: anyone may claim it at once.
const NOBODY: &str = "nobody";

/// Why a text cannot name a claimant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClaimantProblem {
    /// Nothing visible is in it.
    Empty,
    /// It has more than [`Claimant::LIMIT`] characters.
    TooLong,
}

impl fmt::Display for ClaimantProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => write!(f, "it is empty"),
            Self::TooLong => write!(f, "it is longer than {} characters", Claimant::LIMIT),
        }
    }
}

impl Claimant {
    /// How many characters the name of a claimant may have.
    pub const LIMIT: usize = 200;

    /// The claimant of a claim that gives a task back.
    #[must_use]
    pub fn nobody() -> Self {
        Self(NOBODY.to_owned())
    }

    /// Whether this is nobody.
    #[must_use]
    pub fn is_nobody(&self) -> bool {
        self.0 == NOBODY
    }

    /// A job that was restarted so often, on this host.
    ///
    /// # Errors
    /// If there is no name of the job, or everything together is too long.
    pub fn new(job: &str, restarts: u64, host: &str) -> Result<Self, ClaimantProblem> {
        let (job, host) = (visible(job), visible(host).replace('@', "-"));
        if job.is_empty() {
            return Err(ClaimantProblem::Empty);
        }
        let host = if host.is_empty() { "unknown".to_owned() } else { host };
        Self::read(&format!("{job}.{restarts}@{host}"))
    }

    /// The claimant that a commit names.
    ///
    /// # Errors
    /// If the text cannot name one.
    pub fn read(text: &str) -> Result<Self, ClaimantProblem> {
        let text = visible(text);
        match text.chars().count() {
            0 => Err(ClaimantProblem::Empty),
            1..=Self::LIMIT => Ok(Self(text)),
            _ => Err(ClaimantProblem::TooLong),
        }
    }

    /// Who holds the integration, as the commit of a claim of it says; `None` if it is none.
    #[must_use]
    pub fn of_integration(message: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(message);
        Self::read(text.strip_prefix(INTEGRATION_CLAIMED)?.lines().next()?).ok()
    }

    /// The job and how often it was restarted, if the text says so.
    fn job(&self) -> Option<(&str, u64)> {
        let (job, _host) = self.0.rsplit_once('@')?;
        let (job, restarts) = job.rsplit_once('.')?;
        Some((job, restarts.parse().ok()?))
    }

    /// Whether this is a later start of the job of `other`, so the other one has ended: an engine starts a job again only
    /// after its end.
    #[must_use]
    pub fn is_restart_of(&self, other: &Self) -> bool {
        match (self.job(), other.job()) {
            (Some((own, later)), Some((job, earlier))) => own == job && later > earlier,
            _ => false,
        }
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Claimant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The text on one line. Characters that cannot be seen, or are easily taken for others, become hyphens.
fn visible(text: &str) -> String {
    let seen = |c: char| c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric();
    one_line(text).chars().map(|c| if seen(c) { c } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_of_the_integration_names_who_holds_it() {
        let message = format!("{INTEGRATION_CLAIMED}slurm:1.0@n\n\nNonce: 7\n");
        assert_eq!(Claimant::of_integration(message.as_bytes()).unwrap().as_str(), "slurm:1.0@n");
        assert_eq!(Claimant::of_integration(b"task(T1): claimed by a"), None);
    }

    #[test]
    fn a_claimant_is_one_visible_line() {
        let claimant = Claimant::new(" slurm:47\u{ad}11.3\n", 2, "node\x1b[31m7@rack").unwrap();
        assert_eq!(claimant.as_str(), "slurm:4711.3.2@node7-rack");
        assert_eq!(Claimant::new("\t", 0, "h"), Err(ClaimantProblem::Empty));
        assert_eq!(Claimant::new("a", 0, "").unwrap().as_str(), "a.0@unknown");
        assert_eq!(Claimant::new(&"j".repeat(200), 0, "h"), Err(ClaimantProblem::TooLong));
        assert_eq!(Claimant::read(&"j".repeat(200)).unwrap().as_str().len(), 200);
    }

    #[test]
    fn only_a_later_start_of_the_same_job_is_its_restart() {
        let at = |job: &str, restarts, host| Claimant::new(job, restarts, host).unwrap();
        assert!(at("slurm:7.1", 2, "b").is_restart_of(&at("slurm:7.1", 1, "a")));
        assert!(at("slurm:7.1", 10, "b").is_restart_of(&at("slurm:7.1", 9, "a")));
        assert!(!at("slurm:7.1", 1, "b").is_restart_of(&at("slurm:7.1", 1, "b")));
        assert!(!at("slurm:7.1", 1, "b").is_restart_of(&at("slurm:7.1", 2, "b")));
        assert!(!at("slurm:7.2", 2, "b").is_restart_of(&at("slurm:7.1", 1, "b")));
        assert!(!Claimant::read("somebody").unwrap().is_restart_of(&Claimant::read("somebody").unwrap()));
    }
}
