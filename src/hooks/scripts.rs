//! Our scripts and lines in hook files: inserted as a whole, and removed without a trace.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Hook, Outcome};
use crate::error::{Error, Kind, Result};
use crate::files;

/// What marks our scripts.
const MARK: &str = "# git-arborist hook:";
/// What the hook that was there before is called as long as ours stands in its place.
const KEPT: &str = ".pre-arborist";
const BEGIN: &str = "# git-arborist: begin";
const END: &str = "# git-arborist: end\n";

/// Whether a file is our script, or has our lines.
pub(super) fn is_ours(path: &Path) -> Result<bool> {
    Ok(read(path)?.is_some_and(|script| script.contains(MARK) || script.contains(BEGIN)))
}

fn read(path: &Path) -> Result<Option<String>> {
    match files::read(path, files::LARGE) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, &error)),
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(
        Kind::Environment,
        format!("{}: {error}", path.display()),
        "Make it writable for you, then run the same command again.",
    )
}

fn kept(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(KEPT);
    PathBuf::from(name)
}

/// Writes a script that can be executed, whole or not at all.
fn write(path: &Path, text: &str) -> Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".arborist-new");
    let new = PathBuf::from(new);
    let write = || {
        fs::write(&new, text)?;
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755))?;
        fs::rename(&new, path)
    };
    write().map_err(|error| failed(path, &error))
}

/// Puts our script into the folder; one that is there makes room for it.
pub(super) fn install(folder: &Path, hook: Hook) -> Result<Outcome> {
    let path = folder.join(hook.name());
    let shown = path.display().to_string();
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    match read(&path)? {
        Some(script) if script == hook.script() => return Ok(Outcome::AlreadyThere(shown)),
        Some(script) if script.contains(MARK) => {}
        Some(_) if kept(&path).exists() => {
            return Err(Error::new(
                Kind::Repository,
                format!("{shown} and {} are both hooks of other tools", kept(&path).display()),
                "Nothing was changed. Put both into one script, or remove the one that is not needed.",
            ));
        }
        Some(_) => {
            fs::rename(&path, kept(&path)).map_err(|error| failed(&path, &error))?;
        }
        None => {}
    }
    write(&path, hook.script())?;
    Ok(if kept(&path).exists() { Outcome::InstalledBeside(shown) } else { Outcome::Installed(shown) })
}

/// Takes our script out of the folder, and puts back what made room for it.
pub(super) fn uninstall(folder: &Path, hook: Hook) -> Result<Outcome> {
    let path = folder.join(hook.name());
    let shown = path.display().to_string();
    if !read(&path)?.is_some_and(|script| script.contains(MARK)) {
        return Ok(Outcome::Absent);
    }
    if kept(&path).exists() {
        fs::rename(kept(&path), &path).map_err(|error| failed(&path, &error))?;
        return Ok(Outcome::Restored(shown));
    }
    fs::remove_file(&path).map_err(|error| failed(&path, &error))?;
    Ok(Outcome::Removed(shown))
}

/// Our lines in a script of husky. Whether a line end was missing before them is kept in their first line, so that the
/// script can be restored byte by byte.
fn lines(hook: Hook, before: &str) -> String {
    let name = hook.name();
    let (end, note) = if before.is_empty() || before.ends_with('\n') {
        ("", "")
    } else {
        ("\n", " (after a line without end)")
    };
    format!(
        "{end}{BEGIN}{note}\nif command -v git-arborist-hooks >/dev/null 2>&1; then git-arborist-hooks run {name} \"$@\"; \
         else echo 'git-arborist-hooks is not on PATH: {name} checks nothing' >&2; fi\n{END}"
    )
}

/// Puts our lines behind those of a script.
pub(super) fn append(path: &Path, hook: Hook) -> Result<Outcome> {
    let shown = path.display().to_string();
    let before = read(path)?;
    let script = before.clone().unwrap_or_default();
    if script.contains(BEGIN) {
        return Ok(Outcome::AlreadyThere(shown));
    }
    let text = format!("{script}{}", lines(hook, &script));
    fs::write(path, text).map_err(|error| failed(path, &error))?;
    Ok(if before.is_some() { Outcome::InstalledBeside(shown) } else { Outcome::Installed(shown) })
}

/// Takes our lines out of a script.
pub(super) fn cut_out(path: &Path) -> Result<Outcome> {
    let shown = path.display().to_string();
    let script = read(path)?.unwrap_or_default();
    let (Some(begin), Some(end)) = (script.find(BEGIN), script.find(END)) else { return Ok(Outcome::Absent) };
    let mut before = &script[..begin];
    if script[begin..].starts_with(&format!("{BEGIN} (after")) {
        before = before.strip_suffix('\n').unwrap_or(before);
    }
    let rest = format!("{before}{}", &script[end + END.len()..]);
    if rest.is_empty() {
        fs::remove_file(path).map_err(|error| failed(path, &error))?;
        return Ok(Outcome::Removed(shown));
    }
    fs::write(path, rest).map_err(|error| failed(path, &error))?;
    Ok(Outcome::Restored(shown))
}
