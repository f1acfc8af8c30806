//! Puts our hooks into a repository beside those of others, and takes them out again without a trace.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::{Hook, Manager};
use crate::error::{Error, Kind, Result};
use crate::git::Git;

/// What marks our scripts.
const MARK: &str = "# git-arborist hook:";
/// What the hook that was there before is called as long as ours stands in its place.
const KEPT: &str = ".pre-arborist";
const BEGIN: &str = "# git-arborist: begin";
const END: &str = "# git-arborist: end\n";

/// For whom hooks are set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// For this repository.
    Repository,
    /// For all repositories of this user.
    User,
}

/// What became of one hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was set up; the path of the file or the name of the setting.
    Installed(String),
    /// It was set up, and the hook that was there before is run first.
    InstalledBeside(String),
    /// It was there already.
    AlreadyThere(String),
    /// It was taken out.
    Removed(String),
    /// It was taken out, and the hook that was there before is back.
    Restored(String),
    /// It is not there.
    Absent,
    /// A manager looks after the hooks: this is what to add to its configuration.
    AddTo(&'static str, String),
    /// A manager looks after the hooks, and it has no place for this one.
    Unsupported(&'static str),
}

/// Where hooks are set up.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Site {
    /// As settings: `hook.<name>.command`.
    Settings(Reach),
    /// As files in this folder.
    Folder(PathBuf),
    /// As lines in the scripts of husky.
    Husky(PathBuf),
}

/// Sets up hooks, and looks after those that are.
#[derive(Debug)]
pub struct Installer {
    git: Git,
    site: Site,
    folder: PathBuf,
    top: Option<PathBuf>,
}

impl Installer {
    /// Finds out where the hooks of this repository are.
    ///
    /// # Errors
    /// [`Kind::Repository`] if hooks are shared with other repositories and nobody asked for that.
    pub fn new(git: &Git, reach: Reach) -> Result<Self> {
        let top = git.work_tree().ok().map(|tree| tree.top);
        let dir = top.clone().unwrap_or_else(|| git.dir().to_owned());
        let git_paths = git.in_dir(&dir);
        let folder = dir.join(git_paths.path_of("hooks")?);
        let new = |site| Self { git: git.clone(), site, folder: folder.clone(), top: top.clone() };
        let configured = git.setting("core.hooksPath")?;
        if let Some(Manager::Husky(folder)) = Manager::of_folder(&folder) {
            return Ok(new(Site::Husky(folder)));
        }
        if reach == Reach::User {
            return match (git.has_hook_settings()?, git.global_setting("core.hooksPath")?) {
                (true, _) => Ok(new(Site::Settings(reach))),
                (false, Some(path)) => {
                    let path = git.expand(&path)?;
                    Ok(Self { folder: path.clone(), ..new(Site::Folder(path)) })
                }
                (false, None) => Err(Error::new(
                    Kind::Surroundings,
                    "this git has no hooks for all repositories: that begins with version 2.54, or with a folder of \
                     your own",
                    "Run `git arborist hooks install` in each repository, or choose a folder with `git config --global \
                     core.hooksPath DIR` (which then replaces the hooks of every repository).",
                )),
            };
        }
        let inside = [Some(git_paths.common_dir()?), top.clone()]
            .into_iter()
            .flatten()
            .any(|home| lies_in(&folder, &home));
        if configured.is_some() && !inside {
            return Err(Error::new(
                Kind::Repository,
                format!("core.hooksPath is {}, outside of this repository", folder.display()),
                "Nothing was changed: other repositories may use these hooks too. If that is meant, run `git arborist \
                 hooks install --global`; else `git config --unset core.hooksPath` (where it is set) and try again.",
            ));
        }
        let managed = Hook::ALL.iter().any(|hook| manager_of(&folder.join(hook.name())).is_some());
        let as_settings = configured.is_none() && !managed && git.has_hook_settings()?;
        Ok(new(if as_settings { Site::Settings(reach) } else { Site::Folder(folder.clone()) }))
    }

    /// Sets `hook` up.
    ///
    /// # Errors
    /// If a file cannot be written, or both our script and a foreign one claim the same place.
    pub fn install(&self, hook: Hook) -> Result<Outcome> {
        match &self.site {
            Site::Settings(reach) => self.install_setting(hook, *reach),
            Site::Husky(folder) => append(&folder.join(hook.name()), hook),
            Site::Folder(folder) => {
                match manager_of(&folder.join(hook.name())).or_else(|| self.manager_elsewhere()) {
                    Some(manager) => Ok(self.hand_over(&manager, hook)),
                    None => install_script(folder, hook),
                }
            }
        }
    }

    /// Takes `hook` out again.
    ///
    /// # Errors
    /// If a file cannot be changed.
    pub fn uninstall(&self, hook: Hook) -> Result<Outcome> {
        match &self.site {
            Site::Settings(reach) => {
                let setting = setting_name(hook);
                let removed = self.git.remove_section(scope(*reach), &format!("hook.{setting}"))?;
                let file = uninstall_script(&self.folder, hook)?;
                Ok(if removed { Outcome::Removed(format!("hook.{setting}")) } else { file })
            }
            Site::Husky(folder) => cut_out(&folder.join(hook.name())),
            Site::Folder(folder) => uninstall_script(folder, hook),
        }
    }

