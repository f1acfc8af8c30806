//! Checks the subject, and whether the trailers belong to it (A004, A005, A008, A022).

use super::finding::{Collector, quoted};
use super::message::Message;
use super::title::{Title, may_be_ours_below};
use super::{Committer, Rule};
use crate::record::{Owner, Step, TrailerKey, lines};
use crate::text::advice;

/// Checks the subject, and whether the trailers belong to it.
pub(super) fn check(message: &Message<'_>, findings: &mut Collector<'_>) {
    let subject = subject_bytes(message.text);
    let refused = findings.policy().agent() == Committer::AtWork;
    let is_landed = message.is_landed();
    if refused && (message.title.is_ours() || !message.ours.is_empty() || is_landed) {
        let what = "a runner must not commit a step itself".to_owned();
        let help = "leave the change uncommitted, or commit it with an ordinary message: the step is committed for you";
        findings.at(Rule::AgentAtWork, subject.clone(), what, help.to_owned());
    }
    match &message.title {
        Title::Task(id) => {
            check_owner(message, Owner::Task, findings);
            check_name(message, id, TrailerKey::Task, findings);
        }
        Title::Phase(id) => {
            check_owner(message, Owner::Phase, findings);
            check_name(message, id, TrailerKey::Phase, findings);
        }
        Title::Near => {
            let what = "this subject names no task, so the trailers have no effect".to_owned();
            let help = "write `task(ID): summary`, or `phase(ID): complete`".to_owned();
            findings.at(Rule::NoSubject, subject.clone(), what, help);
        }
        Title::Other if !message.ours.is_empty() && !is_landed => {
            let what = "these trailers belong to no task: the subject names none".to_owned();
            let help = "begin the subject with `task(ID): `, or remove the trailers".to_owned();
            let finding = findings.at(Rule::NoSubject, message.ours[0].key_bytes.clone(), what, help);
            finding.note = "git sees this trailer".to_owned();
        }
        Title::Other | Title::Merge | Title::RunMarker | Title::Autosquash => {}
    }
    let claims = matches!(message.title, Title::Task(_) | Title::Phase(_));
    let bare = message.ours.is_empty() && !may_be_ours_below(findings.source());
    if claims && bare {
        let what = "this commit counts for no task: it has no trailers".to_owned();
        let help = format!(
            "add the trailers ({} lists them), or begin the subject with another word; `git config arborist.hook.level.A005 \
             off` allows it here",
            advice::explain("A018")
        );
        findings.at(Rule::NoTrailers, subject, what, help);
    }
}

/// Checks that a step belongs to what the subject names.
fn check_owner(message: &Message<'_>, owner: Owner, findings: &mut Collector<'_>) {
    let misplaced = message.step().is_none_or(|step| step.row().owner != owner);
    let Some(step) = message.find(TrailerKey::Step).filter(|_| misplaced) else { return };
    let (what, help) = match owner {
        Owner::Task if message.step().is_none() => return,
        Owner::Task => (
            format!("the step `{}` belongs to a phase, and the subject names a task", quoted(&step.value)),
            "write `phase(ID): ...`",
        ),
        Owner::Phase => (
            format!("a phase has only the steps {}, not `{}`", steps_of_phases(), quoted(&step.value)),
            "write `Arborist-Step: phase-complete`, or `task(ID): ...`",
        ),
    };
    findings.at(Rule::PhaseMismatch, step.value_bytes(), what, help.to_owned());
}

/// Checks that a trailer names the same task or phase as the subject.
fn check_name(message: &Message<'_>, id: &str, key: TrailerKey, findings: &mut Collector<'_>) {
    let Some(trailer) = message.find(key).filter(|trailer| trailer.text() != id) else { return };
    let (name, named) = (key.name(), quoted(&trailer.value));
    let what = format!("the subject names {id}, and `{name}` {named}, so this step counts for neither");
    findings.at(
        Rule::PhaseMismatch,
        trailer.value_bytes(),
        what,
        format!("remove the trailer, or write `{name}: {id}`"),
    );
}

fn steps_of_phases() -> String {
    let steps = Step::all().filter(|step| step.row().owner == Owner::Phase);
    steps.map(|step| format!("`{}`", step.word())).collect::<Vec<_>>().join(" and ")
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
