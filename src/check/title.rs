//! What the subject claims: a step of a task, the end of a phase, something similar, or nothing (A004 to A006, A008).

use crate::record::{Step, Subject, TaskId, TrailerKey, lines};

use super::finding::{Collector, NamedKind, quoted};
use super::message::Message;
use super::scan::may_be_ours;
use super::{Agent, Rule};

/// What the subject of a message claims to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Title<'m> {
    /// A step of this task.
    Task(&'m str),
    /// The end of this phase.
    Phase(&'m str),
    /// The older marker at the start of a run, which is not a task.
    RunMarker,
    /// Meant as one of ours, but no reader will recognise it.
    Near(Slip),
    /// A commit that is meant to be squashed into another one; whether that is a step of ours.
    Autosquash(Target),
    /// Made by `git merge`.
    Merge,
    /// Anything else.
    Other,
}

/// What a commit of `git commit --fixup` and its like aims at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Step,
    Other,
}

/// How a subject misses the form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Slip {
    Capitals,
    LeadingSpace,
    SpaceBeforeId,
    NoId,
    BadId(String),
    NoColon,
    NoSpace,
    NoSummary,
}

impl Slip {
    fn what(&self) -> String {
        match self {
            Self::Capitals => "the word before the parenthesis is not in lower case".to_owned(),
            Self::LeadingSpace => "the subject begins with white space".to_owned(),
            Self::SpaceBeforeId => "there is a space before the parenthesis".to_owned(),
            Self::NoId => "the parentheses are empty".to_owned(),
            Self::BadId(why) => format!("the id is not valid: {why}"),
            Self::NoColon => "`):` is missing after the id".to_owned(),
            Self::NoSpace => "exactly one space must follow the colon".to_owned(),
            Self::NoSummary => "nothing follows the colon".to_owned(),
        }
    }
}

/// What `git commit --fixup` and its like put before the subject of the commit that they aim at.
pub(super) const AUTOSQUASH: [&str; 3] = ["fixup! ", "squash! ", "amend! "];

impl<'m> Title<'m> {
    pub(super) fn of(text: &'m [u8]) -> Self {
        match Subject::of(text) {
            Subject::Task(id) => Self::with_id(id, Self::Task),
            Subject::Phase(id) => Self::with_id(id, Self::Phase),
            Subject::Other => Self::of_other(text),
        }
    }

    fn with_id(id: &'m str, kind: fn(&'m str) -> Self) -> Self {
        match TaskId::check(id) {
            Ok(()) => kind(id),
            Err(problem) => Self::Near(Slip::BadId(problem.to_string())),
        }
    }

    fn of_other(text: &'m [u8]) -> Self {
        let first = lines(text).find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
        let first = String::from_utf8_lossy(first.trim_ascii_end());
        let mut rest = first.as_ref();
        while let Some(target) = AUTOSQUASH.iter().find_map(|mark| rest.strip_prefix(mark)) {
            rest = target;
        }
        if rest.len() < first.len() {
            let step = rest.starts_with("task(") || rest.starts_with("phase(");
            return Self::Autosquash(if step { Target::Step } else { Target::Other });
        }
        if first.starts_with("Merge ") {
            return Self::Merge;
        }
        match near(&first) {
            Some(Slip::BadId(id)) if id.ends_with("@@run-start") => Self::RunMarker,
            Some(slip) if slip != Slip::NoColon || may_be_ours_below(text) => Self::Near(slip),
            _ => Self::Other,
        }
    }

    /// Whether the subject is, or is meant to be, one of ours.
    pub(super) fn is_ours(&self) -> bool {
        matches!(self, Self::Task(_) | Self::Phase(_) | Self::Near(_))
    }
}

/// Whether the lines below the first hold anything of ours: `task(s) run in parallel now` is just English.
fn may_be_ours_below(text: &[u8]) -> bool {
    let first = lines(text).next().map_or(0, <[u8]>::len);
    may_be_ours(&text[first..])
}

/// How a first line that is no subject of ours comes near one.
fn near(first: &str) -> Option<Slip> {
    let bare = first.trim_start();
    let word = ["task", "phase"]
        .into_iter()
        .find(|word| bare.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word)))?;
    let behind = &bare[word.len()..];
    let inner = behind.trim_start().strip_prefix('(')?;
    let Some((id, rest)) = inner.split_once(')') else {
        return Some(Slip::NoColon);
    };
    let Some(summary) = rest.strip_prefix(':') else {
        return Some(Slip::NoColon);
    };
    Some(if id.ends_with("@@run-start") {
        Slip::BadId(id.to_owned())
    } else if bare.len() < first.len() {
        Slip::LeadingSpace
    } else if !bare.starts_with(word) {
        Slip::Capitals
    } else if !behind.starts_with('(') {
        Slip::SpaceBeforeId
    } else if id.is_empty() {
        Slip::NoId
    } else if summary.trim().is_empty() {
        Slip::NoSummary
    } else if !summary.starts_with(' ') || summary.starts_with("  ") || summary.starts_with(" \t") {
        Slip::NoSpace
    } else {
        Slip::BadId(format!("`{}` is not the id of a task", quoted(id.as_bytes())))
    })
}

