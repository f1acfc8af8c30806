//! Checks what keeps the first run of a repository from going well although everything is set: a program of the tests that is
//! missing, an agent that is not logged in, a hook that refuses the messages of steps, and files of tools that git would see.

use crate::agents::{Agent, CommandCheck, LoginSign, Lookup, Missing, RunnerChain, check_command};
use crate::config::{Environment, Setting};
use crate::git::Git;
use crate::record::Role;
use crate::report::Diagnosis;
use crate::session::Session;
use crate::setup::commit_hook::{HookAnswer, answer_for_landed, answer_of_hook};
use crate::setup::ignore::missing_lines;
use crate::text::advice;

/// Where programs are looked up.
#[derive(Clone, Copy)]
pub(crate) struct ProgramLookup<'a> {
    pub(crate) session: &'a Session,
    pub(crate) environment: &'a Environment,
    pub(crate) lookup: &'a Lookup,
}

impl ProgramLookup<'_> {
    /// Whether the program of the command that runs all tests is there.
    pub(crate) fn suite_program(&self, suite: &str) -> Diagnosis {
        let check = check_command(suite, self.environment, self.lookup);
        let CommandCheck::Missing(Missing::NotOnPath(program)) = check else {
            return Diagnosis::good("suite", &format!("`{suite}`"));
        };
        let words = format!("`{suite}` cannot run, because no program {program} is on PATH");
        match self.session.config.optional(Setting::WorktreeSetup) {
            None => Diagnosis::bad(
                "suite",
                &words,
                "Install it, for example in the environment from which you start runs, or set another command: \
                 `git config arborist.suite COMMAND`.",
            ),
            Some(_) => Diagnosis::note(
                "suite",
                &words,
                "If `arborist.worktree.setup` installs it, put its folder before the command, as in `.venv/bin/pytest`.",
            ),
        }
    }

    /// Whether there is a sign of a login of the agent that implements; nothing if there is.
    pub(crate) fn login(&self) -> Option<Diagnosis> {
        // Another check reports a runner that cannot be found.
        let chain = RunnerChain::choose(&self.session.config, self.lookup, Role::Implementer).ok()?;
        let name = chain.iter().next()?.known_agent()?.to_owned();
        let agent = Agent::named(&name)?;
        let sign = agent.login_sign(self.environment)?;
        matches!(sign, LoginSign::Nothing { .. }).then(|| {
            let remedy = format!(
                "To log in, {}. {doctor_probe} asks it.",
                agent.login.advice,
                doctor_probe = advice::doctor_probe()
            );
            Diagnosis::note("login", &format!("there is no sign that {name} is logged in"), &remedy)
        })
    }
}

/// What to say of a suite that has failed like this; `has_no_test` says that it has found no test.
pub(crate) fn red_suite(seen: &str, has_no_test: bool) -> Diagnosis {
    const NAME: &str = "suite";
    if has_no_test {
        return Diagnosis::good(NAME, "No test exists yet, which is normal for a new project");
    }
    let words = format!("the tests fail before any work has begun: {}", seen.trim_end_matches('.'));
    let remedy =
        "Repair them first: a run cannot tell whose fault it is, and agents will see the same failures.";
    Diagnosis::note(NAME, &words, remedy)
}

/// Whether the hook for messages accepts those of steps; nothing if it does. This runs the hook.
pub(crate) fn messages(session: &Session) -> Option<Diagnosis> {
    const NAME: &str = "messages";
    match answer_of_hook(session) {
        HookAnswer::Accepts => None,
        HookAnswer::AcceptsAs(form) => Some(Diagnosis::bad(
            NAME,
            &format!("a hook for messages refuses those of steps, and accepts `{form}`"),
            &format!("`git config arborist.subject '{form}'` chooses that form."),
        )),
        HookAnswer::Refuses => Some(Diagnosis::bad(
            NAME,
            "a hook for messages refuses those of steps, also as Conventional Commits",
            "Run `git hook run commit-msg -- FILE` on a message to see why, and let it pass subjects of the form in \
             `arborist.subject`.",
        )),
    }
}

/// Whether the hook for messages accepts those of landed commits; nothing if it does. This runs the hook.
pub(crate) fn landed_messages(session: &Session) -> Option<Diagnosis> {
    let advice = match answer_for_landed(session) {
        HookAnswer::Accepts => return None,
        HookAnswer::AcceptsAs(template) => {
            format!("`git config arborist.land.template {template}` writes them in a form that it accepts.")
        }
        HookAnswer::Refuses => format!(
            "`arborist.land.template` says how they are written; {} explains it.",
            advice::help("config")
        ),
    };
    let words = "a hook for messages refuses those of landed commits, and a forge may do the same";
    Some(Diagnosis::note("landed", words, &advice))
}

/// Whether `.gitignore` hides what the tools of the repository make; nothing if it does.
pub(crate) fn ignored(session: &Session, git: &Git) -> Option<Diagnosis> {
    let lines = missing_lines(git, &session.work_tree.top);
    (!lines.is_empty()).then(|| {
        let words = format!(".gitignore does not hide {}", lines.join(" "));
        Diagnosis::note("ignore", &words, &format!("{} adds these lines.", advice::init_yes()))
    })
}
