//! The variable in the environment of everything that a job starts, by which it is found wherever it hides.
//!
//! `ARBORIST_SUPERVISOR_<pid>_<start>_<number>=<tag>`: process id and start time of the supervisor (clock ticks since
//! boot), the number of the job, and the caller's tag. The *name* differs from job to job, so a job inside a job adds
//! its variable and keeps the outer one: both supervisors find what is theirs. Process id and start time tell whether
//! the supervisor still lives; nothing here is random, nothing is secret.

use super::processes::{self, Identity};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

/// What all these variables begin with.
const PREFIX: &str = "ARBORIST_SUPERVISOR_";

/// What jobs of one kind have in common over the life of many processes, such as the work tree they run in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tag(String);

impl Tag {
    /// The tag for `text`; different texts give different tags. Any text will do: what does not fit into a variable
    /// is written as `%` and two hexadecimal digits a byte.
    #[must_use]
    pub fn new(text: impl AsRef<[u8]>) -> Self {
        let mut tag = String::new();
        for &byte in text.as_ref() {
            if byte.is_ascii_graphic() && byte != b'%' {
                tag.push(char::from(byte));
            } else {
                tag.push_str(&format!("%{byte:02x}"));
            }
        }
        Self(tag)
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The variable of one job.
#[derive(Clone, Debug)]
pub(super) struct Cookie {
    name: String,
    tag: Tag,
}

impl Cookie {
    /// A new one, unlike any other since boot.
    pub(super) fn new(tag: &Tag) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Self { name: format!("{}{number}", own_prefix()), tag: tag.clone() }
    }

    /// The name of the variable.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// Its value.
    pub(super) fn value(&self) -> &str {
        &self.tag.0
    }

    /// Whether it is in `environment`, a block of entries that each end in NUL.
    pub(super) fn is_in(&self, environment: &[u8]) -> bool {
        let entry = format!("{}={}", self.name, self.tag);
        environment.split(|&byte| byte == 0).any(|found| found == entry.as_bytes())
    }
}

/// What the names of our own process's cookies begin with.
fn own_prefix() -> String {
    let start = processes::own().map_or(0, |own| own.identity.start);
    format!("{PREFIX}{}_{start}_", processes::own_pid())
}

/// Whether `environment` has a cookie of any job of our own process.
pub(super) fn is_ours(environment: &[u8]) -> bool {
    let prefix = own_prefix();
    environment.split(|&byte| byte == 0).any(|entry| entry.starts_with(prefix.as_bytes()))
}

/// The supervisors whose jobs with `tag` are named in `environment`; start 0 where it was not known.
pub(super) fn supervisors(environment: &[u8], tag: &Tag) -> Vec<Identity> {
    environment
        .split(|&byte| byte == 0)
        .filter_map(|entry| {
            let (name, value) = std::str::from_utf8(entry).ok()?.split_once('=')?;
            let mut numbers = name.strip_prefix(PREFIX)?.split('_');
            let pid = numbers.next()?.parse().ok()?;
            let start = numbers.next()?.parse().ok()?;
            (value == tag.0).then_some(Identity { pid, start })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block(entries: &[&str]) -> Vec<u8> {
        entries.iter().flat_map(|entry| entry.bytes().chain([0])).collect()
    }

    #[test]
    fn a_job_inside_a_job_carries_both_cookies() {
        let (outer, inner) = (Cookie::new(&Tag::new("a")), Cookie::new(&Tag::new("a")));
        let entry = |cookie: &Cookie| format!("{}={}", cookie.name(), cookie.value());
        let both = block(&["PATH=/bin", &entry(&outer), &entry(&inner)]);
        assert!(outer.is_in(&both) && inner.is_in(&both) && is_ours(&both));
        assert!(!inner.is_in(&block(&[&entry(&outer), &format!("X={}", entry(&inner))])));
        assert_eq!(supervisors(&both, &Tag::new("a")).len(), 2);
    }

    #[test]
    fn only_the_whole_tag_names_a_supervisor() {
        let found = |entry: &str| supervisors(&block(&[entry]), &Tag::new("/home/me"));
        assert_eq!(found("ARBORIST_SUPERVISOR_7_99_0=/home/me"), [Identity { pid: 7, start: 99 }]);
        for other in [
            "ARBORIST_SUPERVISOR_7_99_0=/home/me2",
            "ARBORIST_SUPERVISOR_7_99_0=/home/m",
            "ARBORIST_SUPERVISOR_x_99_0=/home/me",
            "ARBORIST_SUPERVISOR_7=/home/me",
            "ARBORIST_SUPERVISOR_7_99_0",
        ] {
            assert_eq!(found(other), [], "{other}");
            assert!(!is_ours(&block(&[other])));
        }
    }

    proptest! {
        #[test]
        fn different_texts_give_different_tags_that_fit_into_a_variable(
            one in prop::collection::vec(any::<u8>(), 0..8),
            two in prop::collection::vec(any::<u8>(), 0..8),
        ) {
            let (first, second) = (Tag::new(&one), Tag::new(&two));
            prop_assert_eq!(first == second, one == two);
            prop_assert!(first.0.bytes().all(|byte| byte.is_ascii_graphic()));
        }
    }
}
