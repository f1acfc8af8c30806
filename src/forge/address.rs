//! Reads the address of a remote repository: which host it is on, and its name there. Nothing is looked up.

use std::fmt::Write;

/// The address of a remote repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteAddress {
    /// The scheme in small letters; `ssh` for `user@host:path`, empty for a path on this machine.
    pub(crate) scheme: String,
    /// The host in small letters; empty for a path on this machine.
    pub(crate) host: String,
    /// The port, if it is named.
    pub(crate) port: Option<u16>,
    /// The path, without slashes around it and without `.git`.
    pub(crate) path: String,
    /// The address without a password, for people.
    pub(crate) shown: String,
}

impl RemoteAddress {
    /// Reads an address as git does.
    pub(crate) fn parse(address: &str) -> Self {
        let address = address.trim();
        if let Some((scheme, rest)) = address.split_once("://") {
            return Self::of_url(&scheme.to_ascii_lowercase(), rest);
        }
        match address.split_once(':') {
            // `host:path`, unless there is a slash before the colon.
            Some((before, path)) if !before.contains('/') && !before.is_empty() && !path.starts_with(':') => {
                let (user, host) = before.rsplit_once('@').map_or(("", before), |(user, host)| (user, host));
                let at = user.split(':').next().filter(|user| !user.is_empty());
                let at = at.map(|user| format!("{user}@")).unwrap_or_default();
                Self {
                    scheme: "ssh".to_owned(),
                    host: host.to_ascii_lowercase(),
                    port: None,
                    path: bare(path),
                    shown: format!("{at}{host}:{path}"),
                }
            }
            _ => Self::here(address),
        }
    }

    fn of_url(scheme: &str, rest: &str) -> Self {
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        if scheme == "file" || authority.is_empty() {
            return Self::here(&format!("{scheme}://{rest}"));
        }
        // A password may contain an @.
        let (user, place) = authority.rsplit_once('@').map_or(("", authority), |(user, place)| (user, place));
        let (host, port) = match place.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port.parse().ok()),
            _ => (place, None),
        };
        let path = path.split(['?', '#']).next().unwrap_or_default();
        // Over HTTP, a name can be a token.
        let at = match user.split(':').next() {
            Some(user) if scheme.contains("ssh") && !user.is_empty() => format!("{user}@"),
            _ => String::new(),
        };
        Self {
            scheme: scheme.to_owned(),
            host: host.to_ascii_lowercase(),
            port,
            path: bare(path),
            shown: format!("{scheme}://{at}{place}/{path}"),
        }
    }

    fn here(path: &str) -> Self {
        Self {
            scheme: String::new(),
            host: String::new(),
            port: None,
            path: bare(path),
            shown: path.to_owned(),
        }
    }
}

/// A path without slashes around it and without `.git`.
fn bare(path: &str) -> String {
    let path = path.trim_matches('/');
    path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/').to_owned()
}

/// A text as a part of an address; slashes stay.
pub(super) fn percent_encoded(text: &str) -> String {
    encoded(text, "-._~/")
}

/// A text as one part of a path or as a value; slashes are encoded as well.
pub(super) fn percent_encoded_whole(text: &str) -> String {
    encoded(text, "-._~")
}

fn encoded(text: &str, kept: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
            out.push(char::from(byte));
        } else {
            write!(out, "%{byte:02X}").expect("a string takes every text");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_as_git_reads_them_and_shown_without_passwords() {
        for (address, scheme, host, port, path, shown) in [
            ("https://github.com/o/n.git", "https", "github.com", None, "o/n", "https://github.com/o/n.git"),
            ("HTTPS://GitHub.com/o/n/", "https", "github.com", None, "o/n", "https://GitHub.com/o/n/"),
            ("https://token@github.com/o/n", "https", "github.com", None, "o/n", "https://github.com/o/n"),
            (
                "https://u:p@w@h.example:8443/o/n",
                "https",
                "h.example",
                Some(8443),
                "o/n",
                "https://h.example:8443/o/n",
            ),
            ("https://h.example/o/n?token=x", "https", "h.example", None, "o/n", "https://h.example/o/n"),
            ("git@github.com:o/n.git", "ssh", "github.com", None, "o/n", "git@github.com:o/n.git"),
            ("work:o/n", "ssh", "work", None, "o/n", "work:o/n"),
            (
                "git@gitlab.com:g/sub/n.git",
                "ssh",
                "gitlab.com",
                None,
                "g/sub/n",
                "git@gitlab.com:g/sub/n.git",
            ),
            (
                "ssh://git@ssh.github.com:443/o/n.git",
                "ssh",
                "ssh.github.com",
                Some(443),
                "o/n",
                "ssh://git@ssh.github.com:443/o/n.git",
            ),
            ("ssh://git:secret@h.example/o/n", "ssh", "h.example", None, "o/n", "ssh://git@h.example/o/n"),
            ("https://[::1]:3000/o/n", "https", "[::1]", Some(3000), "o/n", "https://[::1]:3000/o/n"),
            ("https://[::1]/o/n", "https", "[::1]", None, "o/n", "https://[::1]/o/n"),
            ("git://h.example/n", "git", "h.example", None, "n", "git://h.example/n"),
            ("../n.git", "", "", None, "../n", "../n.git"),
            ("/srv/n.git", "", "", None, "srv/n", "/srv/n.git"),
            ("./a:b/n", "", "", None, "./a:b/n", "./a:b/n"),
            ("file:///srv/n.git", "", "", None, "file:///srv/n", "file:///srv/n.git"),
            ("ext::sh -c x", "", "", None, "ext::sh -c x", "ext::sh -c x"),
            ("", "", "", None, "", ""),
        ] {
            let read = RemoteAddress::parse(address);
            let expected = (scheme, host, port, path, shown);
            let RemoteAddress { scheme, host, port, path, shown } = &read;
            assert_eq!(
                (scheme.as_str(), host.as_str(), *port, path.as_str(), shown.as_str()),
                expected,
                "{address}"
            );
        }
    }

    #[test]
    fn names_of_branches_fit_into_addresses() {
        assert_eq!(percent_encoded("a/b c#1"), "a/b%20c%231");
        assert_eq!(percent_encoded_whole("g/sub/n"), "g%2Fsub%2Fn");
    }
}
