//! Looks at the other processes of this machine from Linux's `/proc`: which files they have open, and how they were called. Of
//! processes of other users, some of this cannot be seen.

use std::path::Path;

use super::proc_files;
use super::processes::{self, Process};

/// Another process at one moment.
#[derive(Debug)]
pub struct OtherProcess(Process);

/// All processes except this one; `None` if they cannot be listed.
#[must_use]
pub fn other_processes() -> Option<Vec<OtherProcess>> {
    let own = processes::own_pid();
    processes::are_visible().then(|| processes::all(|pid| pid != own).into_iter().map(OtherProcess).collect())
}

impl OtherProcess {
    /// Its id.
    #[must_use]
    pub fn pid(&self) -> i32 {
        self.0.pid()
    }

    /// Whether it was called with this word among its arguments.
    #[must_use]
    pub fn has_argument(&self, argument: &str) -> bool {
        self.has("cmdline", argument.as_bytes())
    }

    /// Whether it was started with this variable in its environment.
    #[must_use]
    pub fn has_variable(&self, name: &str, value: &str) -> bool {
        self.has("environ", format!("{name}={value}").as_bytes())
    }

    /// Whether it has this file open, as far as that can be seen.
    #[must_use]
    pub fn has_open(&self, file: &Path) -> bool {
        let mut names = proc_files::names(&self.file("fd"));
        names.any(|name| {
            let link = format!("fd/{}", name.to_string_lossy());
            proc_files::link(&self.file(&link)).is_ok_and(|open| open == file)
        })
    }

    /// Whether a list that a NUL ends each entry of has this one.
    fn has(&self, list: &str, wanted: &[u8]) -> bool {
        proc_files::read(&self.file(list))
            .is_some_and(|list| list.split(|byte| *byte == 0).any(|entry| entry == wanted))
    }

    fn file(&self, name: &str) -> String {
        format!("{}/{name}", self.pid())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::{Child, Command};

    fn process_of(child: &Child) -> Option<OtherProcess> {
        let pid = i32::try_from(child.id()).unwrap();
        other_processes()?.into_iter().find(|process| process.pid() == pid)
    }

    #[test]
    fn a_process_is_known_by_its_files_arguments_and_variables() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().canonicalize().unwrap();
        let file = top.join("index.lock");
        fs::write(&file, "").unwrap();
        let mut command = Command::new("sleep");
        command.args(["60"]).env("MARK", "of a test");
        let mut child = command.stdin(fs::File::open(&file).unwrap()).spawn().unwrap();
        // Until it has become the program, it is still a copy of this one.
        while process_of(&child).is_some_and(|process| !process.has_argument("60")) {
            std::thread::yield_now();
        }
        if let Some(process) = process_of(&child) {
            assert!(process.has_variable("MARK", "of a test") && !process.has_variable("MARK", "of"));
            assert!(process.has_open(&file));
            assert!(!process.has_open(&top.join("index")));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(process_of(&child).is_none());
    }
}
