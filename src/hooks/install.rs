//! Installs our hooks in a repository next to existing ones, and removes them again without a trace.

use std::path::{Path, PathBuf};

use super::{Hook, InstallOutcome, Manager, scripts};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::Git;
use crate::text::advice;

/// The repositories for which hooks are installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstallScope {
    /// For this repository.
    Repository,
    /// For all repositories of this user.
    User,
}

/// Where hooks are installed.
#[derive(Clone, Debug, PartialEq, Eq)]
enum InstallTarget {
    /// As settings: `hook.<name>.command`.
    Settings(InstallScope),
    /// As files in this folder.
    Folder(PathBuf),
    /// As lines in the scripts of husky.
    Husky(PathBuf),
}

/// Installs, removes and finds hooks.
#[derive(Debug)]
pub struct Installer {
    git: Git,
    target: InstallTarget,
    folder: PathBuf,
    /// The folder in the git directory, where `core.hooksPath` names another: hooks of ours may be left there.
    unused: Option<PathBuf>,
    top: Option<PathBuf>,
    /// Whether the folder in the git directory is a link to one outside, which other repositories may share.
    leads_away: bool,
}

impl Installer {
    /// Finds out where the hooks of this repository are.
    ///
    /// # Errors
    /// [`Kind::Repository`] if there is no repository (only the hooks of a user do not need one), or if its hooks are
    /// shared with other repositories and the user did not ask for that.
    pub fn new(git: &Git, install_scope: InstallScope) -> Result<Self> {
        let dir = match (git.top_or_git_dir(), install_scope) {
            (Ok(dir), _) => dir,
            (Err(_), InstallScope::User) => git.dir().to_owned(),
            (Err(error), InstallScope::Repository) => return Err(error),
        };
        let git_paths = git.in_dir(&dir);
        // Without a repository, there is nothing to find.
        let folder = dir.join(git_paths.path_of("hooks").unwrap_or_else(|_| PathBuf::from(".git/hooks")));
        let configured = git.setting("core.hooksPath")?;
        let unused = match (install_scope, &configured) {
            (InstallScope::Repository, Some(_)) => Some(git_paths.common_dir()?.join("hooks")),
            (InstallScope::Repository, None) | (InstallScope::User, _) => None,
        };
        let unused = unused.filter(|unused| unused.canonicalize().ok() != folder.canonicalize().ok());
        let top = git.work_tree().ok().map(|tree| tree.top);
        let (target, leads_away) = match (Manager::of_folder(&folder), install_scope) {
            (Some(Manager::Husky(folder)), _) => (InstallTarget::Husky(folder), false),
            (_, InstallScope::User) => (target_of_user(git)?, false),
            (_, InstallScope::Repository) => {
                let homes = [Some(git_paths.common_dir()?), top.clone()];
                let is_inside = homes.into_iter().flatten().any(|home| lies_in(&folder, &home));
                if configured.is_some() && !is_inside {
                    return Err(shared(
                        &format!("core.hooksPath is {}", folder.display()),
                        "run `git config --unset core.hooksPath` where it is set",
                    ));
                }
                (target_in_repository(git, &folder, configured.is_some())?, !is_inside)
            }
        };
        let folder = match &target {
            InstallTarget::Folder(folder) => folder.clone(),
            InstallTarget::Husky(_) | InstallTarget::Settings(_) => folder,
        };
        Ok(Self { git: git.clone(), target, folder, unused, top, leads_away })
    }

    /// The folder of the work tree into which hooks would be written, and which everybody who works on the repository shares.
    #[must_use]
    pub fn shared_folder(&self) -> Option<String> {
        let folder = match &self.target {
            InstallTarget::Husky(folder) | InstallTarget::Folder(folder) => folder.canonicalize().ok()?,
            InstallTarget::Settings(_) => return None,
        };
        let inside = folder.strip_prefix(self.top.as_ref()?.canonicalize().ok()?).ok()?;
        let is_of_git = inside.components().any(|part| part.as_os_str() == ".git");
        (!is_of_git).then(|| format!("{}/", inside.display()))
    }

