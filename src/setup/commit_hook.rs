//! Finds out whether the hook for commit messages lets the subjects of steps through, before a run pays an agent.

use crate::config::Setting;
use crate::engine::refusal_of_steps;
use crate::publish::MessageRules;
use crate::record::SubjectForm;
use crate::session::Session;

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

/// Tries the hook. What cannot be tried is accepted.
pub(crate) fn answer_of_hook(session: &Session) -> HookAnswer {
    let accepts = |form: &SubjectForm| {
        refusal_of_steps(&session.git, &session.work_tree, form).is_ok_and(|refusal| refusal.is_none())
    };
    let own = accepts(&session.config.subject_form());
    HookAnswer::of(own, SubjectForm::CONVENTIONAL, || accepts(&SubjectForm::conventional()))
}

/// Tries the hook with the message of a landed commit.
pub(crate) fn answer_for_landed(session: &Session) -> HookAnswer {
    let config = &session.config;
    let accepts = |template: &str| {
        let rules = MessageRules {
            template: template.to_owned(),
            kind: config.text(Setting::LandType),
            scope: config.optional(Setting::LandScope).unwrap_or_else(|| session.folder_name()),
            plan: None,
            sign_off: None,
        };
        let message = format!("{}\n\n1 test passes.\n", rules.title("T000", NAME, "P000"));
        session.git.try_message(&session.work_tree.git_dir, &message).is_ok_and(|refusal| refusal.is_none())
    };
    let own = accepts(&config.text(Setting::LandTemplate));
    HookAnswer::of(own, CONVENTIONAL_LANDED, || accepts(CONVENTIONAL_LANDED))
}
