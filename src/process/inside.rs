//! Tells where this process comes from: from a job of ours, or from a program that is connected to us.

use std::path::PathBuf;

use super::job_marker::{JobMarker, Tag};
use super::processes;
use super::{Instance, proc_files};

/// The most generations that are looked at; no real process has as many.
const GENERATIONS: usize = 256;

/// Whether this process is part of a job that has one of these tags, also if it has left the job's session or emptied its
/// environment. Without Linux's `/proc`, this is not known, and the answer is no.
#[must_use]
pub fn is_within_job(tags: &[Tag]) -> bool {
    let is_marked =
        |pid: i32| JobMarker::of(pid).is_some_and(|marker| tags.iter().any(|tag| marker.has(*tag)));
    processes::are_visible() && lineage().any(is_marked)
}

/// Whether this process was started by that one, directly or not. Without Linux's `/proc`, the answer is no.
#[must_use]
pub fn descends_from(other: &Instance) -> bool {
    processes::are_visible() && lineage().skip(1).any(|pid| pid == other.pid) && !other.is_provably_gone()
}

/// The program at the other end of our standard input: the nearest process above us that reads something else. `git` and
/// shells between the two pass their own input on. `None` for a terminal, or if that is not known.
#[must_use]
pub fn program_at_input() -> Option<Instance> {
    if !processes::are_visible() || rustix::termios::isatty(rustix::stdio::stdin()) {
        return None;
    }
    let own = input_of(processes::own_pid())?;
    lineage().skip(1).find(|pid| input_of(*pid).as_ref() != Some(&own)).and_then(Instance::of)
}

/// What a process reads as its standard input.
fn input_of(pid: i32) -> Option<PathBuf> {
    proc_files::link(&format!("{pid}/fd/0")).ok()
}

/// This process, its parent and so on. The first process of the system or of a container does not count.
fn lineage() -> impl Iterator<Item = i32> {
    let above = |pid: &i32| processes::parent_of(*pid).filter(|parent| *parent > 1);
    std::iter::successors(Some(processes::own_pid()), above).take(GENERATIONS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_descends_from_its_parent_and_not_from_its_child() {
        if !processes::are_visible() {
            return;
        }
        let parent = lineage().nth(1).and_then(Instance::of);
        assert!(parent.is_none_or(|parent| descends_from(&parent)));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let below = Instance::of(i32::try_from(child.id()).unwrap()).unwrap();
        let is_above = descends_from(&below);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_above);
        assert!(!is_within_job(&[Tag::new("no job of this test has this tag")]));
    }
}
