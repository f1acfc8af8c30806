//! `git arborist build`: makes a task tree from an existing plan, deterministically and offline.

mod naming;
mod sources;

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::PossibleValuesParser;

use super::{Call, Command, Common, Exit, Group, Session, Summary};
use crate::config::{Origin, Setting, TREE_FILE};
use crate::engine::PlanFileCommit;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::plan::building::{
    BuildSettings, Merged, Rejected, Settled, TestRule, explain, merge, settle, to_json,
};
use crate::plan::formats::{Format, ReadOptions, SourceFile, SourceNote, read};
use crate::plan::{PathPattern, Problems, TaskTree};
use crate::report::{self, BuildView};
use crate::text::one_line;
use sources::{Search, Sources};

/// The arguments of `build`.
#[derive(Args, Clone, Debug)]
#[command(mut_arg("tree", |arg| arg.hide(true)))]
pub struct Build {
    #[command(flatten)]
    common: Common,
    /// The plan: files, or folders with plans in them [default: the only plan in the work tree]
    #[arg(value_name = "FILE|FOLDER")]
    sources: Vec<PathBuf>,
    /// The format of the plan [default: recognised by path and content]
    #[arg(long, value_name = "FORMAT", value_parser = PossibleValuesParser::new(Format::all().map(|row| row.name)))]
    from: Option<String>,
    /// The tree file to write [default: task-tree.json at the top of the work tree]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Read the plan into the existing tree file again, and keep what was edited there by hand
    #[arg(long)]
    update: bool,
    /// Only say whether the tree file is up to date, with exit status 1 if it is not
    #[arg(long, conflicts_with_all = ["update", "commit"])]
    check: bool,
    /// Print how every line was read and why tasks depend on each other, and write nothing
    #[arg(long, conflicts_with_all = ["update", "commit", "check"])]
    explain: bool,
    /// Commit the tree file
    #[arg(long)]
    commit: bool,
    /// The test command of tasks that have none
    #[arg(long, value_name = "CMD")]
    test_command: Option<String>,
    /// The test command of tasks without one that mention a file that GLOB matches; may be repeated
    #[arg(long, value_name = "GLOB=CMD")]
    test_map: Vec<String>,
    /// The tag of Task Master to read [default: master]
    #[arg(long, value_name = "TAG")]
    tag: Option<String>,
}

impl Command for Build {
    const SUMMARY: Summary =
        Summary { name: "build", group: Group::Start, about: "make a task tree from an existing plan" };

    fn common(&self) -> &Common {
        &self.common
    }

    fn run(self, call: &Call) -> Result<Exit> {
        let session = Session::open(call, Vec::new())?;
        let target = self.target(&session, &call.environment.folder()?);
        let existing = Existing::read(&target)?;
        let Sources { format, files } = self.sources(&session, existing.as_ref())?;
        let (settled, problems) = match self.settle(format, &files)? {
            Ok(settled) => (settled, Vec::new()),
            Err(rejected) => (rejected.plan, rejected.problems),
        };
        if self.explain || problems.is_empty() {
            for warning in &settled.warnings {
                report::warn(&session.screen, &note_line(warning, &files));
            }
        }
        if self.explain {
            report::print(&explain(&settled, &files))?;
        }
        if !problems.is_empty() {
            return Err(invalid(&problems, &files));
        }
        if self.explain {
            return Ok(Exit::Done);
        }
        let built = Built::new(&settled, existing.as_ref(), &target)?;
        let view = BuildView {
            settled: &settled,
            format: format.row().name,
            file: &target.shown,
            merged: built.merged.as_ref(),
        };
        if self.check {
            let is_current = built.is_current(existing.as_ref());
            report::print(&view.check_text(is_current))?;
            if is_current {
                return Ok(Exit::Done);
            }
            report::eprint("`git arborist build --update` updates it.");
            return Ok(Exit::No);
        }
        if let Some(existing) = existing.as_ref().filter(|_| !self.update && !built.loses_nothing) {
            return Err(existing.refusal(&target));
        }
        let text = if self.update {
            built.merged.as_ref().map_or(&built.fresh, |merged| &merged.text)
        } else {
            &built.fresh
        };
        if existing.as_ref().is_none_or(|existing| existing.text != *text) {
            files::write_whole(&target.path, text.as_bytes())
                .map_err(|error| Error::not_written(&target.shown, &error))?;
        }
        report::print(&view.text(&session.screen))?;
        if self.commit {
            self.commit(&session, &target, &settled)?;
        }
        Ok(Exit::Done)
    }
}