    /// Whether `hook` is set up.
    ///
    /// # Errors
    /// If git cannot be asked.
    pub fn status(&self, hook: Hook) -> Result<Outcome> {
        if let Site::Settings(_) = self.site
            && self.git.setting(&format!("hook.{}.command", setting_name(hook)))?.is_some()
        {
            return Ok(Outcome::AlreadyThere(format!("hook.{}", setting_name(hook))));
        }
        let path = match &self.site {
            Site::Husky(folder) => folder.join(hook.name()),
            Site::Folder(_) | Site::Settings(_) => self.folder.join(hook.name()),
        };
        let script = read(&path)?.unwrap_or_default();
        if script.contains(MARK) || script.contains(BEGIN) {
            return Ok(Outcome::AlreadyThere(path.display().to_string()));
        }
        match manager_of(&path) {
            Some(manager) => Ok(self.hand_over(&manager, hook)),
            None => Ok(Outcome::Absent),
        }
    }

    /// A manager that has hooks in the folder, though not this one: it would put its own into the place of ours.
    fn manager_elsewhere(&self) -> Option<Manager> {
        const OTHERS: [&str; 3] = ["pre-commit", "prepare-commit-msg", "post-commit"];
        let names = Hook::ALL.iter().map(|hook| hook.name()).chain(OTHERS);
        // pre-commit and prek leave the other places alone.
        names
            .filter_map(|name| manager_of(&self.folder.join(name)))
            .find(|manager| *manager == Manager::Lefthook)
    }

    fn hand_over(&self, manager: &Manager, hook: Hook) -> Outcome {
        let Some(snippet) = manager.snippet(hook) else { return Outcome::Unsupported(manager.name()) };
        let top = self.top.as_deref().unwrap_or(Path::new("."));
        let wanted = format!("git-arborist-hooks run {}", hook.name());
        let configured = manager
            .files()
            .iter()
            .find(|file| fs::read_to_string(top.join(file)).is_ok_and(|text| text.contains(&wanted)));
        match configured {
            Some(file) => Outcome::AlreadyThere((*file).to_owned()),
            None => Outcome::AddTo(manager.files()[0], snippet),
        }
    }

    fn install_setting(&self, hook: Hook, reach: Reach) -> Result<Outcome> {
        let setting = setting_name(hook);
        let key = |name: &str| format!("hook.{setting}.{name}");
        let command = setting_command(hook);
        if self.git.setting(&key("command"))?.as_deref() == Some(&command) {
            return Ok(Outcome::AlreadyThere(format!("hook.{setting}")));
        }
        self.git.set(scope(reach), &key("event"), hook.name())?;
        self.git.set(scope(reach), &key("command"), &command)?;
        Ok(Outcome::Installed(format!("hook.{setting}")))
    }
}

fn scope(reach: Reach) -> &'static str {
    match reach {
        Reach::Repository => "--local",
        Reach::User => "--global",
    }
}

fn setting_name(hook: Hook) -> String {
    format!("arborist-{}", hook.name())
}

/// What git is to run: the arguments of the hook follow it. A program that is missing lets everything pass.
fn setting_command(hook: Hook) -> String {
    let name = hook.name();
    format!(
        "f() {{ command -v git-arborist-hooks >/dev/null 2>&1 || {{ echo 'git-arborist-hooks is not on PATH: {name} checks \
         nothing' >&2; return 0; }}; git-arborist-hooks run {name} \"$@\"; }}; f"
    )
}

fn lies_in(path: &Path, home: &Path) -> bool {
    // The folder of hooks need not exist yet; then the one above it decides.
    let real = |path: &Path| path.ancestors().find_map(|above| above.canonicalize().ok());
    match (real(path), home.canonicalize()) {
        (Some(path), Ok(home)) => path.starts_with(home),
        _ => false,
    }
}

fn manager_of(hook: &Path) -> Option<Manager> {
    Manager::of_script(&String::from_utf8_lossy(&fs::read(hook).ok()?))
}

fn read(path: &Path) -> Result<Option<String>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(path, &error)),
    }
}

fn failed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(
        Kind::Surroundings,
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

fn install_script(folder: &Path, hook: Hook) -> Result<Outcome> {
    let path = folder.join(hook.name());
    let shown = path.display().to_string();
    fs::create_dir_all(folder).map_err(|error| failed(folder, &error))?;
    match read(&path)? {
        Some(script) if script == hook.script() => return Ok(Outcome::AlreadyThere(shown)),
        Some(script) if script.contains(MARK) => {}
        Some(_) if kept(&path).exists() => {
            return Err(Error::new(
                Kind::Repository,
                format!("{shown} and {} are both hooks of others", kept(&path).display()),
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

fn uninstall_script(folder: &Path, hook: Hook) -> Result<Outcome> {
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

fn append(path: &Path, hook: Hook) -> Result<Outcome> {
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

fn cut_out(path: &Path) -> Result<Outcome> {
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
