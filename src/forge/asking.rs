//! Where the requests of a branch are, and how the program of their forge is asked about them.

use serde_json::Value;

use super::api::Api;
use super::place::ForgePlace;
use super::program::ForgeProgram;
use crate::error::{Error, Kind};
use crate::text::one_line;

/// A branch, and where its requests are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    /// The program that is asked.
    pub(crate) program: &'a ForgeProgram,
    /// The repository into which requests are merged.
    pub(crate) place: &'a ForgePlace,
    /// The repository to which the branch is pushed.
    pub(crate) from: &'a ForgePlace,
    pub(crate) branch: &'a str,
}

impl Asked<'_> {
    pub(super) fn api(&self) -> Api<'_> {
        Api { program: self.program, place: self.place }
    }

    pub(super) fn is_fork(&self) -> bool {
        self.from.differs_from(self.place)
    }

    /// The repository of this place in the API.
    pub(super) fn endpoint(&self, place: &ForgePlace) -> String {
        place.endpoint(self.program.kind)
    }

    /// What the program prints that is called with these words about the repository of the request; `None` if it fails.
    pub(super) fn said_by(&self, args: &[&str]) -> Option<String> {
        let ForgePlace { host, owner, name, .. } = self.place;
        let repository = format!("{host}/{owner}/{name}");
        let repository = ["--repo", &repository];
        let args: Vec<String> = args.iter().chain(&repository).map(|word| (*word).to_owned()).collect();
        let ended = self.program.run(&args, String::new()).ok()?;
        ended.status.success().then(|| String::from_utf8_lossy(&ended.stdout).into_owned())
    }
}

/// What becomes the message of a squash merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SquashMessage {
    /// Squash merges are not allowed there.
    Off,
    /// The text of the request, which ends in our trailers.
    RequestBody,
    /// The messages of all commits, of which git reads only the trailers of the last.
    AllMessages,
    /// Only a title, so that nothing is kept.
    TitleOnly,
    /// A template that keeps nothing.
    Template,
    /// It is not known.
    Unknown,
}

/// How many pages of a list are read, and how many entries each has.
pub(super) const PAGES: u32 = 50;
pub(super) const PAGE: usize = 100;

/// The error for a list that has more: nothing can be said of a request of which only a part was read.
pub(super) fn not_all_read(what: &str) -> Error {
    let read = PAGES as usize * PAGE;
    Error::new(
        Kind::Person,
        format!("only the first {read} entries of {} were read, and there are more", one_line(what)),
        "Nothing was done. `--follow FILE` takes what should be taken up from a file.",
    )
}

pub(super) fn list(answer: &Value) -> impl Iterator<Item = &Value> {
    answer.as_array().into_iter().flatten()
}

pub(super) fn not_understood() -> Error {
    Error::new(
        Kind::Environment,
        "the answer of the forge could not be understood",
        "Look at the repository in a browser to see what has happened, then run the same command again.",
    )
}
