//! A separate home folder for programs in a scratch work tree, in which they still find their tool chains, caches and settings.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use crate::process::EnvChange;

/// Where a place lies. A user may have moved the last four with a variable.
#[derive(Clone, Copy, Debug)]
enum Base {
    Home,
    Cache,
    Config,
    Data,
    State,
}

/// A row of the table: a variable, and where programs look if it is not set.
struct Row {
    variable: &'static str,
    base: Base,
    /// From there; nothing for the folder itself.
    place: &'static str,
}

const fn row(variable: &'static str, base: Base, place: &'static str) -> Row {
    Row { variable, base, place }
}

/// All of them. If a variable has several rows, the first place that exists counts. Variables that would change more than where
/// something is found are not among them, such as `GEM_HOME`.
const TABLE: &[Row] = &[
    row("RUSTUP_HOME", Base::Home, ".rustup"),
    row("CARGO_HOME", Base::Home, ".cargo"),
    row("GOPATH", Base::Home, "go"),
    row("GOENV", Base::Config, "go/env"),
    row("GOCACHE", Base::Cache, "go-build"),
    row("GOCACHE", Base::Home, "Library/Caches/go-build"),
    row("NVM_DIR", Base::Home, ".nvm"),
    row("NVM_DIR", Base::Config, "nvm"),
    row("FNM_DIR", Base::Data, "fnm"),
    row("FNM_DIR", Base::Home, ".fnm"),
    row("VOLTA_HOME", Base::Home, ".volta"),
    row("NODENV_ROOT", Base::Home, ".nodenv"),
    row("PYENV_ROOT", Base::Home, ".pyenv"),
    row("RBENV_ROOT", Base::Home, ".rbenv"),
    row("ASDF_DATA_DIR", Base::Home, ".asdf"),
    row("MISE_DATA_DIR", Base::Data, "mise"),
    row("MISE_CONFIG_DIR", Base::Config, "mise"),
    row("MISE_STATE_DIR", Base::State, "mise"),
    row("SDKMAN_DIR", Base::Home, ".sdkman"),
    row("JENV_ROOT", Base::Home, ".jenv"),
    row("npm_config_cache", Base::Home, ".npm"),
    row("npm_config_userconfig", Base::Home, ".npmrc"),
    row("COREPACK_HOME", Base::Cache, "node/corepack"),
    row("PNPM_HOME", Base::Data, "pnpm"),
    row("PNPM_HOME", Base::Home, "Library/pnpm"),
    row("YARN_CACHE_FOLDER", Base::Cache, "yarn"),
    row("YARN_GLOBAL_FOLDER", Base::Home, ".yarn/berry"),
    row("BUN_INSTALL", Base::Home, ".bun"),
    row("DENO_DIR", Base::Cache, "deno"),
    row("DENO_DIR", Base::Home, "Library/Caches/deno"),
    row("PLAYWRIGHT_BROWSERS_PATH", Base::Cache, "ms-playwright"),
    row("PLAYWRIGHT_BROWSERS_PATH", Base::Home, "Library/Caches/ms-playwright"),
    row("PUPPETEER_CACHE_DIR", Base::Cache, "puppeteer"),
    row("CYPRESS_CACHE_FOLDER", Base::Cache, "Cypress"),
    row("CYPRESS_CACHE_FOLDER", Base::Home, "Library/Caches/Cypress"),
    row("PYTHONUSERBASE", Base::Home, ".local"),
    row("PIP_CACHE_DIR", Base::Cache, "pip"),
    row("PIP_CONFIG_FILE", Base::Config, "pip/pip.conf"),
    row("PIP_CONFIG_FILE", Base::Home, ".pip/pip.conf"),
    row("UV_CACHE_DIR", Base::Cache, "uv"),
    row("UV_PYTHON_INSTALL_DIR", Base::Data, "uv/python"),
    row("UV_TOOL_DIR", Base::Data, "uv/tools"),
    row("POETRY_CACHE_DIR", Base::Cache, "pypoetry"),
    row("POETRY_CONFIG_DIR", Base::Config, "pypoetry"),
    row("WORKON_HOME", Base::Data, "virtualenvs"),
    row("WORKON_HOME", Base::Home, ".virtualenvs"),
    row("PRE_COMMIT_HOME", Base::Cache, "pre-commit"),
    row("HF_HOME", Base::Cache, "huggingface"),
    row("NLTK_DATA", Base::Home, "nltk_data"),
    row("GRADLE_USER_HOME", Base::Home, ".gradle"),
    row("MAVEN_USER_HOME", Base::Home, ".m2"),
    row("COURSIER_CACHE", Base::Cache, "coursier/v1"),
    row("KONAN_DATA_DIR", Base::Home, ".konan"),
    row("ANDROID_USER_HOME", Base::Home, ".android"),
    row("BUNDLE_USER_HOME", Base::Home, ".bundle"),
    row("COMPOSER_HOME", Base::Config, "composer"),
    row("COMPOSER_HOME", Base::Home, ".composer"),
    row("COMPOSER_CACHE_DIR", Base::Cache, "composer"),
    // Below it are `.dotnet` and `.nuget`.
    row("NUGET_PACKAGES", Base::Home, ".nuget/packages"),
    row("MIX_HOME", Base::Home, ".mix"),
    row("HEX_HOME", Base::Home, ".hex"),
    row("PUB_CACHE", Base::Home, ".pub-cache"),
    row("STACK_ROOT", Base::Home, ".stack"),
    row("CABAL_DIR", Base::Home, ".cabal"),
    row("OPAMROOT", Base::Home, ".opam"),
    row("ELAN_HOME", Base::Home, ".elan"),
    row("JULIA_DEPOT_PATH", Base::Home, ".julia"),
    row("ZIG_GLOBAL_CACHE_DIR", Base::Cache, "zig"),
    row("CCACHE_DIR", Base::Home, ".ccache"),
    row("CCACHE_DIR", Base::Cache, "ccache"),
    row("SCCACHE_DIR", Base::Cache, "sccache"),
    row("CONAN_HOME", Base::Home, ".conan2"),
    row("DOCKER_CONFIG", Base::Home, ".docker"),
    row("GIT_CONFIG_GLOBAL", Base::Home, ".gitconfig"),
    row("GIT_CONFIG_GLOBAL", Base::Config, "git/config"),
];

