//! Checks what keeps the first run of a repository from going well although everything is set: a program of the tests that is
//! missing, an agent that is not logged in, a hook that refuses the messages of steps, and files of tools that git would see.

use std::time::Duration;

use crate::agents::{Agent, CommandCheck, LoginSign, Lookup, Missing, RunnerChain, check_command};
use crate::config::{Environment, Setting};
use crate::engine::try_messages;
use crate::git::Git;
use crate::record::Role;
use crate::report::Diagnosis;
use crate::session::Session;
use crate::setup::commit_hook::HookAnswer;
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

/// What a trial of the command that runs all tests has shown.
#[derive(Clone, Debug)]
pub(crate) struct SuiteTrial {
    pub(crate) command: String,
    /// How it failed; `None` if it passed.
    pub(crate) failure: Option<String>,
    /// How many tests ran, if that could be read.
    pub(crate) tests: Option<u32>,
    pub(crate) duration: Duration,
    /// A test file of the commit, if it has one.
    pub(crate) test_file: Option<String>,
}

impl SuiteTrial {
    /// Whether it looked in the wrong place: it found no test although there are test files.
    pub(crate) fn misses_tests(&self) -> bool {
        self.tests == Some(0) && self.test_file.is_some()
    }

    /// What is said about it.
    pub(crate) fn diagnosis(&self) -> Diagnosis {
        const NAME: &str = "suite";
        let Self { command, failure, tests, duration, test_file } = self;
        match (tests, test_file, failure) {
            (Some(0), Some(file), _) => Diagnosis::bad(
                NAME,
                &format!("`{command}` finds no test, although there are test files such as {file}"),
                "Another command is needed: `git config arborist.suite COMMAND`.",
            ),
            (Some(0), None, _) => {
                Diagnosis::good(NAME, "No test exists yet, which is normal for a new project")
            }
            (_, _, Some(failure)) => red_suite(failure),
            (Some(tests), _, None) => {
                let ran = format!("{} in {}", counted_tests(*tests), crate::text::duration(*duration));
                Diagnosis::good(NAME, &format!("`{command}` passes: {ran}"))
            }
            (None, _, None) => {
                let took = crate::text::duration(*duration);
                let words = format!("`{command}` passes after {took}; how many tests ran cannot be read");
                Diagnosis::good(NAME, &words)
            }
        }
    }
}

fn counted_tests(tests: u32) -> String {
    format!("{tests} test{}", if tests == 1 { "" } else { "s" })
}

/// What to say of a suite that has failed like this.
fn red_suite(seen: &str) -> Diagnosis {
    const NAME: &str = "suite";
    let words = format!("the tests fail before any work has begun: {}", seen.trim_end_matches('.'));
    let remedy =
        "Repair them first: a run cannot tell whose fault it is, and agents will see the same failures.";
    Diagnosis::note(NAME, &words, remedy)
}

/// Whether the hooks for messages accept those of steps; nothing if they do. This runs the hooks.
pub(crate) fn messages(session: &Session) -> Option<Diagnosis> {
    let Session { git, work_tree, config, .. } = session;
    let refused = try_messages(git, work_tree, &config.subject_form()).err()?;
    Some(Diagnosis::of("messages", Err(refused)))
}

/// The same for what it says of those of landed commits.
pub(crate) fn landed_messages(answer: HookAnswer) -> Option<Diagnosis> {
    let advice = match answer {
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
