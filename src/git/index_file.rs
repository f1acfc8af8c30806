//! Reads the entries of an index: as `git ls-files` lists them, or from the file itself.
//!
//! A run looks at the index before and after every program that it starts. So it reads the file in this process, if the
//! answer is certain to be that of git. Unusual indexes are left to git: those of SHA-256 repositories, without a checksum,
//! split ones, sparse ones, and those with paths outside of a sparse checkout, because then git also looks at the work tree.

use super::entries::Entry;

/// The length of a SHA-1 id and of the checksum at the end, in bytes.
const ID: usize = 20;
/// The times, the device and so on of the file, which come first.
const STAT: usize = 24;
/// The bits of the flags of an entry.
const ASSUME_UNCHANGED: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
/// The bit of the further flags of an extended entry.
const SKIP_WORKTREE: u16 = 0x4000;

/// A path in the index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct IndexEntry {
    pub(super) path: Vec<u8>,
    /// Whether git overlooks changes to it.
    pub(super) is_overlooked: bool,
    pub(super) entry: Option<Entry>,
}

impl IndexEntry {
    /// One record of `git ls-files -z -v --stage`: `MARK MODE ID STAGE<tab>PATH`.
    pub(super) fn parse(record: &[u8]) -> Option<Self> {
        let tab = record.iter().position(|byte| *byte == b'\t')?;
        let fields: Vec<&[u8]> = record[..tab].split(|byte| *byte == b' ').collect();
        let [mark, mode, id, _] = fields[..] else { return None };
        Some(Self {
            path: record[tab + 1..].to_vec(),
            is_overlooked: mark.first().is_some_and(|mark| mark.is_ascii_lowercase() || *mark == b'S'),
            entry: Entry::parse(mode, id),
        })
    }
}

/// The entries of an index file with this content, in its order; `None` if git should read it.
pub(super) fn entries_in(content: &[u8]) -> Option<Vec<IndexEntry>> {
    let (data, _) = content.split_last_chunk::<ID>().filter(|_| has_checksum(content))?;
    let mut reader = Reader { rest: data.strip_prefix(b"DIRC")? };
    let (version, count) = (reader.number()?, reader.number()?);
    let mut entries: Vec<IndexEntry> = Vec::new();
    for _ in 0..count {
        let before = entries.last().map_or(&[][..], |entry| &entry.path);
        let entry = match version {
            2 | 3 => reader.padded_entry()?,
            4 => reader.compressed_entry(before)?,
            _ => return None,
        };
        entries.push(entry);
    }
    reader.only_optional_extensions().then_some(entries)
}

