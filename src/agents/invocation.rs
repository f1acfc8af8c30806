//! How a runner is started: its program, its arguments and its variables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::agent::{Agent, PromptBy, SchemaBy};
use super::runner::{Program, Runner};
use super::schema::{AnswerSchema, REVIEW_POLICY};
use super::session::PastSession;
use crate::record::{Cost, Role};

/// A program and its arguments, ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The absolute path.
    pub program: PathBuf,
    /// The arguments. They do not include the prompt, so that it does not show up in the process list.
    pub args: Vec<OsString>,
    /// Variables that the program gets besides those that it inherits.
    pub env: Vec<(&'static str, &'static str)>,
    /// Whether the program reads its prompt from standard input.
    pub takes_stdin: bool,
}

/// What differs from call to call of a runner.
#[derive(Clone, Copy)]
pub(super) struct CallOptions<'a> {
    pub(super) role: Role,
    pub(super) prompt_file: &'a Path,
    /// The session that it continues; `None` for a fresh one.
    pub(super) session: Option<&'a PastSession>,
    /// How much it may cost.
    pub(super) max_cost: Option<Cost>,
    /// The schema to which it is bound, if it can be.
    pub(super) schema: Option<&'static AnswerSchema>,
}

impl Runner {
    /// The program to start for a role, with its prompt in this file. An agent that reviews is started in a mode in which it
    /// can only read, if it has one.
    #[must_use]
    pub fn invocation(&self, role: Role, prompt_file: &Path) -> Invocation {
        let schema = (role == Role::Reviewer).then(|| AnswerSchema::of(role));
        self.invocation_with(CallOptions { role, prompt_file, session: None, max_cost: None, schema })
    }

    /// The same with all that differs from call to call.
    pub(super) fn invocation_with(&self, options: CallOptions<'_>) -> Invocation {
        let (agent, path) = match &self.program {
            Program::Command { shell, command, .. } => {
                let args = vec!["-c".into(), command.into()];
                return Invocation { program: shell.clone(), args, env: Vec::new(), takes_stdin: true };
            }
            Program::Agent(agent, path) => (agent, path),
        };
        let of_review = if options.role == Role::Reviewer { agent.review_env } else { &[] };
        let is_unset = |(name, _): &&(&str, &str)| !self.lookup.environment.has(name);
        let env = agent.env.iter().chain(of_review).filter(is_unset).copied().collect();
        let takes_stdin = agent.prompt == PromptBy::Stdin;
        Invocation { program: path.clone(), args: self.arguments(agent, options), env, takes_stdin }
    }

    fn arguments(&self, agent: &Agent, options: CallOptions<'_>) -> Vec<OsString> {
        let CallOptions { role, prompt_file, session, max_cost, schema } = options;
        let of_role = if role == Role::Reviewer { agent.review } else { agent.implement };
        let mut args: Vec<OsString> = agent.always.iter().chain(of_role).map(Into::into).collect();
        let beside = |arg: &&'static str| match *arg == REVIEW_POLICY.file {
            true => prompt_file.with_file_name(arg).into_os_string(),
            false => OsString::from(arg),
        };
        args.extend(self.asked(agent, role).flatten().map(beside));
        if let (Some(option), Some(model)) = (agent.model, &self.model) {
            args.extend([option.into(), model.into()]);
        }
        if let (Some((option, before)), Some(effort)) = (agent.effort, &self.effort) {
            args.extend([option.into(), format!("{before}{effort}").into()]);
        }
        if let (Some(option), Some(cost)) = (agent.max_cost, max_cost) {
            args.extend([option.into(), cost.to_string().into()]);
        }
        match (schema.and_then(|_| self.schema()), schema) {
            (Some(SchemaBy::Text(option)), Some(schema)) => args.extend([option.into(), schema.text.into()]),
            (Some(SchemaBy::File(option)), Some(schema)) => {
                args.extend([option.into(), prompt_file.with_file_name(schema.file).into()]);
            }
            _ => {}
        }
        // The session is a command of its own for some agents, and takes no options of the command above it.
        let session = session.and_then(|session| session.arguments(agent));
        args.extend(session.into_iter().flatten().map(OsString::from));
        match agent.prompt {
            PromptBy::Stdin => {}
            PromptBy::File(option) => args.extend([option.into(), prompt_file.into()]),
            PromptBy::Mention(option) => {
                let mut words = OsString::from("Your task is in the file ");
                words.push(prompt_file);
                words.push(". Read all of it first, then do what it says.");
                args.extend([option.into(), words]);
            }
        }
        args.extend(agent.last.iter().map(OsString::from));
        args
    }

    /// The groups of arguments that depend on what the help of the program lists.
    fn asked(&self, agent: &Agent, role: Role) -> impl Iterator<Item = &'static [&'static str]> {
        let (all, may) = match role {
            Role::Reviewer => (agent.review_asked, true),
            _ => (agent.implement_asked, !self.bypasses),
        };
        all.iter().map(move |asked| match may && asked.args.first().is_some_and(|first| self.lists(first)) {
            true => asked.args,
            false => asked.otherwise,
        })
    }

    /// The command line as `--dry-run` shows it.
    #[must_use]
    pub fn command_line(&self, role: Role) -> String {
        match &self.program {
            Program::Command { command, .. } => command.clone(),
            Program::Agent(agent, _) => {
                let Invocation { args, .. } = self.invocation(role, Path::new("PROMPT_FILE"));
                let args = args.iter().map(|arg| match arg.to_string_lossy() {
                    schema if schema == AnswerSchema::of(Role::Reviewer).text => "REVIEW_SCHEMA".into(),
                    arg => arg,
                });
                std::iter::once(agent.program.into()).chain(args).collect::<Vec<_>>().join(" ")
            }
        }
    }
}
