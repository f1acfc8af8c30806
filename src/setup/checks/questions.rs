//! Asks programs of agents for their version and their options, in an empty folder and without a terminal.

use std::ops::Deref;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::agents::{
    Cancel, EnvChange, ExitReason, GRACE, JobResult, Launch, Limits, Secrets, StopSignals, Tag,
};
use crate::config::{Environment, Setting};
use crate::error::{Error, Result};
use crate::report::LiveView;
use crate::session::Session;
use crate::text::{ellipsis, one_line};

/// The longest time that an answer may take. Some agents need half a minute to start.
const LIMIT: Duration = Duration::from_secs(60);

/// How much of an answer is kept. The longest known list of options has 30 KiB.
const KEPT: Limits = Limits { head: 1 << 20, tail: 64 << 10, flood: 16 << 20 };

/// How much of a version is shown, in characters.
const SHOWN: usize = 60;

/// Asks programs.
pub(crate) struct Questions<'a> {
    session: &'a Session,
    launch: Launch,
    limit: Duration,
    _folder: OwnFolder,
    signals: StopSignals,
}

/// What a program has said, or why that is not known: a clause.
pub(crate) type ProgramAnswer = std::result::Result<String, String>;

impl<'a> Questions<'a> {
    /// Prepares a folder in which programs can be asked.
    ///
    /// # Errors
    /// [`Kind::Environment`] if it cannot be made.
    pub(crate) fn begin(session: &'a Session, environment: &Environment) -> Result<Self> {
        let cancel = Cancel::new();
        let signals = StopSignals::watch(&cancel)?;
        let folder = OwnFolder::make(environment, "doctor")?;
        let removed = session.git.local_env_vars()?.into_iter().map(|name| EnvChange::Remove(name.into()));
        let set = [("NO_COLOR", "1"), ("COLUMNS", "200")];
        let set = set.map(|(name, value)| EnvChange::Set(name.into(), value.into()));
        let launch = Launch {
            directory: folder.to_path_buf(),
            tag: Tag::of_folder(&folder),
            env: removed.chain(set).collect(),
            grace: GRACE,
            cancel,
            secrets: Some(Secrets::of(environment.variables())),
            held: None,
            front: None,
        };
        let limit = session.config.duration(Setting::RunnerTimeout).min(LIMIT);
        Ok(Self { session, launch, limit, _folder: folder, signals })
    }

    /// The version that a program says it has.
    ///
    /// # Errors
    /// [`Kind::Signal`] if the user asked to stop.
    pub(crate) fn version(&self, program: &Path) -> Result<ProgramAnswer> {
        let result = self.ask(program, &["--version"])?;
        let first = |bytes: &[u8]| {
            let text = String::from_utf8_lossy(bytes).into_owned();
            let line = text.lines().map(one_line).find(|line| !line.trim().is_empty())?;
            Some(ellipsis(line.trim(), SHOWN))
        };
        Ok(ended(&result).and_then(|()| {
            let said = first(result.stdout.head()).or_else(|| first(result.stderr.head()));
            said.ok_or_else(|| "it printed nothing".to_owned())
        }))
    }

    /// The text with which a program lists its options.
    ///
    /// # Errors
    /// As for [`Self::version`].
    pub(crate) fn help(&self, program: &Path, args: &[&str]) -> Result<ProgramAnswer> {
        let result = self.ask(program, args)?;
        // Some print it on standard error.
        let streams = [&result.stdout, &result.stderr];
        let text = streams
            .map(|stream| String::from_utf8_lossy(&stream.to_bytes_with_note()).into_owned())
            .join("\n");
        Ok(match ended(&result) {
            Err(why) => Err(why),
            Ok(()) if text.trim().is_empty() => Err("it printed nothing".to_owned()),
            Ok(()) if streams.iter().any(|stream| stream.omitted() > 0) => {
                Err("it printed more than can be read".to_owned())
            }
            Ok(()) => Ok(text),
        })
    }

    fn ask(&self, program: &Path, args: &[&str]) -> Result<JobResult> {
        let name = program.file_name().unwrap_or_default().to_string_lossy();
        let _shown = LiveView::of_one(&self.session.screen, format!("asking {name}"), String::new);
        let result = self.launch.job(program, self.limit).args(args.iter().copied()).limits(KEPT).run();
        match result.exit_reason {
            ExitReason::Cancelled => Err(Error::stopped(self.signals.last(), "Nothing was changed.")),
            _ => Ok(result),
        }
    }
}

/// Whether a program has ended well; otherwise how it has ended, as a clause.
fn ended(result: &JobResult) -> std::result::Result<(), String> {
    match &result.exit_reason {
        ExitReason::Exited(0) => Ok(()),
        reason => {
            let said = result.last_line().map(|line| format!(" (it says: {})", ellipsis(&line, SHOWN)));
            Err(format!("{reason}{}", said.unwrap_or_default()))
        }
    }
}

/// A new empty folder for a program that is asked something. It is removed at the end with everything in it.
pub(super) struct OwnFolder(PathBuf);

impl OwnFolder {
    /// Makes it among the temporary files. `purpose` is a part of its name.
    ///
    /// # Errors
    /// [`Kind::Environment`] if it cannot be made.
    pub(super) fn make(environment: &Environment, purpose: &str) -> Result<Self> {
        let name = format!("git-arborist-{purpose}-{}", std::process::id());
        let path = environment.temporary_folder().join(name);
        let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
        made.map_err(|error| {
            let what = format!("{} cannot be made: {error}", path.display());
            Error::of_write(what, &error, "Set TMPDIR to a folder in which you may write.")
        })?;
        Ok(Self(path))
    }
}

impl Deref for OwnFolder {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for OwnFolder {
    fn drop(&mut self) {
        // What a program has left there takes some space, and nothing else.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
