//! Finds the system file of a git: the one with settings for all users.
//!
//! Its path was chosen when git was compiled. Where it cannot be told from the place of the program, git is asked once, and
//! its answer is remembered for as long as the program stays the same.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::files;
use crate::git::Git;

/// The system file of many systems.
const ETC: &str = "/etc/gitconfig";

/// The file in a folder for caches in which answers are remembered.
const MEMORY: &str = "git-arborist/git-system-files.json";

/// What was learned about each git program, by its path.
type Memory = BTreeMap<String, Remembered>;

/// What was learned about a program, and what the program was like.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Remembered {
    program: ProgramVersion,
    /// The system file; `None` if git does not tell.
    file: Option<String>,
}

/// What changes when a program is replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct ProgramVersion {
    /// In bytes.
    size: u64,
    inode: u64,
    /// When it was changed in any way, which programs cannot set: seconds since the epoch, and nanoseconds.
    changed: (i64, i64),
}

/// The system file that a git reads: the inner `None` if there is none, the outer one if only git can tell. `caches` is the
/// folder in which the user's programs keep what they can make again.
pub(super) fn system_file_of(git: &Git, caches: Option<&Path>) -> Option<Option<String>> {
    let program = git.program().canonicalize().ok()?;
    // A script could set anything before it starts the real git, and Apple's program starts the one that was chosen last.
    if !is_binary(&program)? || cfg!(target_os = "macos") && program.starts_with("/usr/bin") {
        return None;
    }
    let by_place = by_place(&program);
    if by_place.is_some() {
        return by_place;
    }
    remembered(git, &program, &caches?.join(MEMORY)).map(Some)
}

/// What the place of a program tells: there is no system file, or it is that of the whole system.
fn by_place(program: &Path) -> Option<Option<String>> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let prefix = ["bin/git", "libexec/git-core/git", "lib/git-core/git"]
        .iter()
        .find(|end| program.ends_with(end))
        .and_then(|end| program.ancestors().nth(Path::new(end).components().count()))?;
    let has_own = prefix.join("etc/gitconfig").exists();
    match (prefix == Path::new("/usr"), has_own, Path::new(ETC).exists()) {
        (_, false, false) => Some(None),
        (true, false, true) => Some(Some(ETC.to_owned())),
        _ => None,
    }
}

/// Whether a program is in the machine's own language.
fn is_binary(program: &Path) -> Option<bool> {
    const ELF: &[u8] = b"\x7fELF";
    const MACH_O: [&[u8]; 2] = [b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"];
    let beginning = files::open(program).and_then(|file| file.read_beginning(4)).ok()?;
    Some(beginning == ELF || cfg!(target_os = "macos") && MACH_O.contains(&beginning.as_slice()))
}

/// What is remembered about a program, or what it answers now, which is remembered if it can be written down. Where nothing
/// can be, the program is not asked: that would take longer than to let it read its configuration.
fn remembered(git: &Git, program: &Path, memory: &Path) -> Option<String> {
    let name = program.to_str()?;
    let meta = program.metadata().ok()?;
    let now =
        ProgramVersion { size: meta.size(), inode: meta.ino(), changed: (meta.ctime(), meta.ctime_nsec()) };
    let mut known: Memory = files::read(memory, files::SMALL)
        .ok()
        // A damaged memory is empty.
        .and_then(|content| serde_json::from_slice(&content).ok())
        .unwrap_or_default();
    if let Some(remembered) = known.get(name).filter(|remembered| remembered.program == now) {
        return remembered.file.clone();
    }
    let folder = memory.parent()?;
    std::fs::create_dir_all(folder).ok()?;
    if !files::is_writable(folder) {
        return None;
    }
    let file = ask(git)?;
    known.insert(name.to_owned(), Remembered { program: now, file: file.clone() });
    let content = serde_json::to_vec(&known).expect("a map of texts and numbers can be written as JSON");
    // Another process may have written it meanwhile. What is lost is asked again.
    let _ = files::replace(memory, &content);
    file
}

/// Asks git, which tells since version 2.42: the inner `None` if it does not tell, the outer one if it could not be asked
/// this time, which is nothing to remember.
fn ask(git: &Git) -> Option<Option<String>> {
    let answer = git.call(["var", "GIT_CONFIG_SYSTEM"]).ok()?;
    answer.status.code()?;
    let file = String::from_utf8(answer.stdout).unwrap_or_default();
    let file = file.trim_end_matches('\n');
    Some((answer.status.success() && file.starts_with('/') && !file.contains('\n')).then(|| file.to_owned()))
}