/// Whether the last bytes of an index are the SHA-1 checksum of the others.
pub(super) fn has_checksum(content: &[u8]) -> bool {
    let Some((data, checksum)) = content.split_last_chunk::<ID>() else { return false };
    sha1_smol::Sha1::from(data).digest().bytes() == *checksum
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count)?;
        self.rest = rest;
        Some(taken)
    }

    fn number(&mut self) -> Option<u32> {
        Some(u32::from_be_bytes(self.take(4)?.try_into().expect("four bytes were taken")))
    }

    fn flags(&mut self) -> Option<u16> {
        Some(u16::from_be_bytes(self.take(2)?.try_into().expect("two bytes were taken")))
    }

    /// The bytes up to the next NUL, which is taken too.
    fn until_nul(&mut self) -> Option<&'a [u8]> {
        let end = memchr::memchr(0, self.rest)?;
        let text = self.take(end)?;
        self.take(1)?;
        Some(text)
    }

    /// What comes before the path.
    fn head(&mut self) -> Option<IndexEntry> {
        self.take(STAT)?;
        let mode = format!("{:06o}", self.number()?);
        // Owner, group and size.
        self.take(12)?;
        let id: String = self.take(ID)?.iter().map(|byte| format!("{byte:02x}")).collect();
        let flags = self.flags()?;
        let more = if flags & EXTENDED == 0 { 0 } else { self.flags()? };
        if more & SKIP_WORKTREE != 0 {
            return None;
        }
        let entry = Entry::parse(mode.as_bytes(), id.as_bytes());
        Some(IndexEntry { path: Vec::new(), is_overlooked: flags & ASSUME_UNCHANGED != 0, entry })
    }

    /// An entry of version 2 or 3: its length is a multiple of eight, with one to eight NUL at the end.
    fn padded_entry(&mut self) -> Option<IndexEntry> {
        let all = self.rest.len();
        let mut entry = self.head()?;
        entry.path = self.until_nul()?.to_vec();
        let over = (all - self.rest.len()) % 8;
        let padding = self.take((8 - over) % 8)?;
        padding.iter().all(|byte| *byte == 0).then_some(entry)
    }

    /// An entry of version 4: how many bytes of the path before are dropped, and those that follow instead.
    fn compressed_entry(&mut self, before: &[u8]) -> Option<IndexEntry> {
        let mut entry = self.head()?;
        let kept = before.len().checked_sub(self.length()?)?;
        entry.path = [&before[..kept], self.until_nul()?].concat();
        Some(entry)
    }

    /// A length of seven bits per byte, as in packs.
    fn length(&mut self) -> Option<usize> {
        let mut byte = self.take(1)?[0];
        let mut length = usize::from(byte & 127);
        while byte & 128 != 0 {
            byte = self.take(1)?[0];
            length = length.checked_add(1)?.checked_mul(128)?.checked_add(usize::from(byte & 127))?;
        }
        Some(length)
    }

    /// Whether what follows the entries can be ignored: the names of such extensions begin with a capital letter.
    fn only_optional_extensions(&mut self) -> bool {
        while !self.rest.is_empty() {
            let optional = self.take(4).is_some_and(|name| name[0].is_ascii_uppercase());
            let content = self.number().and_then(|length| self.take(usize::try_from(length).ok()?));
            if !optional || content.is_none() {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::EntryKind;

    #[test]
    fn marks_modes_and_paths_are_read() {
        let id = "a".repeat(40);
        let read = |record: String| IndexEntry::parse(record.as_bytes());
        let kind = |record: String| read(record)?.entry.map(|entry| entry.kind);
        assert!(
            read(format!("S 100644 {id} 0\ta b\tc"))
                .is_some_and(|it| it.is_overlooked && it.path == b"a b\tc")
        );
        assert!(read(format!("h 100644 {id} 0\ta")).is_some_and(|it| it.is_overlooked));
        assert!(read(format!("H 100644 {id} 0\ta")).is_some_and(|it| !it.is_overlooked));
        assert_eq!(kind(format!("H 160000 {id} 0\tlib")), Some(EntryKind::Submodule));
        assert!(read("H a".to_owned()).is_none());
    }

    fn with_checksum(data: &[u8]) -> Vec<u8> {
        [data, &sha1_smol::Sha1::from(data).digest().bytes()].concat()
    }

    /// An index of version 2 with one entry and what follows it.
    fn index(flags: u16, behind: &[u8]) -> Vec<u8> {
        let mut data = b"DIRC\0\0\0\x02\0\0\0\x01".to_vec();
        data.extend([0; STAT]);
        data.extend(0o100_755_u32.to_be_bytes());
        data.extend([0; 12]);
        data.extend([0xab; ID]);
        data.extend(flags.to_be_bytes());
        data.extend(b"a/b\0\0\0\0\0\0\0");
        with_checksum(&[&data[..], behind].concat())
    }

    #[test]
    fn an_entry_of_a_file_is_read() {
        let found = entries_in(&index(3, b"TREE\0\0\0\x02xy")).unwrap();
        let entry = Some(Entry { kind: EntryKind::Executable, id: "ab".repeat(20) });
        assert_eq!(found, [IndexEntry { path: b"a/b".to_vec(), is_overlooked: false, entry }]);
        assert!(entries_in(&index(ASSUME_UNCHANGED | 3, b"")).unwrap()[0].is_overlooked);
    }

    #[test]
    fn unusual_and_damaged_files_are_left_to_git() {
        for behind in ["link\0\0\0\0", "sdir\0\0\0\0", "TREE\0\0\0\x02x", "TREE\0\0", "T"] {
            assert_eq!(entries_in(&index(3, behind.as_bytes())), None, "{behind:?}");
        }
        let whole = index(3, b"");
        for cut in 0..whole.len() {
            assert_eq!(entries_in(&whole[..cut]), None, "{cut}");
            let data = &whole[..cut.min(whole.len() - ID)];
            assert!(data.len() == whole.len() - ID || entries_in(&with_checksum(data)).is_none(), "{cut}");
        }
        let mut without = whole.clone();
        without.truncate(whole.len() - ID);
        without.extend([0; ID]);
        assert_eq!(entries_in(&without), None);
        let mut newer = whole[..whole.len() - ID].to_vec();
        newer[7] = 5;
        assert_eq!(entries_in(&with_checksum(&newer)), None);
    }
}
