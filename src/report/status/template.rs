//! Prints a line for each task in a form that the user chooses.

use super::StatusView;
use crate::plan::{NodeIx, Readiness};
use crate::record::{By, CommitId, Cost, StepCommit};
use crate::report::text::{ago, rfc3339};

/// A template for a task, such as `%(id) %(state)`.
#[derive(Clone, Debug)]
pub struct Template {
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
enum Part {
    Text(String),
    Field(&'static Placeholder),
}

/// Why a template cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplateError {
    /// There is no placeholder with this name.
    Unknown(String),
    /// What begins with this percent sign is none of the forms.
    Malformed(String),
}

/// A name between `%(` and `)`.
#[derive(Debug)]
pub struct Placeholder {
    /// The name.
    pub name: &'static str,
    /// What it stands for.
    pub about: &'static str,
    /// Whether the history must be read for it.
    is_effort: bool,
    value: fn(&TemplateTask<'_>) -> String,
}

/// A task in a plan.
struct TemplateTask<'v> {
    view: &'v StatusView<'v>,
    leaf: NodeIx,
}

macro_rules! placeholders {
    ($($name:literal $about:literal $is_effort:literal $value:expr;)+) => {
        &[$(Placeholder { name: $name, about: $about, is_effort: $is_effort, value: $value }),+]
    };
}

/// All of them, in the order in which the documentation lists them. What is not known is empty.
pub const PLACEHOLDERS: &[Placeholder] = placeholders![
    "id" "the id of the task" false |task| task.id(task.leaf);
    "name" "its name" false |task| task.view.plan_view.tree.node(task.leaf).name.clone();
    "phase" "the id of its phase" false |task| task.id(task.view.plan_view.tree.phase_of(task.leaf));
    "state" "`pending`, `implementing`, `testing`, `reviewing`, `asked`, `complete`, `failed` or `skipped`: what its commits say" false
        |task| task.view.plan_view.state(task.leaf).word().to_owned();
    "readiness" "`ready`, `waiting`, `blocked`, `held` (for your approval), `asked` (for your answer), `done` or `failed`" false |task| task.readiness().to_owned();
    "running" "the step that is running now" false |task| task.running();
    "next" "the step that comes next, such as `implement 2/5`" false
        |task| task.view.plan_view.next_words(task.leaf).unwrap_or_default();
    "step" "its latest step" false |task| task.of_step(|step| step.record.step.word().to_owned());
    "outcome" "how that step ended" false |task| task.of_step(|step| step.record.outcome.word(step.record.step).to_owned());
    "attempt" "the attempt of the step that is running, or of the latest one, from 1" false |task| task.attempt();
    "max-attempts" "how many attempts it has" false |task| task.view.plan_view.max_attempts(task.leaf).to_string();
    "by" "whose work or decision the latest step is: `run`, `user` or `reviewer`" false
        |task| task.of_step(|step| match step.record.by {
            By::Run => "run".to_owned(),
            By::User => By::USER.to_owned(),
            By::Reviewer => By::REVIEWER.to_owned(),
        });
    "commit" "the commit of the latest step" false |task| task.commit(CommitId::to_string);
    "commit:short" "the same in seven digits" false |task| task.commit(CommitId::short);
    "time" "the time of that commit, such as `2026-11-20T22:14:05+00:00`" false
        |task| task.of_step(|step| rfc3339(step.time).unwrap_or_default());
    "age" "the same as `3 min ago`" false |task| task.of_step(|step| ago(task.view.plan_view.now, step.time));
    "waits-for" "the ids of the first open tasks that it depends on" false
        |task| task.ids(&task.view.plan_view.readiness.waits_for(task.leaf));
    "blocked-by" "the ids of the failed tasks that block it" false |task| task.view.plan_view.blocked_by(task.leaf).join(" ");
    "depends-on" "the ids of its dependencies in the plan" false
        |task| task.ids(&task.view.plan_view.tree.node(task.leaf).depends_on);
    "branch" "the branch of its own on which it is worked on, as long as that is not merged" false
        |task| task.view.plan_view.task_branch(task.leaf).map(|branch| branch.name.clone()).unwrap_or_default();
    "slot" "the slot in which it is worked on now" false
        |task| task.view.plan_view.running_step(task.leaf).and_then(|step| step.slot).map(|slot| slot.to_string()).unwrap_or_default();
    "claimant" "who has claimed it" false |task| task.view.plan_view.claimant(task.leaf).unwrap_or_default().to_owned();
    "remark" "the remark in parentheses after the task" false |task| task.view.plan_view.remark(task.leaf);
    "attempts" "how many attempts were begun" true |task| task.view.effort_of(task.leaf).attempts.to_string();
    "duration" "for how many seconds agents and tests have worked on it" true
        |task| task.view.effort_of(task.leaf).document().duration.map(|seconds| seconds.to_string()).unwrap_or_default();
    "tokens" "the tokens that agents have read and written, as far as they are known" true |task| task.tokens();
    "cost" "what that has cost in US dollars, as far as it is known" true |task| task.cost();
];

impl Placeholder {
    fn find(name: &str) -> Option<&'static Self> {
        PLACEHOLDERS.iter().find(|placeholder| placeholder.name == name)
    }
}

