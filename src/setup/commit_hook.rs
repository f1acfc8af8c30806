//! Finds out whether the hook for commit messages lets the subjects of steps through, before a run pays an agent.

use std::ffi::OsString;
use std::num::NonZeroU32;

use crate::config::Setting;
use crate::git::Git;
use crate::publish::{LandTrailers, MessageRules};
use crate::record::{Attempt, Block, Outcome, Step, StepMessage, SubjectForm, TaskId, TaskRef};
use crate::session::Session;

/// The form that hooks of commitlint accept as they are usually set up.
const CONVENTIONAL: &str = "chore({id}): {summary}";

/// The template of landed commits that they accept.
const CONVENTIONAL_LANDED: &str = "conventional";

/// The name of a task that is in no plan.
const NAME: &str = "Try the hook that checks the messages of commits";

/// What the hook says of messages of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HookAnswer {
    /// They are let through, or there is no hook.
    Accepts,
    /// It refuses ours, and accepts those of this form.
    AcceptsAs(&'static str),
    /// It refuses both.
    Refuses,
}

impl HookAnswer {
    /// The answer of a hook that accepts our own messages, or else those of this form, or neither.
    fn of(accepts_own: bool, form: &'static str, accepts_form: impl FnOnce() -> bool) -> Self {
        match accepts_own {
            true => Self::Accepts,
            false if accepts_form() => Self::AcceptsAs(form),
            false => Self::Refuses,
        }
    }
}

/// Tries the hook.
pub(crate) fn answer_of_hook(session: &Session) -> HookAnswer {
    let trial = HookTrial::of(session);
    let conventional = SubjectForm::parse(CONVENTIONAL).expect("it has an id and ends in the summary");
    HookAnswer::of(trial.passes(&session.config.subject_form()), CONVENTIONAL, || trial.passes(&conventional))
}

/// Tries the hook with the message of a landed commit. git runs no hook for those, but a forge may check them.
pub(crate) fn answer_for_landed(session: &Session) -> HookAnswer {
    let config = &session.config;
    let trial = HookTrial::of(session);
    let accepts = |template: &str| {
        let rules = MessageRules {
            template: template.to_owned(),
            trailers: LandTrailers::Run,
            kind: config.text(Setting::LandType),
            scope: config.optional(Setting::LandScope).unwrap_or_else(|| session.folder_name()),
            plan: None,
        };
        let accepted = trial.accepts(&format!("{}\n\n1 test passes.\n", rules.title("T000", NAME, "P000")));
        trial.clean_up();
        accepted
    };
    let own = accepts(&config.text(Setting::LandTemplate));
    HookAnswer::of(own, CONVENTIONAL_LANDED, || accepts(CONVENTIONAL_LANDED))
}

/// A trial of the hook with a file of its own.
struct HookTrial<'a> {
    git: &'a Git,
    file: std::path::PathBuf,
}

impl<'a> HookTrial<'a> {
    fn of(session: &'a Session) -> Self {
        Self { git: &session.git, file: session.work_tree.git_dir.join("ARBORIST_TRIAL_MSG") }
    }

    /// Whether the hook accepts all messages in this form.
    fn passes(&self, form: &SubjectForm) -> bool {
        let passed = messages().into_iter().all(|message| self.accepts(&message.in_form(form).text()));
        self.clean_up();
        passed
    }

    /// Removes the file. It is ours alone, and git never reads it again.
    fn clean_up(&self) {
        _ = std::fs::remove_file(&self.file);
    }

    /// Whether the hook accepts a message. What cannot be tried is accepted.
    fn accepts(&self, text: &str) -> bool {
        if std::fs::write(&self.file, text).is_err() {
            return true;
        }
        let mut args: Vec<OsString> =
            ["hook", "run", "--ignore-missing", "commit-msg", "--"].map(OsString::from).into();
        args.push(self.file.clone().into());
        self.git.call(args).is_ok_and(|output| output.status.success())
    }
}

/// One message of each kind that a hook may find too long or unknown: a failed step with a long output, a note, and the marker of
/// a phase.
fn messages() -> [StepMessage; 3] {
    // No plan has these, as far as possible: our own hook refuses a phase that is a task of the plan.
    let [id, phase] = ["T000", "P000"].map(|id| TaskId::parse(id).expect("this is an id"));
    let task = TaskRef { id: &id, name: NAME };
    let attempt = Attempt::new(0, NonZeroU32::MIN);
    let output = "This output of a program is longer than a line of a message may be. ".repeat(4);
    let failed = StepMessage::new(Step::IMPLEMENT, task, attempt, Outcome::Fail);
    [
        failed.with_block(&Block::of_runner(output.into_bytes())),
        StepMessage::new(Step::NOTE, task, attempt, Outcome::Pass).with_sentence("Only a trial."),
        StepMessage::new(Step::PHASE_COMPLETE, TaskRef { id: &phase, ..task }, attempt, Outcome::Pass),
    ]
}
