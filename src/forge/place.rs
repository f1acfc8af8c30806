//! The place of a repository on a forge: which kind of forge it is, and where its pages are.

use super::address::{RemoteAddress, percent_encoded, percent_encoded_whole};

/// The kinds of forges that we know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ForgeKind {
    /// GitHub and GitHub Enterprise.
    GitHub,
    /// GitLab.
    GitLab,
    /// Gitea and Forgejo.
    Gitea,
}

/// A row of the table of forges: what they are called, by what their hosts are recognised, and the program that talks to them.
pub(super) struct ForgeRow {
    word: &'static str,
    request: &'static str,
    longest_body: usize,
    domains: &'static [&'static str],
    /// Parts of the names of other hosts.
    labels: &'static [&'static str],
    /// The program; without one, a person opens requests.
    program: Option<&'static str>,
    /// The options of its command `api` with which it sends standard input.
    pub(super) sends: &'static [&'static str],
}

const TABLE: [ForgeRow; 3] = [
    ForgeRow {
        word: "github",
        request: "pull request",
        longest_body: 65_536,
        domains: &["github.com", "ghe.com"],
        labels: &["github", "ghe"],
        program: Some("gh"),
        sends: &["--input", "-"],
    },
    ForgeRow {
        word: "gitlab",
        request: "merge request",
        longest_body: 1_000_000,
        domains: &["gitlab.com"],
        labels: &["gitlab"],
        program: Some("glab"),
        // It does not say by itself what it sends.
        sends: &["--header", "Content-Type: application/json", "--input", "-"],
    },
    ForgeRow {
        word: "gitea",
        request: "pull request",
        longest_body: 1_000_000,
        domains: &["codeberg.org", "gitea.com"],
        labels: &["gitea", "forgejo"],
        program: None,
        sends: &[],
    },
];

impl ForgeKind {
    pub(super) fn row(self) -> &'static ForgeRow {
        static ROWS: [ForgeRow; 3] = TABLE;
        &ROWS[self as usize]
    }

    pub(crate) const ALL: [Self; 3] = [Self::GitHub, Self::GitLab, Self::Gitea];

    /// The word for it in settings and documents.
    pub(crate) fn word(self) -> &'static str {
        self.row().word
    }

    /// The kind with this word.
    pub(crate) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// The program that talks to it; `None` where a person opens requests.
    pub(crate) fn program(self) -> Option<&'static str> {
        self.row().program
    }

    /// What people call a request there.
    pub(crate) fn request(self) -> &'static str {
        self.row().request
    }

    /// How many characters the text of a request may have there.
    pub(crate) fn longest_body(self) -> usize {
        self.row().longest_body
    }

    /// The kind of a forge whose host has a name by which it can be known.
    pub(crate) fn of_host(host: &str) -> Option<Self> {
        let is_in = |domain: &&str| host == *domain || host.ends_with(&format!(".{domain}"));
        let has_label = |word: &&str| host.split(['.', '-']).any(|label| label == *word);
        Self::ALL
            .into_iter()
            .find(|kind| kind.row().domains.iter().any(is_in) || kind.row().labels.iter().any(has_label))
    }
}

/// A repository on a host that may be a forge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ForgePlace {
    /// The kind of forge; `None` if its name does not tell.
    pub(crate) kind: Option<ForgeKind>,
    /// The host, with its port if its pages have one.
    pub(crate) host: String,
    /// The owner; for GitLab, the group with all groups around it.
    pub(crate) owner: String,
    pub(crate) name: String,
    scheme: &'static str,
}

impl ForgePlace {
    /// The place that an address names; `None` for a path on this machine, or if there is no owner in it. `stated` is the
    /// kind that the user has stated.
    pub(crate) fn of(address: &RemoteAddress, stated: Option<ForgeKind>) -> Option<Self> {
        let path = address.path.strip_prefix("~").unwrap_or(&address.path);
        let (owner, name) = path.rsplit_once('/')?;
        if address.host.is_empty() || owner.is_empty() || name.is_empty() {
            return None;
        }
        // These hosts take SSH on the port of HTTPS.
        let host = match address.host.as_str() {
            "ssh.github.com" => "github.com",
            "altssh.gitlab.com" => "gitlab.com",
            host => host,
        };
        let is_web = matches!(address.scheme.as_str(), "http" | "https");
        let port = address.port.filter(|_| is_web).map(|port| format!(":{port}")).unwrap_or_default();
        Some(Self {
            kind: stated.or_else(|| ForgeKind::of_host(host)),
            host: format!("{host}{port}"),
            owner: owner.to_owned(),
            name: name.to_owned(),
            scheme: if address.scheme == "http" { "http" } else { "https" },
        })
    }

