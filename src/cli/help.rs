//! Shows a page of the manual: with `man` where it is installed, otherwise as plain text.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::config::Environment;
use crate::error::Result;
use crate::manual::Page;
use crate::process::{answer_of, become_program};
use crate::report::{self, Screen};
use crate::session::PagerSettings;

/// The width of a page in a pipe.
const USUAL: usize = 80;
/// Longer lines are hard to read.
const WIDEST: usize = 100;

/// Shows a page. On a terminal on which `man` finds it, this does not return.
///
/// # Errors
/// If it cannot be printed.
pub(super) fn show(page: &Page, environment: &Environment, screen: &Screen) -> Result<ExitCode> {
    if report::out_is_terminal()
        && let Some(man) = man_with(page, environment)
    {
        return Err(become_program(&man, &arguments(page)));
    }
    let columns = screen.width.map_or(USUAL, |columns| columns.min(WIDEST));
    PagerSettings::default().print(environment, &page.plain(columns)).map(|()| ExitCode::SUCCESS)
}

fn arguments(page: &Page) -> [OsString; 2] {
    [page.section.to_string().into(), page.name.clone().into()]
}

/// The program `man`, if it finds the page.
fn man_with(page: &Page, environment: &Environment) -> Option<PathBuf> {
    let man = environment.search_path().map(|folder| folder.join("man")).find(|path| path.is_file())?;
    let question = std::iter::once(OsString::from("-w")).chain(arguments(page)).collect::<Vec<_>>();
    let answer = answer_of(&man, &question)?;
    // Reduced systems have a `man` that prints an excuse and succeeds.
    Path::new(answer.trim()).is_file().then_some(man)
}
