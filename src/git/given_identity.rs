//! What the environment says about who commits.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

/// What the environment says about who commits. Where it says nothing, the configuration does.
#[derive(Clone, Copy, Debug)]
pub struct GivenIdentity {
    people: [GivenPerson; 2],
}

/// What the environment says about the author or the committer.
#[derive(Clone, Copy, Debug)]
struct GivenPerson {
    /// The section of the configuration that is about this person.
    section: &'static str,
    name: bool,
    email: bool,
}

impl GivenIdentity {
    /// Reads the environment; `None` if only git can tell whether it is right.
    #[must_use]
    pub fn read(variables: &BTreeMap<OsString, OsString>) -> Option<Self> {
        let variable = |name: &str| variables.get(OsStr::new(name));
        let given = |name: &str| match variable(name) {
            Some(value) => value.to_str().is_some_and(is_plain).then_some(true),
            None => Some(false),
        };
        let person = |section, role: &str| {
            variable(&format!("GIT_{role}_DATE")).is_none().then_some(())?;
            let (name, email) = (given(&format!("GIT_{role}_NAME"))?, given(&format!("GIT_{role}_EMAIL"))?);
            Some(GivenPerson { section, name, email })
        };
        Some(Self { people: [person("author", "AUTHOR")?, person("committer", "COMMITTER")?] })
    }

    /// Whether git certainly knows author and committer with these settings: `values` gives all values of a key.
    pub(super) fn is_complete_with<'s>(&self, values: impl Fn(&str) -> Vec<&'s str>) -> bool {
        let configured = |person: &GivenPerson, field: &str| {
            let found =
                [values(&format!("{}.{field}", person.section)), values(&format!("user.{field}"))].concat();
            !found.is_empty() && found.into_iter().all(is_plain)
        };
        self.people.iter().all(|person| {
            (person.name || configured(person, "name")) && (person.email || configured(person, "email"))
        })
    }
}

/// Whether something is left of a name or an address when git has removed what it does not allow there.
fn is_plain(value: &str) -> bool {
    value.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_certain(variables: &[(&str, &str)], settings: &[(&str, &str)]) -> bool {
        let variables = variables.iter().map(|(name, value)| (name.into(), value.into())).collect();
        let values = |key: &str| {
            settings.iter().filter(|setting| setting.0 == key).map(|setting| setting.1).collect::<Vec<_>>()
        };
        GivenIdentity::read(&variables).is_some_and(|given| given.is_complete_with(values))
    }

    #[test]
    fn an_identity_is_certain_if_every_part_is_given_and_can_be_used() {
        let user = [("user.name", "A"), ("user.email", "a@example.com")];
        let author = [("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.com")];
        let committer = [("GIT_COMMITTER_NAME", "B"), ("GIT_COMMITTER_EMAIL", "b@example.com")];
        assert!(is_certain(&[], &user));
        assert!(is_certain(&[author, committer].concat(), &[]));
        assert!(is_certain(&author, &[("committer.name", "C"), ("committer.email", "c@example.com")]));
        // git may find the rest elsewhere, or refuse to guess.
        assert!(!is_certain(&[], &[]));
        assert!(!is_certain(&[], &user[..1]));
        assert!(!is_certain(&author, &[]));
        // git refuses a name of which nothing is left, and a date that it does not understand.
        assert!(!is_certain(&[("GIT_AUTHOR_NAME", "")], &user));
        assert!(!is_certain(&[("GIT_COMMITTER_EMAIL", ".,;")], &user));
        assert!(!is_certain(&[], &[user[0], user[1], ("author.name", "<>")]));
        assert!(!is_certain(&[("GIT_COMMITTER_DATE", "yesterday or so")], &user));
    }
}
