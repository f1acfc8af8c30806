//! Editable installs of Python: packages that are not copied into an environment but imported from the work tree in which
//! they are written. In a scratch work tree, they have to be imported from there.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::moved::{TreeMove, as_url};
use super::packages::fits;
use crate::files;
use crate::process::{EnvChange, ExitReason, Launch};

/// The files that say that a repository is a Python project.
const PROJECTS: [&str; 3] = ["pyproject.toml", "setup.py", "setup.cfg"];
/// The folders of virtual environments in a work tree.
const VENVS: [&str; 3] = [".venv", "venv", "env"];
/// The programs that run Python.
const PROGRAMS: [&str; 2] = ["python3", "python"];
/// How long an interpreter may take to answer.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Files that make packages known to an interpreter: lists of folders, and modules that map names to folders.
const FORMS: [&str; 4] = ["*.pth", "*.egg-link", "__editable__*.py", "*.dist-info"];

/// Prints the folders in which an interpreter finds installed packages.
const WHERE: &str = "import site, sys\nfor path in dict.fromkeys(sys.path + [site.getusersitepackages()]):\n    \
                     if path.endswith('-packages'): print(path)";
/// Prints the files of the modules that are named as arguments.
const FOUND: &str = "import importlib.util, sys\nsys.path = [path for path in sys.path if path]\nfor name in sys.argv[1:]:\n    try: spec = importlib.util.find_spec(name)\n    \
                     except Exception: spec = None\n    \
                     places = [spec.origin] if spec and spec.origin else list(spec.submodule_search_locations or []) if spec else []\n    \
                     for place in places[:1]: print(name + '\\t' + place)";

/// The interpreters that test commands may use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::worktree::scratch) struct Interpreters(Vec<PathBuf>);

/// The editable installs that lead into a work tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::worktree::scratch) struct EditableInstalls {
    top: PathBuf,
    /// The folders from which packages are imported, from the top; the top itself is an empty path.
    pub(super) paths: Vec<PathBuf>,
}

impl Interpreters {
    /// The interpreters of a work tree: those of its virtual environments, and those that `find` knows by their names on PATH.
    /// There are none in a work tree without a Python project.
    pub(in crate::worktree::scratch) fn of(top: &Path, find: impl Fn(&str) -> Option<PathBuf>) -> Self {
        if !PROJECTS.iter().any(|file| top.join(file).is_file()) {
            return Self::default();
        }
        let in_tree = VENVS.iter().map(|venv| top.join(venv).join("bin").join("python"));
        let mut found: Vec<PathBuf> = in_tree.filter(|program| program.is_file()).collect();
        for program in PROGRAMS.iter().filter_map(|name| find(name)) {
            // Two names in one folder are the same interpreter.
            if !found.iter().any(|known| known.parent() == program.parent()) {
                found.push(program);
            }
        }
        Self(found)
    }

    /// The folders in which they find installed packages. Each interpreter is asked once; one that does not answer has none.
    #[must_use]
    pub(in crate::worktree::scratch) fn site_packages(&self, launch: &Launch) -> Vec<PathBuf> {
        let folders: BTreeSet<PathBuf> = self
            .0
            .iter()
            .flat_map(|program| answer(launch, program, &["-c".into(), WHERE.into()]))
            .map(|line| PathBuf::from(OsString::from_vec(line)))
            .collect();
        folders.into_iter().collect()
    }
}