    /// The repository in the API of this kind of forge.
    pub(super) fn endpoint(&self, kind: ForgeKind) -> String {
        let part = percent_encoded_whole;
        match kind {
            ForgeKind::GitLab => format!("projects/{}", part(&format!("{}/{}", self.owner, self.name))),
            ForgeKind::GitHub | ForgeKind::Gitea => {
                format!("repos/{}/{}", part(&self.owner), part(&self.name))
            }
        }
    }

    /// Whether it is another repository than this one on the same forge.
    pub(super) fn differs_from(&self, other: &Self) -> bool {
        (&self.owner, &self.name) != (&other.owner, &other.name)
    }

    /// The page of the repository.
    pub(crate) fn page(&self) -> String {
        let (owner, name) = (percent_encoded(&self.owner), percent_encoded(&self.name));
        format!("{}://{}/{owner}/{name}", self.scheme, self.host)
    }

    /// The page on which a person opens a request for a branch of `from`; `None` if the kind of forge is not known.
    pub(crate) fn compare_page(&self, base: &str, from: &Self, branch: &str) -> Option<String> {
        let head = match self.kind? {
            ForgeKind::GitLab => {
                return Some(format!(
                    "{}/-/merge_requests/new?merge_request%5Bsource_branch%5D={}&merge_request%5Btarget_branch%5D={}",
                    from.page(),
                    percent_encoded_whole(branch),
                    percent_encoded_whole(base)
                ));
            }
            _ if from.differs_from(self) => {
                format!("{}:{}", percent_encoded(&from.owner), percent_encoded(branch))
            }
            _ => percent_encoded(branch),
        };
        let query = if self.kind == Some(ForgeKind::GitHub) { "?expand=1" } else { "" };
        Some(format!("{}/compare/{}...{head}{query}", self.page(), percent_encoded(base)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(address: &str) -> Option<ForgePlace> {
        ForgePlace::of(&RemoteAddress::parse(address), None)
    }

    #[test]
    fn forges_are_known_by_their_hosts() {
        use ForgeKind::{GitHub, GitLab, Gitea};
        for (address, kind, page) in [
            ("git@github.com:o/n.git", Some(GitHub), "https://github.com/o/n"),
            ("ssh://git@ssh.github.com:443/o/n", Some(GitHub), "https://github.com/o/n"),
            ("https://github.example.com/o/n", Some(GitHub), "https://github.example.com/o/n"),
            ("https://octo.ghe.com/o/n", Some(GitHub), "https://octo.ghe.com/o/n"),
            ("https://gitlab.com/g/sub/n.git", Some(GitLab), "https://gitlab.com/g/sub/n"),
            ("ssh://git@gitlab.example.com:2222/g/n", Some(GitLab), "https://gitlab.example.com/g/n"),
            ("https://codeberg.org/o/n", Some(Gitea), "https://codeberg.org/o/n"),
            ("http://forgejo.lan:3000/o/n", Some(Gitea), "http://forgejo.lan:3000/o/n"),
            ("https://notgithub.com/o/n", None, "https://notgithub.com/o/n"),
            ("https://git.example.com/o/n", None, "https://git.example.com/o/n"),
        ] {
            let read = place(address).unwrap_or_else(|| panic!("{address} is no place"));
            assert_eq!((read.kind, read.page().as_str()), (kind, page), "{address}");
        }
        for address in ["/srv/o/n.git", "../n", "file:///o/n", "https://github.com/n", "host:n", ""] {
            assert_eq!(place(address), None, "{address}");
        }
        let stated = ForgePlace::of(&RemoteAddress::parse("https://code.example/o/n"), Some(Gitea)).unwrap();
        assert_eq!(stated.kind, Some(Gitea));
    }

    #[test]
    fn the_page_for_a_new_request_is_that_of_the_forge() {
        let page = |base: &str, from: &str| {
            place(base).unwrap().compare_page("main", &place(from).unwrap(), "a/b#1")
        };
        let hub = "https://github.com/o/n";
        assert_eq!(page(hub, hub).unwrap(), "https://github.com/o/n/compare/main...a/b%231?expand=1");
        let fork = "https://github.com/me/n";
        assert_eq!(page(hub, fork).unwrap(), "https://github.com/o/n/compare/main...me:a/b%231?expand=1");
        let lab = "https://gitlab.com/g/s/n";
        assert_eq!(
            page(lab, lab).unwrap(),
            "https://gitlab.com/g/s/n/-/merge_requests/new?merge_request%5Bsource_branch%5D=a%2Fb%231&merge_request%5Btarget_branch%5D=main"
        );
        let berg = "https://codeberg.org/o/n";
        assert_eq!(page(berg, berg).unwrap(), "https://codeberg.org/o/n/compare/main...a/b%231");
        assert_eq!(page("https://git.example/o/n", "https://git.example/o/n"), None);
    }
}