/// Variables that would lead around the home folder.
const REMOVED: [&str; 4] = ["XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

impl Base {
    /// The variable with which users move it, and where it is otherwise, from the home folder.
    fn place(self) -> Option<[&'static str; 2]> {
        match self {
            Self::Home => None,
            Self::Cache => Some(["XDG_CACHE_HOME", ".cache"]),
            Self::Config => Some(["XDG_CONFIG_HOME", ".config"]),
            Self::Data => Some(["XDG_DATA_HOME", ".local/share"]),
            Self::State => Some(["XDG_STATE_HOME", ".local/state"]),
        }
    }
}

/// The changes to the environment of programs that get `home` as their home folder and `tmp` for temporary files. What tool
/// chains look for in the home folder is set to its place in the user's one if `value` knows no other and `exists` says that it is
/// there.
pub(in crate::worktree::scratch) fn own_home(
    home: &Path,
    tmp: &Path,
    value: impl Fn(&str) -> Option<OsString>,
    exists: impl Fn(&Path) -> bool,
) -> Vec<EnvChange> {
    let set = |name: &str, value: &Path| EnvChange::Set(name.into(), value.into());
    let mut changes = vec![set("HOME", home), set("TMPDIR", tmp)];
    changes.extend(REMOVED.map(|name| EnvChange::Remove(name.into())));
    changes.push(EnvChange::Set("PYTHONDONTWRITEBYTECODE".into(), "1".into()));
    let path = |name: &str| value(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let Some(users) = path("HOME") else { return changes };
    let mut done: Vec<&str> = Vec::new();
    for Row { variable, base, place } in TABLE {
        let is_set = value(variable).is_some_and(|value| !value.is_empty());
        if is_set || done.contains(variable) {
            continue;
        }
        let folder = match base.place() {
            None => users.clone(),
            Some([moved, usual]) => path(moved).unwrap_or_else(|| users.join(usual)),
        };
        let place = folder.join(place);
        if exists(&place) {
            changes.push(set(variable, &place));
            done.push(variable);
        }
    }
    changes
}