impl EditableInstalls {
    /// Looks for editable installs that lead into the work tree at `top`, in these folders of installed packages.
    #[must_use]
    pub(in crate::worktree::scratch) fn find(top: &Path, site_packages: &[PathBuf]) -> Self {
        let (mut paths, mut projects) = (BTreeSet::new(), BTreeSet::new());
        for folder in site_packages {
            let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
            for entry in entries {
                let (name, path) = (entry.file_name(), entry.path());
                let name = name.to_string_lossy();
                if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                    let target = std::fs::read_link(&path).unwrap_or_default();
                    paths.extend(target.parent().and_then(|parent| inside(top, parent)));
                } else if FORMS.iter().any(|form| fits(form, &name)) {
                    let is_folder = name.ends_with(".dist-info");
                    let file = if is_folder { path.join("direct_url.json") } else { path };
                    let text = files::read(&file, files::SMALL).unwrap_or_default();
                    if is_folder {
                        projects.extend(direct_url(top, &String::from_utf8_lossy(&text)));
                    } else {
                        paths.extend(paths_in(top, &name, &text));
                    }
                }
            }
        }
        // What its own files say about a project is more precise than where it lies.
        let unknown =
            projects.into_iter().filter(|project| !paths.iter().any(|path| path.starts_with(project)));
        let unknown: Vec<PathBuf> = unknown.map(|project| source_of(top, project)).collect();
        paths.extend(unknown);
        Self { top: top.to_owned(), paths: paths.into_iter().collect() }
    }

    /// Whether there are none.
    #[must_use]
    pub(in crate::worktree::scratch) fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// The change to PYTHONPATH by which these packages are imported from a scratch work tree. What the variable has already
    /// comes behind.
    #[must_use]
    pub(in crate::worktree::scratch) fn python_path(
        &self,
        scratch: &Path,
        existing: Option<&OsStr>,
    ) -> EnvChange {
        let change = TreeMove { from: &self.top, to: scratch };
        let mut entries: Vec<Vec<u8>> =
            self.paths.iter().map(|path| joined(scratch, path).into_os_string().into_vec()).collect();
        for entry in existing.unwrap_or_default().as_bytes().split(|byte| *byte == b':') {
            let path = Path::new(OsStr::from_bytes(entry));
            let entry =
                change.path(path).map_or_else(|| entry.to_vec(), |path| path.into_os_string().into_vec());
            // An empty entry would mean the current folder.
            if !entry.is_empty() && !entries.contains(&entry) {
                entries.push(entry);
            }
        }
        EnvChange::Set("PYTHONPATH".into(), OsString::from_vec(entries.join(&b':')))
    }

    /// The modules of these packages that an interpreter would import from the user's work tree although it runs in the scratch
    /// work tree of `launch`, with these changes to its environment: `NAME (FILE)`.
    #[must_use]
    pub(in crate::worktree::scratch) fn imports_outside(
        &self,
        interpreters: &Interpreters,
        launch: &Launch,
        env: &[EnvChange],
    ) -> Vec<String> {
        let names: BTreeSet<String> =
            self.paths.iter().flat_map(|path| modules(&joined(&launch.directory, path))).collect();
        if names.is_empty() {
            return Vec::new();
        }
        let mut launch = launch.clone();
        launch.env.extend(env.iter().cloned());
        let args: Vec<OsString> = ["-c", FOUND]
            .into_iter()
            .map(OsString::from)
            .chain(names.into_iter().map(OsString::from))
            .collect();
        let lines = interpreters.0.iter().flat_map(|program| answer(&launch, program, &args));
        let outside: BTreeSet<String> = lines
            .filter_map(|line| {
                let text = String::from_utf8_lossy(&line).into_owned();
                let (name, file) = text.split_once('\t')?;
                let file = Path::new(file);
                let is_outside = file.starts_with(&self.top) && !file.starts_with(&launch.directory);
                is_outside.then(|| format!("{name} ({})", file.display()))
            })
            .collect();
        outside.into_iter().collect()
    }
}

/// The lines that an interpreter prints; none if it fails.
fn answer(launch: &Launch, program: &Path, args: &[OsString]) -> Vec<Vec<u8>> {
    let result = launch.job(program, TIMEOUT).args(args.iter().cloned()).run();
    if !matches!(result.exit_reason, ExitReason::Exited(0)) {
        return Vec::new();
    }
    let lines = result.stdout.to_bytes_with_note();
    lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}

/// The folders of the work tree that a file of an installation names.
fn paths_in(top: &Path, name: &str, text: &[u8]) -> Vec<PathBuf> {
    if name.ends_with(".py") {
        let whole = String::from_utf8_lossy(text);
        // A map from names to folders; each name is found in the folder above.
        let quoted = whole.split(['\'', '"']).filter(|word| word.starts_with('/'));
        return quoted.filter_map(|word| inside(top, Path::new(word).parent()?)).collect();
    }
    text.split(|byte| *byte == b'\n')
        .map(|line| Path::new(OsStr::from_bytes(line.trim_ascii())))
        .filter(|path| path.is_absolute())
        .filter_map(|path| inside(top, path))
        .collect()
}

/// The folder of a project that was installed as an editable one, by the URL that its installation notes.
fn direct_url(top: &Path, text: &str) -> Option<PathBuf> {
    let json: serde_json::Value = serde_json::from_str(text).ok()?;
    let is_editable = json["dir_info"]["editable"].as_bool().unwrap_or_default();
    let path = json["url"].as_str().filter(|_| is_editable)?.strip_prefix("file://")?;
    let inner = path.strip_prefix(&as_url(top))?;
    inner.strip_prefix('/').or_else(|| inner.is_empty().then_some("")).map(PathBuf::from)
}

/// Where the packages of a project lie: in `src`, if it has that folder.
fn source_of(top: &Path, project: PathBuf) -> PathBuf {
    let src = project.join("src");
    if top.join(&src).is_dir() { src } else { project }
}

/// A path from the top, if it lies in the work tree, and not in a virtual environment of it.
fn inside(top: &Path, path: &Path) -> Option<PathBuf> {
    let inner = path.strip_prefix(top).ok()?;
    let in_venv = VENVS.iter().any(|venv| inner.starts_with(venv));
    (!in_venv).then(|| inner.to_owned())
}

fn joined(top: &Path, path: &Path) -> PathBuf {
    if path.as_os_str().is_empty() { top.to_owned() } else { top.join(path) }
}

/// The names of the packages and modules that can be imported from a folder.
fn modules(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| {
        let name = entry.file_name().to_str()?.to_owned();
        let module = match name.strip_suffix(".py") {
            Some(stem) if stem != "setup" && stem != "conftest" => stem.to_owned(),
            None if entry.path().join("__init__.py").is_file() => name,
            _ => return None,
        };
        module.chars().all(|char| char.is_alphanumeric() || char == '_').then_some(module)
    });
    named.collect()
}
