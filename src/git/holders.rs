//! Finds the processes that may hold a lock file of git, as far as they can be seen.
//!
//! A lock file does not say who made it, so all we can do is look for a process that could have. Processes of other
//! containers, of other machines and of users whose processes are hidden cannot be seen; then it is unknown whether a
//! holder exists.

use std::collections::HashSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Which other processes are active in some folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Activity {
    /// No other process, for certain.
    Nobody,
    /// A program other than git is active there, or not every process can be seen.
    Somebody,
    /// A git process, or a program that has the lock file open.
    Holder,
}

/// A folder, recognised under any path, because another container may see it elsewhere.
#[derive(PartialEq, Eq, Hash)]
struct FolderId {
    device: u64,
    inode: u64,
}

/// Looks for processes that may hold `lock`: `places` are the folders in which they would be active.
pub(super) fn activity(lock: &Path, places: &[PathBuf]) -> Activity {
    let Some(processes) = processes() else { return Activity::Somebody };
    let query = ProcessQuery {
        lock,
        folders: places.iter().filter_map(|place| id_of(place)).collect(),
        places,
        above: ancestors(),
    };
    let least = if sees_everybody(lock) { Activity::Nobody } else { Activity::Somebody };
    processes.iter().map(|process| query.activity_of(process)).max().map_or(least, |found| found.max(least))
}

/// The properties that every process is checked for.
struct ProcessQuery<'a> {
    lock: &'a Path,
    folders: HashSet<FolderId>,
    places: &'a [PathBuf],
    above: HashSet<u32>,
}

/// A process other than ours, by its folder in `/proc`.
struct Process {
    id: u32,
    folder: PathBuf,
}

/// The folder of a process.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Location {
    Here,
    Elsewhere,
    /// Unknown, because it belongs to another user and we may not look.
    Hidden,
}

impl ProcessQuery<'_> {
    fn activity_of(&self, process: &Process) -> Activity {
        let Some(name) = process.name() else { return Activity::Nobody };
        let wrapper = self.above.contains(&process.id) && process.called_us();
        let is_git = is_git(&name) && !wrapper;
        let place = self.place_of(process);
        let opened = self.opened_by(process);
        if opened == Opened::Lock || is_git && place != Location::Elsewhere {
            return Activity::Holder;
        }
        // The shell and the terminal in which we were started do not count.
        let here = place == Location::Here || opened == Opened::Repository;
        if here && !self.above.contains(&process.id) { Activity::Somebody } else { Activity::Nobody }
    }

    /// Whether the current folder of the process is one of `places` or below one.
    fn place_of(&self, process: &Process) -> Location {
        let mut folder = process.folder.join("cwd");
        let mut last = None;
        // A path can have no more parts than this, and a folder that is its own parent is the root.
        for _ in 0..4096 {
            match folder.metadata() {
                Ok(meta) if self.folders.contains(&FolderId { device: meta.dev(), inode: meta.ino() }) => {
                    return Location::Here;
                }
                Ok(meta) if last == Some(FolderId { device: meta.dev(), inode: meta.ino() }) => {
                    return Location::Elsewhere;
                }
                Ok(meta) => last = Some(FolderId { device: meta.dev(), inode: meta.ino() }),
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                    return Location::Hidden;
                }
                Err(_) => return Location::Elsewhere,
            }
            folder.push("..");
        }
        Location::Elsewhere
    }

    fn opened_by(&self, process: &Process) -> Opened {
        let entries = std::fs::read_dir(process.folder.join("fd")).into_iter().flatten().flatten();
        let opened = entries.filter_map(|entry| std::fs::read_link(entry.path()).ok()).map(|file| {
            if file == self.lock {
                Opened::Lock
            } else if self.places.iter().any(|place| file.starts_with(place)) {
                Opened::Repository
            } else {
                Opened::Nothing
            }
        });
        opened.max().unwrap_or(Opened::Nothing)
    }
}

/// The files that a process has open.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Opened {
    Nothing,
    Repository,
    Lock,
}

impl Process {
    /// The name of its program; `None` once it has ended.
    fn name(&self) -> Option<String> {
        let name = std::fs::read(self.folder.join("comm")).ok()?;
        Some(String::from_utf8_lossy(&name).trim_end().to_owned())
    }