/// The tree file to write.
struct Target {
    path: PathBuf,
    /// Its path from the top of the work tree, or the whole path.
    shown: String,
    /// Its path from the top, if it is in the work tree.
    inside: Option<String>,
}

/// A tree file that is already there.
struct Existing {
    text: String,
    /// The files from which it was made.
    spec_files: Vec<String>,
}

/// A tree as it would be written.
struct Built {
    /// Without the edits of an existing file.
    fresh: String,
    /// With the edits of the existing file.
    merged: Option<Merged>,
    /// Whether the existing file has nothing that a new one would lose.
    loses_nothing: bool,
}

impl Build {
    fn target(&self, session: &Session, folder: &Path) -> Target {
        let top = &session.work_tree.top;
        let chosen = session.config.value(Setting::Tree);
        let path = match (&self.output, chosen) {
            (Some(output), _) => folder.join(output),
            (None, Some(value)) if matches!(value.origin, Origin::CommandLine(_)) => folder.join(value.text),
            (None, Some(value)) => top.join(value.text),
            (None, None) => top.join(TREE_FILE),
        };
        let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
        let whole = parent.and_then(|parent| Some(parent.join(path.file_name()?)));
        let inside = whole.as_deref().and_then(|whole| {
            let inside = whole.strip_prefix(top.canonicalize().ok()?).ok()?;
            inside.to_str().map(str::to_owned)
        });
        let shown = inside.clone().unwrap_or_else(|| one_line(&path.display().to_string()));
        Target { path, shown, inside }
    }

    fn sources(&self, session: &Session, existing: Option<&Existing>) -> Result<Sources> {
        let from = self.from.as_deref().and_then(Format::from_name);
        let top = &session.work_tree.top;
        let search = Search { top, from };
        if !self.sources.is_empty() {
            return search.named(&self.sources);
        }
        let before =
            existing.filter(|existing| (self.update || self.check) && !existing.spec_files.is_empty());
        match before {
            Some(before) => {
                let files: Vec<PathBuf> = before.spec_files.iter().map(|file| top.join(file)).collect();
                search.named(&files)
            }
            None => search.only_one(),
        }
    }

    fn settle(
        &self,
        format: Format,
        files: &[SourceFile],
    ) -> Result<std::result::Result<Settled, Box<Rejected>>> {
        let mut test_map = Vec::new();
        for rule in &self.test_map {
            let (pattern, command) = rule.split_once('=').ok_or_else(|| wrong_rule(rule, "it has no ="))?;
            if command.trim().is_empty() {
                return Err(wrong_rule(rule, "it has no command"));
            }
            let pattern = PathPattern::parse(pattern).map_err(|why| wrong_rule(rule, &why))?;
            test_map.push(TestRule { pattern, command: command.to_owned() });
        }
        let settings = BuildSettings {
            spec_id: naming::spec_id(files),
            spec_files: files.iter().map(|file| file.path.clone()).collect(),
            scopes: if format.row().ids_are_global { Vec::new() } else { naming::scopes(files) },
            test_command: self.test_command.clone().filter(|command| !command.trim().is_empty()),
            test_map,
        };
        let plan = read(format, files, &ReadOptions { tag: self.tag.clone() });
        Ok(settle(plan, &settings))
    }

    fn commit(&self, session: &Session, target: &Target, settled: &Settled) -> Result<()> {
        let Some(path) = &target.inside else {
            return Err(Error::new(
                Kind::Input,
                format!(
                    "{} was written, but is outside of the work tree and cannot be committed",
                    target.shown
                ),
                "Leave out --commit, or choose another file with -o.",
            ));
        };
        let verb = if self.update { "Update the plan" } else { "Plan" };
        let message =
            format!("{verb} {}\n\nBuilt from {}.\n", settled.spec_id, settled.spec_files.join(", "));
        let lock = session.lock("build")?;
        let Session { git, work_tree, repository, .. } = session;
        let commit = PlanFileCommit { git, work_tree, repository, path, message: &message, lock: &lock };
        match commit.make()? {
            Some(id) => report::print(&format!("{} {verb} {}\n", id.short(), settled.spec_id)),
            None => report::print(&format!("{} is already committed\n", target.shown)),
        }
    }
}