    /// Installs `hook`.
    ///
    /// # Errors
    /// If a file cannot be written, if two hooks of other tools claim the same place, or if the folder of the hooks is a link
    /// to one outside of the repository.
    pub fn install(&self, hook: Hook) -> Result<InstallOutcome> {
        match &self.target {
            InstallTarget::Folder(folder) if self.leads_away => {
                let target = folder.canonicalize().unwrap_or_else(|_| folder.clone());
                let what = format!("{} leads to {}", folder.display(), target.display());
                Err(shared(&what, "put a folder in the place of the link"))
            }
            InstallTarget::Settings(install_scope) => self.install_setting(hook, *install_scope),
            InstallTarget::Husky(_) if !Manager::husky_runs(hook) => Ok(InstallOutcome::Unsupported("husky")),
            InstallTarget::Husky(folder) => scripts::append(&folder.join(hook.name()), hook),
            InstallTarget::Folder(folder) => {
                match manager_of(&folder.join(hook.name())).or_else(|| self.manager_elsewhere()) {
                    Some(manager) => Ok(self.hand_over(&manager, hook)),
                    None => scripts::install(folder, hook),
                }
            }
        }
    }

    /// Removes `hook` wherever it was installed.
    ///
    /// # Errors
    /// If a file cannot be changed.
    pub fn uninstall(&self, hook: Hook) -> Result<Vec<InstallOutcome>> {
        let unused = self.unused.iter().map(|folder| scripts::uninstall(folder, hook));
        let mut outcomes: Vec<InstallOutcome> =
            std::iter::once(self.uninstall_in_use(hook)).chain(unused).collect::<Result<_>>()?;
        outcomes.retain(|outcome| *outcome != InstallOutcome::Absent);
        if outcomes.is_empty() {
            outcomes.push(InstallOutcome::Absent);
        }
        Ok(outcomes)
    }

    fn uninstall_in_use(&self, hook: Hook) -> Result<InstallOutcome> {
        match &self.target {
            InstallTarget::Settings(install_scope) => {
                let setting = setting_name(hook);
                let removed = self.git.remove_section(scope(*install_scope), &format!("hook.{setting}"))?;
                let file = scripts::uninstall(&self.folder, hook)?;
                Ok(if removed { InstallOutcome::Removed(format!("hook.{setting}")) } else { file })
            }
            InstallTarget::Husky(folder) => scripts::cut_out(&folder.join(hook.name()), hook),
            InstallTarget::Folder(folder) => scripts::uninstall(folder, hook),
        }
    }

    /// Whether `hook` is installed.
    ///
    /// # Errors
    /// If git fails.
    pub fn status(&self, hook: Hook) -> Result<InstallOutcome> {
        if let InstallTarget::Settings(_) = self.target
            && self.git.setting(&format!("hook.{}.command", setting_name(hook)))?.is_some()
        {
            return Ok(InstallOutcome::AlreadyThere(format!("hook.{}", setting_name(hook))));
        }
        let path = match &self.target {
            InstallTarget::Husky(folder) => folder.join(hook.name()),
            InstallTarget::Folder(_) | InstallTarget::Settings(_) => self.folder.join(hook.name()),
        };
        if scripts::is_ours(&path)? {
            return Ok(InstallOutcome::AlreadyThere(path.display().to_string()));
        }
        match manager_of(&path) {
            Some(manager) => Ok(self.hand_over(&manager, hook)),
            None => Ok(InstallOutcome::Absent),
        }
    }

    /// A manager that has hooks in the folder, though not this one. It would replace our hook with its own.
    fn manager_elsewhere(&self) -> Option<Manager> {
        const OTHERS: [&str; 3] = ["pre-commit", "prepare-commit-msg", "post-commit"];
        let names = Hook::ALL.iter().map(|hook| hook.name()).chain(OTHERS);
        // pre-commit and prek leave the other places alone.
        names
            .filter_map(|name| manager_of(&self.folder.join(name)))
            .find(|manager| *manager == Manager::Lefthook)
    }

