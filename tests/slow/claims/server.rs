//! A bare repository behind `git daemon` on the loopback interface, and repositories that know it as `origin`.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use crate::support::repo::{command, git};
use crate::support::skip::{missing, skip};

/// The daemon, which ends with this value.
pub(super) struct Server {
    folder: tempfile::TempDir,
    port: u16,
    daemon: Child,
}

impl Server {
    /// A server with a bare repository whose branch `main` has one commit. `None` if this git has no daemon.
    pub(super) fn start() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let bare = folder.path().join("project.git");
        run(folder.path(), &["init", "-q", "--bare", "--initial-branch=main", bare.to_str().unwrap()]);
        // `git daemon` would start this program and survive its own end in it.
        let program = PathBuf::from(run(folder.path(), &["--exec-path"])).join("git-daemon");
        if !program.exists() {
            missing("git daemon is not installed");
            return None;
        }
        for _ in 0..5 {
            let port = TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
            let base = format!("--base-path={}", folder.path().display());
            let mut command = command(folder.path(), program.to_str().unwrap());
            command.args([
                "--reuseaddr",
                "--export-all",
                "--listen=127.0.0.1",
                "--enable=receive-pack",
                &format!("--port={port}"),
                &base,
            ]);
            let mut daemon = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            if is_up(&mut daemon, port) {
                return Some(Self { folder, port, daemon });
            }
            // Somebody else has taken the port.
        }
        skip("git daemon does not start");
        None
    }

    pub(super) fn url(&self) -> String {
        format!("git://127.0.0.1:{}/project.git", self.port)
    }

    pub(super) fn bare(&self) -> PathBuf {
        self.folder.path().join("project.git")
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.daemon.kill();
        let _ = self.daemon.wait();
    }
}

/// Whether the daemon listens on its port. It ends if it cannot.
fn is_up(daemon: &mut Child, port: u16) -> bool {
    loop {
        if daemon.try_wait().unwrap().is_some() {
            return false;
        }
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return true;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

/// Runs git in a folder, which must succeed, and returns what it prints.
#[track_caller]
pub(super) fn run(folder: &Path, args: &[&str]) -> String {
    let output = git(folder, args).output().unwrap();
    assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim_end().to_owned()
}

/// A repository that knows another one as `origin` and has one commit, which `origin` has as `main`.
pub(super) fn clone_of(url: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["init", "-q", "--initial-branch=main"]);
    fs::write(folder.path().join("file"), "one\n").unwrap();
    run(folder.path(), &["add", "file"]);
    run(folder.path(), &["commit", "-q", "-m", "begin"]);
    run(folder.path(), &["remote", "add", "origin", url]);
    run(folder.path(), &["push", "-q", "origin", "HEAD:refs/heads/main"]);
    folder
}
