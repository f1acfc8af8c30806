//! Writes made histories into repositories.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::make::{Made, text};
use git_arborist::record::CommitId;
use sha2::{Digest, Sha256};

/// Makes the commits of a history in a repository.
pub(super) fn build(store: &Store, made: &Made) -> Vec<CommitId> {
    let mut ids = Vec::new();
    for (place, commit) in made.commits.iter().enumerate() {
        let tree = write_tree(store, &commit.files());
        let parents: String =
            commit.parents.iter().map(|&parent| format!("parent {}\n", ids[parent])).collect();
        // No two commits are the same, whatever else they have in common.
        let people = ["author", "committer"]
            .map(|role| format!("{role} A{place} <a> {} +0000\n", commit.time))
            .concat();
        let text = format!("tree {tree}\n{parents}{people}\n{}", made.message(place, &ids));
        ids.push(store.write("commit", text.as_bytes()));
    }
    ids
}

/// Where objects are written to.
pub(super) enum Store {
    /// With SHA-1.
    Library(git2::Repository),
    /// The folder of loose objects of a repository with SHA-256, which libgit2 cannot write.
    Sha256(PathBuf),
}

impl Store {
    fn write(&self, kind: &str, content: &[u8]) -> CommitId {
        match self {
            Self::Library(git) => {
                let kind = git2::ObjectType::from_str(kind).unwrap();
                CommitId::from_bytes(git.odb().unwrap().write(kind, content).unwrap().as_bytes()).unwrap()
            }
            Self::Sha256(objects) => {
                let object = [format!("{kind} {}\0", content.len()).as_bytes(), content].concat();
                let id = CommitId::from_bytes(&Sha256::digest(&object)).unwrap();
                let digits = id.to_string();
                let folder = objects.join(&digits[..2]);
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(folder.join(&digits[2..]), stored(&object)).unwrap();
                id
            }
        }
    }
}

/// The bytes in the form of zlib, not compressed.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let (mut all, mut one, mut two) = (vec![0x78, 0x01], 1_u32, 0_u32);
    for byte in bytes {
        one = (one + u32::from(*byte)) % 65_521;
        two = (two + one) % 65_521;
    }
    let length = u16::try_from(bytes.len()).unwrap();
    all.push(1);
    all.extend([length.to_le_bytes(), (!length).to_le_bytes()].concat());
    all.extend_from_slice(bytes);
    all.extend((two << 16 | one).to_be_bytes());
    all
}

/// A tree with these files, at the top or in one folder.
fn write_tree(store: &Store, files: &BTreeMap<&str, usize>) -> CommitId {
    let entry = |mode: &str, name: &str, id: CommitId| {
        [format!("{mode} {name}\0").as_bytes(), id.as_bytes()].concat()
    };
    let mut top = BTreeMap::<&str, Vec<u8>>::new();
    let mut folders = BTreeMap::<&str, Vec<u8>>::new();
    for (path, content) in files {
        let text = if path.ends_with(".json") { text(*content) } else { content.to_string() };
        let blob = store.write("blob", text.as_bytes());
        match path.split_once('/') {
            None => drop(top.insert(path, entry("100644", path, blob))),
            Some((folder, name)) => folders.entry(folder).or_default().extend(entry("100644", name, blob)),
        }
    }
    for (name, entries) in folders {
        top.insert(name, entry("40000", name, store.write("tree", &entries)));
    }
    store.write("tree", &top.into_values().flatten().collect::<Vec<u8>>())
}