impl Existing {
    /// Reads the tree file if there is one.
    fn read(target: &Target) -> Result<Option<Self>> {
        let bytes = match files::read(&target.path, files::LARGE) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => {
                let what = format!("{} cannot be read: {error}", target.shown);
                return Err(Error::new(Kind::Input, what, "Choose another file with -o."));
            }
        };
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let spec_files = TaskTree::from_json(&bytes).map(|loaded| loaded.tree.spec_files().to_vec());
        Ok(Some(Self { text, spec_files: spec_files.unwrap_or_default() }))
    }

    fn refusal(&self, target: &Target) -> Error {
        let what = if self.spec_files.is_empty() {
            format!("{} exists and was not built from a plan", target.shown)
        } else {
            format!("{} exists and has edits that would be lost", target.shown)
        };
        Error::new(
            Kind::Input,
            what,
            "Nothing was written. `--update` keeps what was edited there by hand; `-o FILE` writes another file.",
        )
    }
}

impl Built {
    fn new(settled: &Settled, existing: Option<&Existing>, target: &Target) -> Result<Self> {
        let fresh = to_json(settled);
        if let Err(problems) = TaskTree::from_json(fresh.as_bytes()) {
            let what = format!("the tree built from this plan is not valid: {}", first_of(&problems));
            return Err(Error::new(
                Kind::Input,
                what,
                "Nothing was written. `--explain` shows how the plan was read.",
            ));
        }
        let merged =
            existing.map(|existing| merge(&existing.text, settled)).transpose().map_err(|problems| {
                let what = format!(
                    "the plan does not fit what was added to {} by hand: {}",
                    target.shown,
                    first_of(&problems)
                );
                Error::new(
                    Kind::Input,
                    what,
                    "Correct the file, or write another one with -o. Nothing was written.",
                )
            })?;
        let same = |merged: &Merged| merged.text == fresh;
        let loses_nothing = merged.as_ref().is_none_or(same);
        Ok(Self { fresh, merged, loses_nothing })
    }

    fn is_current(&self, existing: Option<&Existing>) -> bool {
        existing.zip(self.merged.as_ref()).is_some_and(|(existing, merged)| existing.text == merged.text)
    }
}

fn first_of(problems: &Problems) -> String {
    problems.listed().first().map(ToString::to_string).unwrap_or_default()
}

fn wrong_rule(rule: &str, why: &str) -> Error {
    Error::new(
        Kind::Input,
        format!("--test-map {:?} cannot be used: {why}", one_line(rule)),
        "Write it as GLOB=COMMAND, for example 'src/api/**=npm test -- api'.",
    )
}

fn note_line(note: &SourceNote, files: &[SourceFile]) -> String {
    let path = files.get(note.place.file).map_or("", |file| file.path.as_str());
    let end = if note.remedy.is_empty() { String::new() } else { format!(". {}", note.remedy) };
    format!("{}:{}: {}{end}", one_line(path), note.place.line, note.what)
}

/// How many mistakes an error lists.
const LISTED: usize = 100;

fn invalid(problems: &[SourceNote], files: &[SourceFile]) -> Error {
    if let [only] = problems {
        let path = files.get(only.place.file).map_or("", |file| file.path.as_str());
        let what = format!("{}:{}: {}", one_line(path), only.place.line, only.what);
        return Error::new(Kind::Input, what, format!("{} Nothing was written.", only.remedy));
    }
    let mut lines: Vec<String> = problems.iter().take(LISTED).map(|note| note_line(note, files)).collect();
    if problems.len() > LISTED {
        lines.push(format!("and {} more", problems.len() - LISTED));
    }
    let what = format!("the plan has {} problems:\n{}", problems.len(), lines.join("\n"));
    Error::new(Kind::Input, what, "Correct the plan, then run the same command again. Nothing was written.")
}
