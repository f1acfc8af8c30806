//! A page of the manual, written for `man` or as plain text.

use clap::Command;
use roff::{Roff, roman};

use super::markdown::{for_man, unwrapped};
use super::options::{options, synopsis};

/// A line of every page for `man` that `git arborist init man` writes. A file without it is not ours.
pub const MARK: &str = "Written by git-arborist from its own tables; changes are lost.";

/// The day of this version, as pages for `man` name one.
const DAY: &str = "2026-11-23";

/// A page of the manual.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its name, for example `git-arborist-status`.
    pub name: String,
    /// The section of the manual: 1 for programs, 5 for files, 7 for everything else.
    pub section: u8,
    /// What it describes, as one clause.
    pub about: String,
    /// The command that it describes, with its options; none on pages about files.
    pub(super) command: Option<Command>,
    /// The description, in Markdown.
    pub(super) description: String,
    /// The chapters after the description and the options, in Markdown.
    pub(super) chapters: String,
}

impl Page {
    /// The name of the file that `man` looks for, with its folder, for example `man1/git-arborist-status.1`.
    #[must_use]
    pub fn file(&self) -> String {
        format!("man{0}/{1}.{0}", self.section, self.name)
    }

    /// The page for `man`.
    #[must_use]
    pub fn roff(&self, version: &str) -> String {
        let mut head = Roff::new();
        let (title, section) = (self.name.to_uppercase(), self.section.to_string());
        let source = format!("git-arborist {version}");
        head.control("TH", [title.as_str(), &section, DAY, &source, "Git Arborist Manual"]);
        // Commands must not be broken or spread over a line.
        head.control("nh", []).control("ad", ["l"]);
        head.control("SH", ["NAME"]).text([roman(self.title())]);
        let [synopsis, options] =
            [synopsis, options].map(|section| self.command.as_ref().map(section).unwrap_or_default());
        let description = for_man(&format!("# Description\n\n{}", self.description));
        let chapters = for_man(&self.chapters);
        format!(".\\\" {MARK}\n{}{synopsis}{description}{options}{chapters}", head.render())
    }

    /// The page as plain text in this many columns, as clap lays out long help.
    #[must_use]
    pub fn plain(&self, columns: usize) -> String {
        // Pages about files have neither usage nor options.
        let text = || Command::new("page").help_template("{before-help}{about}{after-help}");
        let command = self.command.clone().unwrap_or_else(text);
        let command = command
            .before_long_help(self.title())
            .long_about(unwrapped(&self.description))
            .after_long_help(unwrapped(&self.chapters));
        let help = command.term_width(columns).render_long_help().to_string();
        help.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }

    fn title(&self) -> String {
        format!("{} - {}", self.name, self.about)
    }
}
