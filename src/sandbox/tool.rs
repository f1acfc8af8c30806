//! The tools that make sandboxes, and their command lines.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::paths::{Access, Rule, Rules};
use crate::agents::Lookup;
use crate::config::{Origin, Setting};
use crate::error::{Error, Kind};
use crate::process::{EnvChange, Front};

/// A tool that makes sandboxes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SandboxTool {
    /// Bubblewrap, which uses namespaces of Linux.
    Bwrap(PathBuf),
    /// The program of macOS.
    SandboxExec(PathBuf),
    /// A command of the user, for this shell.
    Command { shell: PathBuf, command: String },
}

impl SandboxTool {
    /// The tool with this name, or the command.
    pub(super) fn of(text: &str, lookup: &Lookup) -> Result<Self, SandboxProblem> {
        let find = |name: &str, install: &str| match lookup.find(name) {
            Ok(Some(path)) => Ok(path),
            Ok(None) => Err(SandboxProblem::new(format!("there is no program {name} on PATH"), install)),
            Err(error) => Err(SandboxProblem::new(error.what(), error.remedy())),
        };
        match text {
            "bwrap" if cfg!(target_os = "macos") => {
                Err(SandboxProblem::new("bwrap exists only on Linux", "On macOS, choose sandbox-exec."))
            }
            "sandbox-exec" if !cfg!(target_os = "macos") => {
                Err(SandboxProblem::new("sandbox-exec exists only on macOS", "On Linux, choose bwrap."))
            }
            "bwrap" => find(text, "Install the package bubblewrap.").map(Self::Bwrap),
            "sandbox-exec" => find(text, "It is a part of macOS, in /usr/bin.").map(Self::SandboxExec),
            command => {
                let shell = find("sh", "A POSIX shell `sh` is needed.")?;
                Ok(Self::Command { shell, command: command.to_owned() })
            }
        }
    }

    /// Its name, as the user has written it.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Bwrap(_) => "bwrap",
            Self::SandboxExec(_) => "sandbox-exec",
            Self::Command { command, .. } => command,
        }
    }

    /// What to do if it does not work, as a sentence.
    pub(super) fn remedy(&self) -> &'static str {
        match self {
            Self::Bwrap(_) => {
                "bwrap needs user namespaces: on Ubuntu `sysctl kernel.apparmor_restrict_unprivileged_userns` must be 0 \
                 (or AppArmor needs a profile for bwrap), on older Debian `sysctl kernel.unprivileged_userns_clone` must \
                 be 1, and a container must be started so that it may make them."
            }
            Self::SandboxExec(_) => "A program that is in a sandbox itself cannot make another one.",
            Self::Command { .. } => {
                "A program and its arguments are appended to the command, which must start this program so that it can \
                 write to the paths in ARBORIST_SANDBOX_WRITABLE and to no others."
            }
        }
    }

    /// What is put in front of a program.
    pub(super) fn front(&self, rules: &Rules, temporary: &Path) -> Front {
        let mut env = vec![EnvChange::Set("TMPDIR".into(), temporary.into())];
        let (program, args) = match self {
            Self::Bwrap(path) => (path, bwrap(rules)),
            Self::SandboxExec(path) => (path, vec!["-p".into(), profile(rules)]),
            Self::Command { shell, command } => {
                let lines = |wanted: Access| {
                    let paths = rules.iter().filter(|rule| rule.access == wanted);
                    let lines: Vec<&[u8]> = paths.map(|rule| rule.path.as_os_str().as_bytes()).collect();
                    OsString::from_vec(lines.join(&b'\n'))
                };
                env.push(EnvChange::Set("ARBORIST_SANDBOX_WRITABLE".into(), lines(Access::Write)));
                env.push(EnvChange::Set("ARBORIST_SANDBOX_READONLY".into(), lines(Access::Read)));
                (shell, vec!["-c".into(), format!("{command} \"$@\"").into(), "sandbox".into()])
            }
        };
        Front { program: program.clone(), args, env }
    }
}

/// The arguments of bwrap. There is no new process namespace, so that the program can be found and ended from outside, and
/// bwrap does not end it together with itself, so that it has time to end when it is asked to. In a user namespace
/// without capabilities, it cannot undo the mounts, look into other processes, or be another user.
fn bwrap(rules: &Rules) -> Vec<OsString> {
    let mut args: Vec<OsString> =
        ["--unshare-user", "--cap-drop", "ALL", "--ro-bind", "/", "/", "--dev", "/dev"]
            .map(OsString::from)
            .to_vec();
    // Programs that make sandboxes of their own write to the files of their processes in /proc.
    args.extend(["--bind", "/proc", "/proc"].map(OsString::from));
    if rustix::process::geteuid().is_root() {
        // Root may make another user namespace only with this capability, which lets it do nothing else: programs in the
        // sandbox get no rights from files.
        args.extend(["--cap-add", "CAP_SETFCAP"].map(OsString::from));
        for path in system_files() {
            args.extend(["--ro-bind-try".into(), path.clone().into(), path.into()]);
        }
    }
    for Rule { path, access } in rules.iter() {
        let option = if access == Access::Write { "--bind" } else { "--ro-bind" };
        args.extend([option.into(), path.into(), path.into()]);
    }
    args
}