impl Template {
    /// Reads a template. `%%` is a percent sign, `%n` a line end, and `%x00` the character with this number, in
    /// hexadecimal digits.
    ///
    /// # Errors
    /// If it contains a percent sign that means nothing.
    pub fn parse(text: &str) -> Result<Self, TemplateError> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('%') {
            plain.push_str(before);
            let malformed =
                || TemplateError::Malformed(format!("%{}", after.chars().take(3).collect::<String>()));
            if let Some(name) = after.strip_prefix('(') {
                let (name, after) = name.split_once(')').ok_or_else(malformed)?;
                let field = Placeholder::find(name).ok_or_else(|| TemplateError::Unknown(name.to_owned()))?;
                parts.push(Part::Text(std::mem::take(&mut plain)));
                parts.push(Part::Field(field));
                rest = after;
            } else if let Some(digits) = after.strip_prefix('x') {
                let digits = digits.get(..2).ok_or_else(malformed)?;
                let number =
                    u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii).ok_or_else(malformed)?;
                plain.push(char::from(number));
                rest = &after[3..];
            } else {
                plain.push(match after.chars().next() {
                    Some('%') => '%',
                    Some('n') => '\n',
                    _ => return Err(malformed()),
                });
                rest = &after[1..];
            }
        }
        plain.push_str(rest);
        parts.push(Part::Text(plain));
        Ok(Self { parts })
    }

    /// Whether the history must be read for it.
    #[must_use]
    pub fn needs_effort(&self) -> bool {
        self.parts.iter().any(|part| matches!(part, Part::Field(field) if field.is_effort))
    }
}

impl StatusView<'_> {
    /// Each of these tasks in this form, with `end` after it.
    #[must_use]
    pub fn formatted(&self, template: &Template, tasks: &[NodeIx], end: char) -> String {
        let mut text = String::new();
        for leaf in tasks {
            let task = TemplateTask { view: self, leaf: *leaf };
            for part in &template.parts {
                match part {
                    Part::Text(plain) => text.push_str(plain),
                    Part::Field(field) => text.push_str(&(field.value)(&task)),
                }
            }
            text.push(end);
        }
        text
    }
}

impl TemplateTask<'_> {
    fn id(&self, ix: NodeIx) -> String {
        self.view.plan_view.id(ix).to_owned()
    }

    fn ids(&self, nodes: &[NodeIx]) -> String {
        self.view.plan_view.ids(nodes).join(" ")
    }

    fn of_step(&self, value: impl Fn(&StepCommit) -> String) -> String {
        self.view.plan_view.step(self.leaf).map(value).unwrap_or_default()
    }

    fn commit(&self, shown: impl Fn(&CommitId) -> String) -> String {
        self.of_step(|step| shown(&step.id))
    }

    fn readiness(&self) -> &'static str {
        match self.view.plan_view.readiness.of(self.leaf) {
            Readiness::Done => "done",
            Readiness::Failed => "failed",
            Readiness::Blocked => "blocked",
            Readiness::Waiting => "waiting",
            Readiness::Held => "held",
            Readiness::Asked => "asked",
            Readiness::Ready => "ready",
        }
    }

    fn running(&self) -> String {
        let running = self.view.plan_view.running_step(self.leaf);
        running.map(|running| running.step.word().to_owned()).unwrap_or_default()
    }

    fn attempt(&self) -> String {
        let running = self.view.plan_view.running_step(self.leaf).and_then(|running| running.attempt);
        let latest = self.view.plan_view.step(self.leaf).map(|step| step.record);
        let latest = latest.filter(|record| record.step.is_part_of_an_attempt()).map(|record| record.attempt);
        let number = running.map(|attempt| attempt.number).or(latest);
        number.map(|number| number.saturating_add(1).to_string()).unwrap_or_default()
    }

    fn tokens(&self) -> String {
        let usage = self.view.effort_of(self.leaf).usage;
        if usage.with_tokens == 0 { String::new() } else { usage.known_tokens().to_string() }
    }

    fn cost(&self) -> String {
        self.view.effort_of(self.leaf).usage.cost.as_ref().map(Cost::to_string).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_escapes_are_read_and_everything_else_is_refused() {
        let template = Template::parse("a%(id)%%%n%x41%x00b").unwrap();
        let parts: Vec<String> = template
            .parts
            .iter()
            .map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Field(field) => format!("<{}>", field.name),
            })
            .collect();
        assert_eq!(parts, ["a", "<id>", "%\nA\0b"]);
        assert!(Template::parse("").is_ok());
        assert_eq!(Template::parse("%(foo)").unwrap_err(), TemplateError::Unknown("foo".to_owned()));
        for text in ["%", "%(id", "%q", "%x", "%x0", "%xzz", "%xff", "%é", "%xé"] {
            assert!(matches!(Template::parse(text), Err(TemplateError::Malformed(_))), "{text}");
        }
    }

    #[test]
    fn only_what_the_commits_have_cost_needs_the_history() {
        assert!(Template::parse("%(id) %(cost)").unwrap().needs_effort());
        assert!(!Template::parse("%(id) %(commit:short)").unwrap().needs_effort());
    }
}
