//! Inserts our scripts and lines into hook files, and removes them again without a trace.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::replaced::ReplacedHooks;
use super::{Hook, InstallOutcome};
use crate::error::{Error, Kind, Result};
use crate::files;

/// The mark of our scripts.
const MARK: &str = "# git-arborist hook:";
const BEGIN: &str = "# git-arborist: begin";
const END: &str = "# git-arborist: end";

/// What other tools append to the name of a hook that they replace with their own: pre-commit and lefthook.
const MOVED: [&str; 2] = [".legacy", ".old"];

/// Whether a file is a hook of ours, or one that has our lines.
#[must_use]
pub fn is_own_hook(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    Hook::from_name(name).is_some() && is_ours(path).unwrap_or(false)
}

/// Whether a file is our script, or has our lines.
pub(super) fn is_ours(path: &Path) -> Result<bool> {
    // A link that leads nowhere belongs to another tool.
    let script = if path.is_symlink() { read(path).unwrap_or_default() } else { read(path)? };
    Ok(script.is_some_and(|script| script.contains(MARK) || script.contains(BEGIN)))
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

/// Writes an executable script, completely or not at all.
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

/// What is in the place of a hook.
enum HookFile {
    Nothing,
    OurScript,
    AnotherVersionOfOurs,
    /// Our script with lines that are not ours.
    Edited,
    Foreign,
}

/// Whether every line of a text is one of ours. A user who has only removed lines loses nothing of theirs.
fn has_only_lines_of(ours: &str, text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.all(|line| ours.lines().any(|own| own.trim() == line))
}

/// The kind of file at `path`. A link belongs to another tool, even if it leads nowhere now, unless it leads to our
/// script.
fn find(path: &Path, hook: Hook) -> Result<HookFile> {
    if path.is_symlink() {
        let is_ours = read(path).is_ok_and(|script| script.as_deref() == Some(hook.script()));
        return Ok(if is_ours { HookFile::OurScript } else { HookFile::Foreign });
    }
    Ok(match read(path)? {
        None => HookFile::Nothing,
        Some(script) if script == hook.script() => HookFile::OurScript,
        Some(script) if !script.contains(MARK) => HookFile::Foreign,
        Some(script) if has_only_lines_of(hook.script(), &script) => HookFile::AnotherVersionOfOurs,
        Some(_) => HookFile::Edited,
    })
}

/// Puts our script into the folder. An existing hook is moved, and runs first.
pub(super) fn install(folder: &Path, hook: Hook) -> Result<InstallOutcome> {
    let path = folder.join(hook.name());
    let shown = path.display().to_string();
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    let replaced = ReplacedHooks::of(folder);
    let found = find(&path, hook)?;
    if matches!(found, HookFile::Edited) {
        return Ok(InstallOutcome::Edited(shown));
    }
    let before = match (replaced.find(hook), &found) {
        (Some(before), HookFile::Foreign) => {
            return Err(Error::new(
                Kind::Repository,
                format!("{shown} and {} are both hooks of other tools", before.display()),
                "Nothing was changed. Put both into one script, or remove the one that is not needed.",
            ));
        }
        (None, HookFile::Foreign) => Some(path.clone()),
        (before, _) => before,
    };
    if let Some(before) = &before {
        replaced.take(before, hook).map_err(|error| failed(before, &error))?;
    }
    if !matches!(found, HookFile::OurScript) {
        write(&path, hook.script())?;
    }
    update_links(&replaced, folder)?;
    Ok(match (found, before) {
        (HookFile::OurScript, _) => InstallOutcome::AlreadyThere(shown),
        (_, Some(_)) => InstallOutcome::InstalledBeside(shown),
        (_, None) => InstallOutcome::Installed(shown),
    })
}

/// Removes our script from the folder, and restores the hook that was there before. Text that is not ours stays.
pub(super) fn uninstall(folder: &Path, hook: Hook) -> Result<InstallOutcome> {
    let replaced = ReplacedHooks::of(folder);
    let before = replaced.find(hook);
    let (path, found) = place_of_ours(folder, hook)?;
    let shown = path.display().to_string();
    let outcome = match (found, before) {
        (HookFile::Edited, before) => {
            let before = before.map(|before| before.display().to_string());
            return Ok(InstallOutcome::NotRemoved { place: shown, before });
        }
        (HookFile::Foreign, Some(before)) => {
            return Ok(InstallOutcome::NotRestored { place: shown, before: before.display().to_string() });
        }
        (HookFile::Foreign | HookFile::Nothing, None) => return Ok(InstallOutcome::Absent),
        (HookFile::Nothing | HookFile::OurScript | HookFile::AnotherVersionOfOurs, Some(before)) => {
            let put_back = || {
                fs::create_dir_all(folder)?;
                fs::rename(&before, &path)
            };
            put_back().map_err(|error| failed(&path, &error))?;
            InstallOutcome::Restored(shown)
        }
        (HookFile::OurScript | HookFile::AnotherVersionOfOurs, None) => {
            fs::remove_file(&path).map_err(|error| failed(&path, &error))?;
            InstallOutcome::Removed(shown)
        }
    };
    update_links(&replaced, folder)?;
    Ok(outcome)
}

/// Where our script is, and what is there: in its own place, or where another tool has moved it. Otherwise what is in its
/// own place.
fn place_of_ours(folder: &Path, hook: Hook) -> Result<(PathBuf, HookFile)> {
    let path = folder.join(hook.name());
    let found = find(&path, hook)?;
    if matches!(found, HookFile::Foreign) {
        for ending in MOVED {
            let moved = folder.join(format!("{}{ending}", hook.name()));
            let found = find(&moved, hook)?;
            if !matches!(found, HookFile::Nothing | HookFile::Foreign) {
                return Ok((moved, found));
            }
        }
    }
    Ok((path, found))
}

fn update_links(replaced: &ReplacedHooks, folder: &Path) -> Result<()> {
    let is_ours = |path: &Path| {
        let hook = path.file_name().and_then(|name| Hook::from_name(&name.to_string_lossy()));
        hook.is_some_and(|hook| {
            matches!(
                find(path, hook),
                Ok(HookFile::OurScript | HookFile::AnotherVersionOfOurs | HookFile::Edited)
            )
        })
    };
    replaced.update_links(is_ours).map_err(|error| failed(folder, &error))
}

/// Our lines in a script of husky. The first of them records whether a line end was missing before, so that the script
/// can be restored byte for byte.
fn lines(hook: Hook, before: &str) -> String {
    let name = hook.name();
    let (end, note) = if before.is_empty() || before.ends_with('\n') {
        ("", "")
    } else {
        ("\n", " (after a line without end)")
    };
    format!(
        "{end}{BEGIN}{note}\nif command -v git-arborist-hooks >/dev/null 2>&1; then git-arborist-hooks run {name} \"$@\"; \
         else echo 'git-arborist-hooks is not on PATH: {name} checks nothing' >&2; fi\n{END}\n"
    )
}

/// Appends our lines to those of a script.
pub(super) fn append(path: &Path, hook: Hook) -> Result<InstallOutcome> {
    let shown = path.display().to_string();
    let before = read(path)?;
    let script = before.clone().unwrap_or_default();
    if script.contains(BEGIN) {
        return Ok(InstallOutcome::AlreadyThere(shown));
    }
    let text = format!("{script}{}", lines(hook, &script));
    fs::write(path, text).map_err(|error| failed(path, &error))?;
    Ok(if before.is_some() {
        InstallOutcome::InstalledBeside(shown)
    } else {
        InstallOutcome::Installed(shown)
    })
}

/// Removes our lines from a script, unless other lines were put between them.
pub(super) fn cut_out(path: &Path, hook: Hook) -> Result<InstallOutcome> {
    let shown = path.display().to_string();
    let script = read(path)?.unwrap_or_default();
    let Some((mut before, ours)) = script.find(BEGIN).map(|begin| script.split_at(begin)) else {
        return Ok(InstallOutcome::Absent);
    };
    let end = ours.find(END).map(|end| end + END.len());
    let with_note = lines(hook, "a line without end");
    let Some((ours, behind)) = end
        .map(|end| ours.split_at(end))
        .filter(|(ours, _)| has_only_lines_of(&[lines(hook, ""), with_note].concat(), ours))
    else {
        return Ok(InstallOutcome::NotRemoved { place: shown, before: None });
    };
    if ours.starts_with(&format!("{BEGIN} (after")) {
        before = before.strip_suffix('\n').unwrap_or(before);
    }
    let rest = format!("{before}{}", behind.strip_prefix('\n').unwrap_or(behind));
    if rest.is_empty() {
        fs::remove_file(path).map_err(|error| failed(path, &error))?;
        return Ok(InstallOutcome::Removed(shown));
    }
    fs::write(path, rest).map_err(|error| failed(path, &error))?;
    Ok(InstallOutcome::Restored(shown))
}