    /// Whether it was called as `git arborist ...`, and therefore only waits for one of our commands.
    fn called_us(&self) -> bool {
        let line = std::fs::read(self.folder.join("cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == b"arborist")
    }
}

fn is_git(name: &str) -> bool {
    name == "git" || (name.starts_with("git-") && !name.starts_with("git-arborist"))
}

fn id_of(folder: &Path) -> Option<FolderId> {
    folder.metadata().ok().map(|meta| FolderId { device: meta.dev(), inode: meta.ino() })
}

/// All processes except this one; `None` if they cannot be listed.
fn processes() -> Option<Vec<Process>> {
    let own = std::process::id();
    let numbered = |entry: std::fs::DirEntry| {
        let id = entry.file_name().to_str()?.parse().ok()?;
        Some(Process { id, folder: entry.path() })
    };
    let all: Vec<Process> =
        std::fs::read_dir("/proc").ok()?.flatten().filter_map(numbered).filter(|one| one.id != own).collect();
    (!all.is_empty()).then_some(all)
}

/// The processes that we descend from.
fn ancestors() -> HashSet<u32> {
    let mut above = HashSet::new();
    let mut next = parent_of(std::process::id());
    while let Some(id) = next.filter(|id| above.insert(*id)) {
        next = parent_of(id);
    }
    above
}

fn parent_of(id: u32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix("PPid:"))?.trim().parse().ok().filter(|id| *id > 0)
}

/// Whether every process that can write here is among those that we see.
fn sees_everybody(lock: &Path) -> bool {
    is_outermost_namespace() && !hides_processes() && is_local(lock)
}

/// Whether our process ids are those of the machine itself, and not of a container. The number is fixed in Linux.
fn is_outermost_namespace() -> bool {
    std::fs::read_link("/proc/self/ns/pid").is_ok_and(|name| name.as_os_str() == "pid:[4026531836]")
}

/// Whether `/proc` is mounted so that users only see their own processes.
fn hides_processes() -> bool {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    let mut proc = mounts.lines().filter(|line| line.split(' ').nth(4) == Some("/proc"));
    let hides = |line: &str| {
        let option = line.split([' ', ',']).find_map(|word| word.strip_prefix("hidepid="));
        option.is_some_and(|value| !matches!(value, "0" | "off"))
    };
    proc.next_back().is_none_or(hides) && !rustix::process::geteuid().is_root()
}

/// Whether a file is on a file system that only this machine writes to.
#[cfg(target_os = "linux")]
fn is_local(file: &Path) -> bool {
    /// Magic numbers of file systems that are shared over a network, or between a virtual machine and its host:
    /// NFS, SMB, CIFS, 9P, FUSE, Ceph, Lustre, GPFS, AFS, OCFS2, GFS2, `VirtualBox`, `VMware` and Parallels.
    const SHARED: [u32; 14] = [
        0x6969,
        0xFE53_4D42,
        0xFF53_4D42,
        0x0102_1997,
        0x6573_5546,
        0x00C3_6400,
        0x0BD0_0BD0,
        0x4750_4653,
        0x5346_414F,
        0x7461_636F,
        0x0116_1970,
        0x786F_4256,
        0xBACB_ACBC,
        0x7C7C_6673,
    ];
    // On some architectures, the number has another width and a sign.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, trivial_numeric_casts)]
    rustix::fs::statfs(file).is_ok_and(|system| !SHARED.contains(&(system.f_type as u32)))
}

/// Whether a file is on a file system that only this machine writes to; false if this cannot be known.
#[cfg(not(target_os = "linux"))]
fn is_local(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Child, Command, Stdio};

    /// A shell that waits in `folder` until it is told to end.
    struct Waiting(Child);

    impl Waiting {
        fn new(folder: &Path, script: &str) -> Self {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("{script}\necho ready; read line")]).current_dir(folder);
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
            let mut line = String::new();
            let output = child.stdout.as_mut().unwrap();
            std::io::BufRead::read_line(&mut std::io::BufReader::new(output), &mut line).unwrap();
            Self(child)
        }
    }

    impl Drop for Waiting {
        fn drop(&mut self) {
            drop(self.0.stdin.take());
            let _ = self.0.wait();
        }
    }

    #[test]
    fn a_process_that_is_in_the_folder_or_has_the_lock_open_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let lock = dir.path().join("index.lock");
        std::fs::write(&lock, "").unwrap();
        let places = [dir.path().to_owned()];
        let quiet = activity(&lock, &places);
        assert!(quiet < Activity::Holder);
        {
            std::fs::create_dir(dir.path().join("below")).unwrap();
            let _shell = Waiting::new(&dir.path().join("below"), "");
            assert_eq!(activity(&lock, &places), Activity::Somebody);
        }
        if processes().is_some() {
            let _shell = Waiting::new(Path::new("/"), &format!("exec 9< '{}'", lock.display()));
            assert_eq!(activity(&lock, &places), Activity::Holder);
        }
        assert_eq!(activity(&lock, &places), quiet);
    }

    #[test]
    fn our_own_programs_are_not_taken_for_git() {
        assert!(is_git("git") && is_git("git-remote-http"));
        assert!(!is_git("git-arborist-ga") && !is_git("gitk") && !is_git("java"));
    }
}
