//! Reads git's raw objects: the header of a commit, and the entries of a tree.

use std::borrow::Cow;

use crate::record::CommitId;

/// Trees have ids of the same kind as commits.
pub(super) type ObjectId = CommitId;

/// The parts of a stored commit that the history needs. Author and signature are ignored.
#[derive(Debug)]
pub(super) struct RawCommit<'a> {
    /// The root tree.
    pub(super) tree: ObjectId,
    /// The parents, in the order of the commit.
    pub(super) parents: Vec<CommitId>,
    /// The committer date in seconds since the epoch; 0 if it cannot be read, as in git.
    pub(super) time: i64,
    /// Everything after the first empty line. It is in UTF-8 if the commit says that it is in ISO-8859-1, and otherwise as it is stored.
    pub(super) message: Cow<'a, [u8]>,
}

impl<'a> RawCommit<'a> {
    /// Parses the content of an object; `None` if it is not a commit.
    pub(super) fn parse(data: &'a [u8]) -> Option<Self> {
        let (tree, mut rest) = id_line(data, b"tree ")?;
        let mut parents = Vec::with_capacity(1);
        while rest.starts_with(b"parent ") {
            let (parent, behind) = id_line(rest, b"parent ")?;
            parents.push(parent);
            rest = behind;
        }
        let (mut time, mut is_latin) = (0, false);
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let line = &rest[..end];
            rest = &rest[end + 1..];
            if line.is_empty() {
                let message = if is_latin { from_latin(rest).into() } else { rest.into() };
                return Some(Self { tree, parents, time, message });
            }
            if let Some(encoding) = line.strip_prefix(b"encoding ") {
                is_latin = LATIN.iter().any(|name| encoding.eq_ignore_ascii_case(name.as_bytes()));
            }
            if let Some(committer) = line.strip_prefix(b"committer ") {
                time = date(committer).unwrap_or(0);
            }
        }
        // A commit without any message may end with its header.
        rest.is_empty().then(|| Self { tree, parents, time, message: rest.into() })
    }
}

/// How commits call ISO-8859-1.
const LATIN: [&str; 3] = ["ISO-8859-1", "ISO8859-1", "latin1"];

/// Text in ISO-8859-1 in UTF-8: each byte is the character with its number.
fn from_latin(text: &[u8]) -> Vec<u8> {
    text.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes()
}

/// The id in a line `<key><hex>\n` at the start, and the rest.
fn id_line<'a>(data: &'a [u8], key: &[u8]) -> Option<(ObjectId, &'a [u8])> {
    let rest = data.strip_prefix(key)?;
    let end = [40, 64].into_iter().find(|&end| rest.get(end) == Some(&b'\n'))?;
    Some((ObjectId::from_hex(&rest[..end])?, &rest[end + 1..]))
}

/// The seconds in `Name <mail> seconds zone`.
fn date(person: &[u8]) -> Option<i64> {
    let mail_end = person.iter().rposition(|&byte| byte == b'>')?;
    let text = std::str::from_utf8(&person[mail_end + 1..]).ok()?;
    text.split_ascii_whitespace().next()?.parse().ok()
}

/// One entry of a tree: the object at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Entry {
    mode: u32,
    /// The blob, tree or submodule commit.
    pub(super) id: ObjectId,
}

const DIRECTORY: u32 = 0o040_000;
const SUBMODULE: u32 = 0o160_000;

impl Entry {
    /// Whether it is a tree.
    pub(super) fn is_directory(&self) -> bool {
        self.mode == DIRECTORY
    }

    /// Whether it is a commit of another repository.
    pub(super) fn is_submodule(&self) -> bool {
        self.mode == SUBMODULE
    }

    /// Whether it is a regular file.
    pub(super) fn is_file(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }
}

/// The entries of a tree object with their names; a `None` among them means that `data` is not a tree with ids of `id_len` bytes.
pub(super) fn tree_entries(mut data: &[u8], id_len: usize) -> impl Iterator<Item = Option<(&[u8], Entry)>> {
    std::iter::from_fn(move || (!data.is_empty()).then(|| take_entry(&mut data, id_len)))
}

