//! What is known about an agent program: how to start it, what it prints, and what it needs.

use super::protocol::Protocol;

/// An agent program that is known by name: a row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Agent {
    /// Its name in settings and trailers.
    pub name: &'static str,
    /// The name of its program on PATH.
    pub program: &'static str,
    /// Whether it is used if none is configured. An agent whose program has a name that other programs have too is not.
    pub is_default: bool,
    /// How it reports what it does.
    pub(super) protocol: Protocol,
    /// The arguments of every call.
    pub(super) always: &'static [&'static str],
    /// The arguments that let it change files without asking.
    pub(super) implement: &'static [&'static str],
    /// The arguments that let it only read, as far as it has any.
    pub(super) review: &'static [&'static str],
    /// Further arguments for work that depend on its version.
    pub(super) implement_asked: &'static [Asked],
    /// The same for reviews: they keep what the author of a change may have written outside of the repository from the reviewer.
    pub(super) review_asked: &'static [Asked],
    /// The option that chooses a model; `None` if it has none.
    pub(super) model: Option<&'static str>,
    /// The option that says how much its model is to think, and what stands before the value; `None` if it has none.
    pub(super) effort: Option<(&'static str, &'static str)>,
    /// The option that says how many US dollars a call may cost; `None` if it has none.
    pub(super) max_cost: Option<&'static str>,
    /// The arguments that must come last.
    pub(super) last: &'static [&'static str],
    /// How it takes its prompt.
    pub(super) prompt: PromptBy,
    /// Variables that it gets unless the user has set them.
    pub(super) env: &'static [(&'static str, &'static str)],
    /// Further ones that it gets when it reviews.
    pub(super) review_env: &'static [(&'static str, &'static str)],
    /// Where it keeps its state.
    pub(super) state: StatePlace,
    /// The files and folders from the home folder from which it takes instructions or programs when it reviews, and which no option
    /// keeps from it. It writes none of them by itself.
    pub(super) watched: &'static [&'static str],
    /// The names of the files that it leaves at the top of the work tree for itself. They are not part of the work.
    pub(super) leaves: &'static [&'static str],
    /// The instructions for agents of any vendor that it reads by itself, at the top of the work tree.
    pub(super) reads: &'static [&'static str],
    /// Whether it works without asking for permission as root.
    pub works_as_root: bool,
    /// The command that installs its newest version.
    pub install: &'static str,
    /// The version with which the table was last tried; empty if it was not. One that is much older is far behind.
    pub tried: &'static str,
    /// How a person logs it in, and what shows that it is logged in.
    pub login: Login,
    /// How it is bound to the schema of an answer; `None` if it cannot be.
    pub(super) schema: Option<SchemaBy>,
    /// How it continues a session; `None` if it cannot.
    pub(super) resume: Option<Resume>,
    /// The arguments with which it lists its options.
    pub help: &'static [&'static str],
}

impl Agent {
    /// What most agents have in common. A row of the table says what differs.
    pub(super) const USUAL: Self = Self {
        name: "",
        program: "",
        is_default: false,
        protocol: Protocol::Text,
        always: &[],
        implement: &[],
        review: &[],
        implement_asked: &[],
        review_asked: &[],
        model: Some("--model"),
        effort: None,
        max_cost: None,
        last: &[],
        prompt: PromptBy::Stdin,
        env: &[],
        review_env: &[],
        state: StatePlace::of(&[]),
        watched: &[],
        leaves: &[],
        reads: &["AGENTS.md"],
        works_as_root: true,
        install: "",
        tried: "",
        login: Login { advice: "log in to it", variables: &[], files: &[] },
        schema: None,
        resume: None,
        help: &["--help"],
    };

    /// Whether it reports its work as a stream of events.
    #[must_use]
    pub fn reports_events(&self) -> bool {
        self.protocol != Protocol::Text
    }
}

/// Arguments that only some versions of a program take.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked {
    /// They are used if the help of the program lists the first of them.
    pub(super) args: &'static [&'static str],
    /// Those that are used otherwise.
    pub(super) otherwise: &'static [&'static str],
}

impl PartialEq for Agent {
    /// Agents are rows of one table, and their names differ.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Agent {}

/// How an agent takes its prompt. It is never an argument: those have a limit, and the list of processes shows them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PromptBy {
    /// From standard input.
    Stdin,
    /// From the file that this option names.
    File(&'static str),
    /// It takes a prompt only as an argument, after this option. The argument tells it to read a file.
    Mention(&'static str),
}

/// How an agent is bound to the JSON schema of its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SchemaBy {
    /// By the schema itself, after this option.
    Text(&'static str),
    /// By a file with the schema, after this option.
    File(&'static str),
}

/// Where an agent keeps its state: paths from the home folder.
#[derive(Clone, Copy, Debug)]
pub(super) struct StatePlace {
    /// The variable that moves its first folder; `None` if there is none.
    pub(super) variable: Option<&'static str>,
    pub(super) folders: &'static [&'static str],
    /// Files of it that are in none of them.
    pub(super) files: &'static [&'static str],
}

impl StatePlace {
    /// These folders alone, which nothing moves.
    pub(super) const fn of(folders: &'static [&'static str]) -> Self {
        Self { variable: None, folders, files: &[] }
    }
}

/// How an agent continues a session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Resume {
    /// The option or the word before the name of the session.
    pub(super) word: &'static str,
    /// Whether its counts of tokens and cost then include those of the calls before.
    pub(super) counts_again: bool,
}

/// How an agent is logged in, and what it usually has then.
#[derive(Clone, Copy, Debug)]
pub struct Login {
    /// What a person does: the middle part of "To log in, ..., then run the same command again".
    pub advice: &'static str,
    /// Variables with a key, the usual one first, or that choose a service which has another way to log in.
    pub variables: &'static [&'static str],
    /// Files in its first folder of state.
    pub(super) files: &'static [&'static str],
}