    fn hand_over(&self, manager: &Manager, hook: Hook) -> InstallOutcome {
        let Some(snippet) = manager.snippet(hook) else { return InstallOutcome::Unsupported(manager.name()) };
        let top = self.top.as_deref().unwrap_or(Path::new("."));
        let wanted = format!("git-arborist-hooks run {}", hook.name());
        let configured = manager.files().iter().find(|file| contains(&top.join(file), &wanted));
        match configured {
            Some(file) => InstallOutcome::AlreadyThere((*file).to_owned()),
            None => InstallOutcome::AddTo(manager.files()[0], snippet),
        }
    }

    fn install_setting(&self, hook: Hook, install_scope: InstallScope) -> Result<InstallOutcome> {
        let setting = setting_name(hook);
        let key = |name: &str| format!("hook.{setting}.{name}");
        let command = setting_command(hook);
        if self.git.setting(&key("command"))?.as_deref() == Some(&command) {
            return Ok(InstallOutcome::AlreadyThere(format!("hook.{setting}")));
        }
        self.git.set(scope(install_scope), &key("event"), hook.name())?;
        self.git.set(scope(install_scope), &key("command"), &command)?;
        Ok(InstallOutcome::Installed(format!("hook.{setting}")))
    }
}

/// Where the hooks of a user are installed.
fn target_of_user(git: &Git) -> Result<InstallTarget> {
    if git.has_hook_settings()? {
        return Ok(InstallTarget::Settings(InstallScope::User));
    }
    match git.global_setting("core.hooksPath")? {
        Some(path) => Ok(InstallTarget::Folder(git.expand(&path)?)),
        None => Err(Error::new(
            Kind::Environment,
            "this git cannot run hooks in all repositories: that needs version 2.54, or a folder of your own",
            format!(
                "Run {} in each repository, or choose a folder with `git config --global core.hooksPath DIR` (which then \
             replaces the hooks of every repository).",
                advice::hooks_install()
            ),
        )),
    }
}

/// Where the hooks of a repository are installed whose hooks are in this folder: as settings, unless a setting names the
/// folder or a manager of hooks uses it.
fn target_in_repository(git: &Git, folder: &Path, is_configured: bool) -> Result<InstallTarget> {
    let is_managed = Hook::ALL.iter().any(|hook| manager_of(&folder.join(hook.name())).is_some());
    Ok(match !is_configured && !is_managed && git.has_hook_settings()? {
        true => InstallTarget::Settings(InstallScope::Repository),
        false => InstallTarget::Folder(folder.to_owned()),
    })
}

fn scope(install_scope: InstallScope) -> &'static str {
    match install_scope {
        InstallScope::Repository => "--local",
        InstallScope::User => "--global",
    }
}

fn setting_name(hook: Hook) -> String {
    format!("arborist-{}", hook.name())
}

/// The command that git should run, followed by the arguments of the hook. If the program is missing, the command lets
/// everything pass.
fn setting_command(hook: Hook) -> String {
    let name = hook.name();
    format!(
        "f() {{ command -v git-arborist-hooks >/dev/null 2>&1 || {{ echo 'git-arborist-hooks is not on PATH: {name} checks \
         nothing' >&2; return 0; }}; git-arborist-hooks run {name} \"$@\"; }}; f"
    )
}

/// The error for a folder of hooks that other repositories may share. `otherwise` says how to make it a folder of this repository
/// alone.
fn shared(what: &str, otherwise: &str) -> Error {
    Error::new(
        Kind::Repository,
        format!("{what}, outside of this repository"),
        format!(
            "Nothing was changed: other repositories may use these hooks too. If that is what you want, run {}; \
             otherwise {otherwise}, and try again.",
            advice::hooks_install_global()
        ),
    )
}

fn lies_in(path: &Path, home: &Path) -> bool {
    // The hooks folder need not exist yet. Then its parent decides.
    let real = |path: &Path| path.ancestors().find_map(|above| above.canonicalize().ok());
    match (real(path), home.canonicalize()) {
        (Some(path), Ok(home)) => path.starts_with(home),
        _ => false,
    }
}

fn manager_of(hook: &Path) -> Option<Manager> {
    Manager::of_script(&String::from_utf8_lossy(&files::read(hook, files::LARGE).ok()?))
}

fn contains(file: &Path, wanted: &str) -> bool {
    files::read(file, files::LARGE).is_ok_and(|text| String::from_utf8_lossy(&text).contains(wanted))
}
