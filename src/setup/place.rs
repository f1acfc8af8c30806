//! Where man pages and completions belong, and what they contain.

use std::path::{Path, PathBuf};

use super::files::{FileSet, NewFile};
use crate::error::{Error, Kind, Result};
use crate::manual;
use crate::session::Call;
use crate::text::shell_word;

/// What decides where files go.
pub(crate) struct Request<'a> {
    pub(crate) call: &'a Call,
    /// The folder that the user has named.
    pub(crate) prefix: Option<&'a Path>,
}

/// The prefixes below which all shells look for completions.
const SYSTEM: [&str; 2] = ["/usr", "/usr/local"];

/// The programs beside `git-arborist`, whose names shells complete by files of these names.
const PROGRAMS: [&str; 11] =
    ["check", "demo", "doctor", "garden", "gardener", "hooks", "next", "prune", "rescue", "show", "status"];

pub(crate) fn man_pages(request: &Request<'_>) -> Result<FileSet> {
    let folder = request.program_prefix()?.join("share/man");
    let page = |page: manual::Page| NewFile { path: page.file(), content: page.roff(manual::VERSION) };
    let files = manual::pages(request.call.catalogue).into_iter().map(page).collect();
    Ok(FileSet { what: "man pages", folder, files, advice: String::new() })
}

/// The completions for bash, zsh and fish.
pub(crate) fn completions(request: &Request<'_>) -> Result<FileSet> {
    const BASH: &str = "bash-completion/completions";
    const FISH: &str = "fish/vendor_completions.d";
    const ZSH: &str = "zsh/site-functions";
    let folder = request.shared_folder()?;
    let file = |path: String, content: &str| NewFile { path, content: content.to_owned() };
    let mut files = vec![
        file(format!("{BASH}/git-arborist"), include_str!("../../completions/git-arborist.bash")),
        file(format!("{ZSH}/_git-arborist"), include_str!("../../completions/_git-arborist")),
        file(format!("{FISH}/git-arborist.fish"), include_str!("../../completions/git-arborist.fish")),
        file(
            "fish/vendor_conf.d/git-arborist.fish".to_owned(),
            include_str!("../../completions/git-arborist.conf.fish"),
        ),
    ];
    for name in PROGRAMS {
        let program = format!("git-arborist-{name}");
        let note = "# Written by git-arborist from its own tables; changes are lost.\n";
        let bash = format!(
            "{note}. \"${{BASH_SOURCE[0]%/*}}/git-arborist\"\n\
             complete -o bashdefault -o default -o nospace -F __git_arborist_program {program}\n"
        );
        files.push(NewFile { path: format!("{BASH}/{program}"), content: bash });
        let fish = format!(
            "{note}source (status dirname)/git-arborist.fish\n\
             complete -c {program} -f -a '(__git_arborist_complete {name})'\n"
        );
        files.push(NewFile { path: format!("{FISH}/{program}.fish"), content: fish });
    }
    let advice = if request.prefix.is_some() || SYSTEM.iter().any(|prefix| folder.starts_with(prefix)) {
        String::new()
    } else {
        let functions = shell_word(&folder.join(ZSH).display().to_string());
        format!(
            "bash (with the package bash-completion) and fish find them in a new shell. For zsh, put this line into ~/.zshrc, \
             before compinit:\n  fpath=({functions} $fpath)"
        )
    };
    Ok(FileSet { what: "completions", folder, files, advice })
}

impl Request<'_> {
    /// The prefix that was named, otherwise the one to which the program was installed, beside which `man` looks.
    fn program_prefix(&self) -> Result<PathBuf> {
        if let Some(prefix) = self.prefix {
            return self.absolute(prefix);
        }
        let folder = self.call.environment.program_folder();
        let bin = folder.filter(|folder| folder.file_name().is_some_and(|name| name == "bin"));
        let prefix = bin.and_then(Path::parent).map(Path::to_owned);
        prefix.ok_or_else(|| {
            Error::new(
                Kind::Input,
                "this program is not in a folder named bin, so man pages beside it would not be found",
                "Name the place with --prefix, for example `--prefix ~/.local`.",
            )
        })
    }

    /// The folder of what does not depend on the machine, in which the shells look.
    fn shared_folder(&self) -> Result<PathBuf> {
        if let Some(prefix) = self.prefix {
            return Ok(self.absolute(prefix)?.join("share"));
        }
        let environment = &self.call.environment;
        if let Ok(prefix) = self.program_prefix() {
            let share = prefix.join("share");
            let is_searched = SYSTEM.iter().any(|system| prefix == Path::new(system))
                || environment.data_folders().any(|folder| folder == share);
            if is_searched {
                return Ok(share);
            }
        }
        environment.data_folder().ok_or_else(|| {
            Error::new(
                Kind::Environment,
                "there is no home folder (HOME) in which shells look for completions",
                "Name the place with --prefix, for example `--prefix /usr/local`.",
            )
        })
    }

    fn absolute(&self, path: &Path) -> Result<PathBuf> {
        Ok(if path.is_absolute() { path.to_owned() } else { self.call.environment.folder()?.join(path) })
    }
}