/// Strips the first entry off `data`; `None`, and nothing is left, if it is not complete.
fn take_entry<'a>(data: &mut &'a [u8], id_len: usize) -> Option<(&'a [u8], Entry)> {
    let all = std::mem::take(data);
    let space = memchr::memchr(b' ', all)?;
    let nul = memchr::memchr(0, all)?;
    let name = all.get(space + 1..nul)?;
    let id = ObjectId::from_bytes(all.get(nul + 1..nul + 1 + id_len)?)?;
    *data = &all[nul + 1 + id_len..];
    Some((name, Entry { mode: mode_of(&all[..space])?, id }))
}

/// The mode as git compares it: of the permissions of a file, only the owner's execute bit counts.
fn mode_of(octal: &[u8]) -> Option<u32> {
    let mode = u32::from_str_radix(std::str::from_utf8(octal).ok()?, 8).ok()?;
    Some(match mode & 0o170_000 {
        0o100_000 if mode & 0o100 == 0 => 0o100_644,
        0o100_000 => 0o100_755,
        kind => kind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(digit: &str) -> CommitId {
        digit.repeat(40).parse().unwrap()
    }

    #[test]
    fn a_commit_is_parsed_and_its_signature_is_ignored() {
        let text = format!(
            "tree {}\nparent {}\nparent {}\nauthor A <a> 1 +0000\ncommitter B <b> 1700000000 +0100\n\
             gpgsig -----BEGIN\n \n committer X <x> 5 +0000\n -----END\n\nsubject\n\nbody\n",
            id("1"),
            id("2"),
            id("3")
        );
        let commit = RawCommit::parse(text.as_bytes()).unwrap();
        assert_eq!(commit.tree, id("1"));
        assert_eq!(commit.parents, [id("2"), id("3")]);
        assert_eq!(commit.time, 1_700_000_000);
        assert_eq!(*commit.message, *b"subject\n\nbody\n");
    }

    #[test]
    fn a_message_in_an_older_encoding_is_read_in_utf_8() {
        for (encoding, read) in [("iso-8859-1", "gr\u{fc}n"), ("ISO-8859-15", "gr\u{fffd}n")] {
            let text = format!("tree {}\nauthor A <a> 1 +0000\nencoding {encoding}\n\n", id("1"));
            let text = [text.as_bytes(), b"gr\xfcn"].concat();
            let commit = RawCommit::parse(&text).unwrap();
            assert_eq!(String::from_utf8_lossy(&commit.message), read);
        }
    }

    #[test]
    fn a_commit_may_lack_parents_message_and_a_sensible_date() {
        let text = format!("tree {}\nauthor A <a> 1 +0000\ncommitter B <b> soon +0100\n", id("1"));
        let commit = RawCommit::parse(text.as_bytes()).unwrap();
        assert_eq!((commit.parents.len(), commit.time, commit.message), (0, 0, b"".into()));
    }

    #[test]
    fn anything_but_a_commit_is_refused() {
        for bad in ["", "tree 12\n\n", "parent x\n\n", &format!("tree {}\nauthor A", id("1"))] {
            assert!(RawCommit::parse(bad.as_bytes()).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn the_entries_of_a_tree_are_read_and_only_the_owners_execute_bit_counts() {
        let mut tree = Vec::new();
        for (mode, name) in [("40000", "a"), ("100664", "ab"), ("100755", "abc")] {
            tree.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            tree.extend_from_slice(&[7; 20]);
        }
        let entries = |tree: &[u8]| -> Option<Vec<(String, Entry)>> {
            let named = |(name, entry): (&[u8], Entry)| (String::from_utf8(name.to_vec()).unwrap(), entry);
            tree_entries(tree, 20).map(|entry| entry.map(named)).collect()
        };
        let all = entries(&tree).unwrap();
        let modes: Vec<(&str, u32)> = all.iter().map(|(name, entry)| (name.as_str(), entry.mode)).collect();
        assert_eq!(modes, [("a", DIRECTORY), ("ab", 0o100_644), ("abc", 0o100_755)]);
        assert_eq!(entries(&tree[..tree.len() - 1]), None);
    }
}
