//! Finds the differences between HEAD, index and work tree with `git status --porcelain=v2 -z`.

use std::collections::HashSet;
use std::ffi::OsString;

use super::change::{Change, TreeStatus, closed_folders, parse};
use super::output::paths_in;
use super::{Git, GitOutput, Variable};
use crate::error::{Error, Kind, Result};

/// The name of an empty variable.
const NOTHING: &str = "ARBORIST_NOTHING";

impl Git {
    /// All paths that differ from HEAD, untracked files one by one.
    ///
    /// # Errors
    /// If git cannot read the index or the work tree.
    pub fn status(&self) -> Result<Vec<Change>> {
        Ok(self.status_of_all(false)?.changes)
    }

    /// The same, and the paths that git ignores.
    ///
    /// # Errors
    /// As for [`Git::status`].
    pub fn status_and_ignored(&self) -> Result<TreeStatus> {
        self.status_of_all(true)
    }

    fn status_of_all(&self, with_ignored: bool) -> Result<TreeStatus> {
        let submodules = "--ignore-submodules=none";
        let whole = StatusOptions { submodules, with_ignored, ..StatusOptions::default() };
        let output = self.status_with(&whole)?;
        if !output.status.success() && output.stderr.contains(LINKED.1) {
            return self.status_with_linked_submodules(output, with_ignored);
        }
        read(output)
    }

    /// git gives up at a submodule that has become a link, unless it is told not to look into submodules. So git is
    /// asked separately for everything else and for that submodule.
    fn status_with_linked_submodules(&self, mut output: GitOutput, with_ignored: bool) -> Result<TreeStatus> {
        let mut linked: Vec<String> = Vec::new();
        while !output.status.success() {
            let path = output.stderr.split_once(LINKED.0).and_then(|(_, rest)| rest.split_once(LINKED.1));
            match path.map(|(path, _)| path.to_owned()) {
                Some(path) if !linked.contains(&path) => linked.push(path),
                _ => return read(output),
            }
            let without = linked.iter().map(|path| format!(":(top,exclude,literal){path}"));
            let paths = std::iter::once(":(top)".to_owned()).chain(without).collect();
            output = self.status_with(&StatusOptions {
                submodules: "--ignore-submodules=none",
                with_ignored,
                paths,
                ..StatusOptions::default()
            })?;
        }
        let mut status = read(output)?;
        let paths = linked.iter().map(|path| format!(":(top,literal){path}")).collect();
        let output = self.status_with(&StatusOptions {
            submodules: "--ignore-submodules=dirty",
            paths,
            ..StatusOptions::default()
        })?;
        status.changes.extend(read(output)?.changes);
        Ok(status)
    }

    /// The same, without running any program that the repository or its configuration names. The answer leaves out what
    /// filters, a file system monitor and submodules would contribute.
    ///
    /// # Errors
    /// As for [`Git::status`].
    pub fn status_running_nothing(&self) -> Result<Vec<Change>> {
        let drivers = self.call(["config", "-z", "--name-only", "--get-regexp", r"^filter\."])?;
        let names = String::from_utf8_lossy(&drivers.stdout).into_owned();
        let mut settings: Vec<String> =
            ["-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"].map(str::to_owned).into();
        // `-c` cannot be used, because the name of a driver may contain a `=`.
        settings.extend(names.split_terminator('\0').map(|name| format!("--config-env={name}={NOTHING}")));
        let env = [
            Variable { name: NOTHING, value: OsString::new() },
            Variable { name: "GIT_OPTIONAL_LOCKS", value: "0".into() },
        ];
        let options = StatusOptions {
            settings,
            submodules: "--ignore-submodules=all",
            env: &env,
            ..StatusOptions::default()
        };
        Ok(read(self.status_with(&options)?)?.changes)
    }

    fn status_with(&self, options: &StatusOptions<'_>) -> Result<GitOutput> {
        // The index is not written, which would need disk space and a lock that others may want.
        let form = [
            "--no-optional-locks",
            "-c",
            "status.relativePaths=false",
            "status",
            "--porcelain=v2",
            "-z",
            "--untracked-files=all",
            "--no-renames",
            options.submodules,
            if options.with_ignored { "--ignored=matching" } else { "--ignored=no" },
            "--",
        ];
        let settings = options.settings.iter().map(String::as_str);
        let args = settings.chain(form).chain(options.paths.iter().map(String::as_str));
        let call = self.command(args).env(options.env.iter().cloned());
        if options.paths.is_empty() { call.output() } else { call.with_patterns().output() }
    }

    /// The paths that git ignores in the work tree: files, and entire folders, which end in `/`.
    ///
    /// # Errors
    /// If git cannot read the work tree.
    pub fn ignored_paths(&self) -> Result<Vec<Vec<u8>>> {
        let args = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
        Ok(paths_in(&self.demand(args)?))
    }

    /// Whether git ignores this path, which is not in the index.
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn ignores(&self, path: &str) -> Result<bool> {
        Ok(self.ignored(&[path])?.contains(path))
    }

    /// Of these paths, none of which is in the index, those that git ignores. Paths that git refuses to look at, such
    /// as those beyond a link, are left out.
    ///
    /// # Errors
    /// If git cannot be started.
    pub fn ignored<'p>(&self, paths: &[&'p str]) -> Result<HashSet<&'p str>> {
        let mut ignored = HashSet::new();
        let mut open = vec![paths];
        for _ in 0..IGNORE_CALLS {
            let Some(paths) = open.pop().filter(|paths| !paths.is_empty()) else { break };
            // This command always takes paths literally, and rejects the option that says so.
            let args = ["check-ignore", "-z", "--stdin"];
            let output = self.command(args).with_patterns().stdin(paths.join("\0")).output()?;
            if matches!(output.status.code(), Some(0 | 1)) {
                let found: HashSet<&[u8]> = output.stdout.split(|&byte| byte == 0).collect();
                ignored.extend(paths.iter().filter(|path| found.contains(path.as_bytes())));
            } else if paths.len() > 1 {
                // If git refuses one path, it answers for none.
                let (first, second) = paths.split_at(paths.len() / 2);
                open.extend([second, first]);
            }
        }
        Ok(ignored)
    }
}

/// How often git is asked for ignored paths at most. If it refuses most of the paths, the others do not matter.
const IGNORE_CALLS: usize = 40;

/// The options of a call of `git status`.
#[derive(Default)]
struct StatusOptions<'a> {
    settings: Vec<String>,
    submodules: &'a str,
    with_ignored: bool,
    env: &'a [Variable],
    /// Patterns; if empty, all paths.
    paths: Vec<String>,
}

/// git's message about a submodule that has become a link: the parts before and after its path.
const LINKED: (&str, &str) = ("expected submodule path '", "' not to be a symbolic link");

fn read(output: GitOutput) -> Result<TreeStatus> {
    let closed: Vec<Change> = closed_folders(&output.stderr).collect();
    let mut status = parse(&output.success()?).ok_or_else(|| {
        Error::new(
            Kind::Environment,
            "git status answered in an unknown format",
            "Check with `git status --porcelain=v2` and update git-arborist.",
        )
    })?;
    status.changes.extend(closed);
    Ok(status)
}