/// Looks at the subject, and at whether the trailers belong to it.
pub(super) fn look(message: &Message<'_>, findings: &mut Collector<'_>) {
    let subject = subject_bytes(message.text);
    let refused = findings.policy().agent() == Agent::AtWork;
    if refused && (message.title.is_ours() || !message.ours.is_empty()) {
        let what = "a runner must not commit a step itself".to_owned();
        let help = "leave the change uncommitted, or commit it with an ordinary message: the step is committed for you";
        findings.at(Rule::AgentAtWork, subject.clone(), what, help.to_owned());
    }
    match &message.title {
        Title::Task(id) => {
            findings.name(NamedKind::Task, id, id_bytes(message.text, id));
            look_at_step(message, Step::PHASE_COMPLETE, findings);
        }
        Title::Phase(id) => {
            findings.name(NamedKind::Task, id, id_bytes(message.text, id));
            look_at_phase(message, findings);
        }
        Title::Near(slip) => {
            let what = format!("this subject names no task: {}", slip.what());
            let help = "write `task(ID): summary`, or `phase(ID): complete`".to_owned();
            findings.at(Rule::BadSubject, subject.clone(), what, help);
        }
        Title::Autosquash(Target::Step) => {
            let what =
                "this commit is meant to be squashed into a step, but steps are never rewritten".to_owned();
            let help = "give it an ordinary message".to_owned();
            findings.at(Rule::Autosquash, subject.clone(), what, help);
        }
        Title::Other if !message.ours.is_empty() => {
            let what = "these trailers belong to no task: the subject names none".to_owned();
            let help = "begin the subject with `task(ID): `, or remove the trailers".to_owned();
            let finding = findings.at(Rule::NoSubject, message.ours[0].key_bytes.clone(), what, help);
            finding.note = "git sees this trailer".to_owned();
        }
        Title::Other | Title::Merge | Title::RunMarker | Title::Autosquash(Target::Other) => {}
    }
    let claims = matches!(message.title, Title::Task(_) | Title::Phase(_));
    let bare = message.ours.is_empty() && !may_be_ours_below(findings.source());
    if claims && bare {
        let what = "this commit counts for no task: it has no trailers".to_owned();
        let help =
            "add the trailers (`git arborist check --explain A018` lists them), or begin the subject with \
                    another word; `git config arborist.hook.level.A005 off` allows it here"
                .to_owned();
        findings.at(Rule::NoTrailers, subject, what, help);
    }
}

fn look_at_step(message: &Message<'_>, forbidden: Step, findings: &mut Collector<'_>) {
    let Some(step) = message.find(TrailerKey::Step).filter(|_| message.step() == Some(forbidden)) else {
        return;
    };
    let what = "the step `phase-complete` belongs to a phase, and the subject names a task".to_owned();
    findings.at(Rule::PhaseMismatch, step.value_bytes(), what, "write `phase(ID): complete`".to_owned());
}

fn look_at_phase(message: &Message<'_>, findings: &mut Collector<'_>) {
    let Some(step) = message.find(TrailerKey::Step).filter(|_| message.step() != Some(Step::PHASE_COMPLETE))
    else {
        return;
    };
    let what = format!("a phase has only the step `phase-complete`, not `{}`", quoted(&step.value));
    findings.at(
        Rule::PhaseMismatch,
        step.value_bytes(),
        what,
        "write `Arborist-Step: phase-complete`, or `task(ID): ...`".to_owned(),
    );
}

fn subject_bytes(text: &[u8]) -> std::ops::Range<usize> {
    let mut start = 0;
    for line in lines(text) {
        if !line.trim_ascii().is_empty() {
            return start..start + line.trim_ascii_end().len();
        }
        start += line.len();
    }
    0..0
}

fn id_bytes(text: &[u8], id: &str) -> std::ops::Range<usize> {
    let subject = subject_bytes(text);
    let within = text[subject.clone()].windows(id.len()).position(|window| window == id.as_bytes());
    within.map_or(subject.clone(), |at| subject.start + at..subject.start + at + id.len())
}