/// What there is in /proc besides processes: with it, root changes settings of the system.
fn system_files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let is_process = |name: &OsString| name.as_bytes().iter().all(u8::is_ascii_digit);
    let of_system = entries.filter(|entry| {
        !is_process(&entry.file_name()) && entry.file_type().is_ok_and(|kind| !kind.is_symlink())
    });
    of_system.map(|entry| entry.path()).collect()
}

/// The profile for sandbox-exec, in which the last rule that fits applies.
fn profile(rules: &Rules) -> OsString {
    let mut profile =
        b"(version 1)(allow default)(deny file-write*)(allow file-write* (subpath \"/dev\"))".to_vec();
    for Rule { path, access } in rules.iter() {
        let verb = if access == Access::Write { "allow" } else { "deny" };
        profile.extend_from_slice(format!("({verb} file-write* (subpath \"").as_bytes());
        for byte in path.as_os_str().as_bytes() {
            if matches!(byte, b'"' | b'\\') {
                profile.push(b'\\');
            }
            profile.push(*byte);
        }
        profile.extend_from_slice(b"\"))");
    }
    OsString::from_vec(profile)
}

/// Why a sandbox cannot be used, as a clause, and what to do about it, as sentences.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SandboxProblem {
    what: String,
    remedy: String,
}

impl SandboxProblem {
    pub(super) fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), remedy: remedy.into() }
    }

    pub(super) fn temporary_folder(folder: &Path, why: &str) -> Self {
        let what = format!("its folder for temporary files, {}, cannot be used: {why}", folder.display());
        Self::new(what, "Make room for it, or set TMPDIR to another folder.")
    }

    /// The error of a command that does not run anything without the sandbox.
    pub(super) fn error(self, setting: Setting, origin: &Origin) -> Error {
        let rule = setting.rule();
        let off = match origin {
            Origin::CommandLine(option) => format!("leave out {option}"),
            Origin::Environment(name) => format!("unset {name}"),
            Origin::Git(scope, _) => format!("`git config --{scope} --unset arborist.{}`", rule.key),
            Origin::Plan(_) | Origin::File(_) | Origin::Default => format!("unset arborist.{}", rule.key),
        };
        Error::new(
            Kind::Environment,
            format!("the sandbox of arborist.{} ({origin}) cannot be used: {}", rule.key, self.what),
            format!("Nothing was started. {} To work without a sandbox, {off}.", self.remedy),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::WorkTree;

    fn rules() -> Rules {
        let [top, git] = ["/no \"where\"", "/no \"where\"/.git"].map(PathBuf::from);
        Rules::of(&WorkTree { top, git_dir: git.clone(), common_dir: git }, &[], [])
    }

    #[test]
    fn a_profile_denies_writing_except_to_the_work_tree_without_its_git_directory() {
        let expected = r#"(version 1)(allow default)(deny file-write*)(allow file-write* (subpath "/dev"))(allow file-write* (subpath "/no \"where\""))(deny file-write* (subpath "/no \"where\"/.git"))"#;
        assert_eq!(profile(&rules()), OsString::from(expected));
    }

    #[test]
    fn a_command_gets_the_program_behind_it_and_the_paths_in_the_environment() {
        let tool = SandboxTool::Command { shell: "/bin/sh".into(), command: "jail --quiet".into() };
        let Front { program, args, env } = tool.front(&rules(), Path::new("/t"));
        assert_eq!(program, Path::new("/bin/sh"));
        assert_eq!(args, ["-c", "jail --quiet \"$@\"", "sandbox"]);
        let set = |name: &str, value: &str| EnvChange::Set(name.into(), value.into());
        assert_eq!(
            env,
            [
                set("TMPDIR", "/t"),
                set("ARBORIST_SANDBOX_WRITABLE", "/no \"where\""),
                set("ARBORIST_SANDBOX_READONLY", "/no \"where\"/.git")
            ]
        );
    }

    #[test]
    fn rules_for_a_folder_come_before_those_for_what_is_in_it() {
        let args = bwrap(&rules());
        let place = |path: &str| args.iter().position(|arg| *arg == *path).unwrap();
        assert!(place("/") < place("/no \"where\"") && place("/no \"where\"") < place("/no \"where\"/.git"));
    }
}
