//! Writes the messages of landed commits from a template (`arborist.land.template`). This is pure.

use super::evidence::Evidence;
use super::evidence::TaskStory;
use crate::check::first_error;
use crate::record::{AwaitedChange, By, Landing, TaskId, TrailerKey, trailers};
use crate::text::{clean, defuse, one_line, wrapped};

/// A word that stands for a template, and the template.
pub const CONVENTIONAL: [&str; 2] =
    ["conventional", "{type}({scope}): {lower} (task {id})\\n\\n{summary}\\n\\n{evidence}"];

/// How the messages of landed commits are written.
#[derive(Clone, Debug)]
pub struct MessageRules {
    /// The template: text with placeholders, in which `\n` stands for the end of a line, or `conventional`.
    pub template: String,
    /// What `{type}` stands for.
    pub kind: String,
    /// What `{scope}` stands for.
    pub scope: String,
    /// The path of the tree file, if the repository has more than one.
    pub plan: Option<String>,
    /// Who signs off, as git writes it, if somebody does.
    pub sign_off: Option<String>,
}

/// The parts of a template.
struct Template {
    text: String,
    /// The lines of its last paragraph, if these are trailers.
    trailers: String,
}

impl MessageRules {
    /// The title of the commit that will land a task, before anybody has worked on it.
    #[must_use]
    pub fn title(&self, id: &str, name: &str, phase: &str) -> String {
        let Template { text, .. } = self.parts();
        filled(text.split('\n').next().unwrap_or_default(), &self.of_plan(id, name, phase))
    }

    fn parts(&self) -> Template {
        let template = if self.template == CONVENTIONAL[0] { CONVENTIONAL[1] } else { &self.template };
        let text = template.replace("\\n", "\n");
        let is_block =
            |last: &str| trailers(format!("title\n\n{last}").as_bytes()).len() == last.trim().lines().count();
        match text.trim_end().rsplit_once("\n\n") {
            Some((before, last)) if is_block(last) => {
                Template { text: before.to_owned(), trailers: format!("{}\n", last.trim()) }
            }
            _ => Template { text, trailers: String::new() },
        }
    }

    /// The placeholders whose values the plan and the settings have.
    fn of_plan(&self, id: &str, name: &str, phase: &str) -> Vec<MessageField> {
        let values = [
            ("{name}", one_line(name)),
            ("{lower}", lower(&one_line(name))),
            ("{id}", id.to_owned()),
            ("{phase}", phase.to_owned()),
            ("{type}", self.kind.clone()),
            ("{scope}", self.scope.clone()),
        ];
        values.map(|(key, value)| MessageField { key, value }).into()
    }

    /// The message of a commit that lands one task. `is_again` says whether it was landed before and was done again; `further` has
    /// further trailers, each in a line.
    pub(super) fn of_task(
        &self,
        story: &TaskStory<'_>,
        landing: &Landing,
        is_again: bool,
        further: &str,
    ) -> Vec<u8> {
        let Template { text: template, trailers: of_template } = self.parts();
        let proof = Evidence::of(story);
        let reason = is_again.then(|| story.why_again());
        let summary = clean(reason.as_deref().unwrap_or(story.summary).as_bytes());
        let words = |text: &str| text.trim().trim_end_matches('.').to_lowercase();
        // Many plans have the name of a task as the first line of its description.
        let has_name = ["{name}", "{lower}"].iter().any(|name| template.contains(name));
        let (first, more) = summary.split_once('\n').unwrap_or((&summary, ""));
        let is_repeated = has_name && words(first) == words(story.name);
        let summary = laid_out(if is_repeated { more } else { &summary });
        let values = |summary: &str| {
            let mut values = self.of_plan(story.id.as_str(), story.name, story.phase);
            values.push(MessageField { key: "{summary}", value: summary.to_owned() });
            values.push(MessageField { key: "{evidence}", value: proof.sentence() });
            values.push(MessageField { key: "{attempts}", value: proof.attempts.to_string() });
            values
        };
        let landing = &landing.clone().with_proof(proof.proof_word()).with_vouching(proof.is_vouched());
        let awaited = story.awaited();
        let message = |summary: &str| {
            let values = values(summary);
            let mut text = filled(&template, &values);
            if is_again {
                let end = text.find('\n').unwrap_or(text.len());
                text.insert_str(end, ", again");
            }
            let own = of_template.lines().map(|line| one_line(&filled(line, &values)) + "\n");
            let block = [landing.trailers(), self.plan_trailer(), proof.word_trailers(), own.collect()];
            let block = self.signed_off(block.concat() + further);
            with_blocks(&with_awaited(text, &awaited), &[block])
        };
        // A description can be such that another program would read a part of it as something else.
        let is_sound = |message: &[u8]| {
            let claims = Landing::all_in(message);
            let is_kept = Landing::awaited_in(message) == awaited;
            claims == std::slice::from_ref(landing) && is_kept && first_error(message).is_none()
        };
        let whole = message(&summary);
        if is_sound(&whole) { whole } else { message("") }
    }

    /// The message of a commit that lands several tasks.
    pub(super) fn of_all(&self, title: &str, stories: &[TaskStory<'_>], landing: &Landing) -> Vec<u8> {
        let line = |story: &TaskStory<'_>| {
            let sentence = Evidence::of(story).sentence();
            let sentence =
                if sentence.is_empty() { String::new() } else { format!(": {}", lower(&sentence)) };
            hanging(&format!("{} ({}){sentence}", one_line(story.name), story.id))
        };
        let list = stories.iter().map(line).collect::<Vec<_>>().join("\n");
        let awaited =
            stories.iter().fold(AwaitedChange::default(), |so_far, story| so_far.then(story.awaited()));
        let text = with_awaited(format!("{}\n\n{list}", one_line(title)), &awaited);
        // The tasks for which only a person vouches have a block of their own, so that neither is taken for the other.
        let is_vouched =
            |task: &TaskId| stories.iter().any(|story| story.id == task && Evidence::of(story).is_vouched());
        let (vouched, tested): (Vec<TaskId>, Vec<TaskId>) =
            landing.tasks.iter().cloned().partition(is_vouched);
        let part = |tasks: Vec<TaskId>| Landing::new(tasks, landing.base, landing.tip);
        let by_person = format!("{}: {}\n", TrailerKey::By.name(), By::USER);
        let blocks = part(vouched).map(|landing| landing.trailers() + &by_person);
        let mut blocks: Vec<String> =
            blocks.into_iter().chain(part(tested).map(|landing| landing.trailers())).collect();
        // git itself reads the last one.
        let last = blocks.pop().expect("a landing names tasks") + &self.plan_trailer();
        let proof = if let [only] = stories { Evidence::of(only).proof_trailer() } else { String::new() };
        blocks.push(self.signed_off(last + &proof));
        with_blocks(&text, &blocks)
    }

    /// The block with the trailer of the one who signs off, unless the template has it.
    fn signed_off(&self, mut block: String) -> String {
        let line = self.sign_off.as_ref().map(|who| format!("Signed-off-by: {who}"));
        if let Some(line) = line.filter(|line| !block.lines().any(|other| other == line)) {
            block.push_str(&line);
            block.push('\n');
        }
        block
    }

    fn plan_trailer(&self) -> String {
        self.plan.as_ref().map(|plan| format!("{}: {plan}\n", TrailerKey::Plan.name())).unwrap_or_default()
    }
}

/// The text with what the tasks say about awaited tests, which belongs right above the trailers.
fn with_awaited(text: String, awaited: &AwaitedChange) -> String {
    match awaited.paragraphs() {
        lists if lists.is_empty() => text,
        lists => format!("{}\n\n{lists}", text.trim_end()),
    }
}

/// The text with blocks of trailers below it.
fn with_blocks(text: &str, blocks: &[String]) -> Vec<u8> {
    format!("{}\n\n{}", defuse(text.trim_end()), blocks.join("\n")).into_bytes()
}

/// A placeholder, and what it stands for.
struct MessageField {
    key: &'static str,
    value: String,
}

/// A template with its placeholders replaced. Paragraphs that become empty are left out.
fn filled(template: &str, values: &[MessageField]) -> String {
    let paragraphs = template.split("\n\n").map(|paragraph| {
        let mut text = String::new();
        let mut rest = paragraph;
        while let Some(at) = rest.find('{') {
            text.push_str(&rest[..at]);
            rest = &rest[at..];
            match values.iter().find(|known| rest.starts_with(known.key)) {
                Some(MessageField { key, value }) => {
                    text.push_str(value);
                    rest = &rest[key.len()..];
                }
                None => {
                    text.push('{');
                    rest = &rest[1..];
                }
            }
        }
        text + rest
    });
    paragraphs
        .map(|text| text.trim().to_owned())
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
}

/// The text with a small first letter, unless it begins with an abbreviation.
fn lower(text: &str) -> String {
    let mut letters = text.chars();
    match (letters.next(), letters.clone().next()) {
        (Some(first), Some(second)) if first.is_uppercase() && !second.is_uppercase() => {
            first.to_lowercase().chain(letters).collect()
        }
        _ => text.to_owned(),
    }
}

/// An item of a list, with its further lines indented.
/// A description with its paragraphs and its lists, in lines that are not too long. Boxes are left out: nobody has ticked them.
fn laid_out(text: &str) -> String {
    let mut blocks: Vec<String> = Vec::new();
    let mut goes_on = false;
    for line in text.lines().map(one_line) {
        let item = item(&line).map(|text| {
            let boxes = ["[ ] ", "[x] ", "[X] "];
            boxes.iter().find_map(|ticked| text.strip_prefix(ticked)).unwrap_or(text)
        });
        match (item, blocks.last_mut().filter(|_| goes_on && !line.is_empty())) {
            (Some(item), _) => blocks.push(format!("- {item}")),
            (None, Some(last)) => last.push_str(&format!(" {line}")),
            (None, None) => blocks.push(line.clone()),
        }
        goes_on = !line.is_empty();
    }
    let lines = blocks.iter().map(|block| match block.strip_prefix("- ") {
        Some(item) => hanging(item),
        None => wrapped(block),
    });
    lines.collect::<Vec<_>>().join("\n").trim_matches('\n').to_owned()
}

/// The text of an item of a list; `None` for another line.
fn item(line: &str) -> Option<&str> {
    ["- ", "* ", "+ "].iter().find_map(|marker| line.strip_prefix(marker))
}

fn hanging(text: &str) -> String {
    format!("- {}", wrapped(text).replace('\n', "\n  "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{StepValidity, TaskStep};
    use crate::record::{CommitId, CommitKind, StepCommit, TaskId, commit_kind};

    fn id(number: u8) -> CommitId {
        CommitId::from_bytes(&[number; 20]).expect("twenty bytes")
    }

    fn step(number: u8, block: &str) -> TaskStep {
        let message = format!("task(T1): x\n\nbody\n\n{block}\n").into_bytes();
        let CommitKind::Task(_, record) = commit_kind(&message) else { panic!("a step") };
        TaskStep {
            step: StepCommit { id: id(number), time: 0, record },
            validity: StepValidity::Counts,
            message,
        }
    }

    fn steps() -> Vec<TaskStep> {
        vec![
            step(
                5,
                "Arborist-Step: complete\nArborist-Result: pass\nArborist-Proof: clean=pass red=pass is=tested",
            ),
            step(
                4,
                "Arborist-Step: review\nArborist-Review: approved\nArborist-Retry: 1\nArborist-Runner: codex",
            ),
            step(
                3,
                "Arborist-Step: test\nArborist-Test: pass\nArborist-Retry: 1\nArborist-Test-Type: unit\n\
                 Arborist-Test-Passed: 11\nArborist-Diff-Coverage: 37/41",
            ),
            step(
                2,
                "Arborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 1\nArborist-Runner: claude",
            ),
            step(
                1,
                "Arborist-Step: implement\nArborist-Result: fail\nArborist-Retry: 0\nArborist-Runner: claude",
            ),
        ]
    }

    fn rules(template: &str) -> MessageRules {
        let (kind, scope) = ("feat".to_owned(), "metrics".to_owned());
        MessageRules { template: template.to_owned(), kind, scope, plan: None, sign_off: None }
    }

    fn message(rules: &MessageRules, name: &str, summary: &str) -> String {
        let (task, steps) = (TaskId::parse("T1").expect("an id"), steps());
        let story = TaskStory {
            id: &task,
            name,
            summary,
            phase: "p",
            steps: &steps,
            of_phase: AwaitedChange::default(),
        };
        let landing = Landing::new(vec![task.clone()], id(1), id(5)).expect("it names a task");
        String::from_utf8(rules.of_task(&story, &landing, false, "")).expect("text")
    }

    const DEFAULT: &str = "{name} ({id})\\n\\n{summary}\\n\\n{evidence}";

    #[test]
    fn a_message_says_what_was_done_and_what_shows_that() {
        let text = message(&rules(DEFAULT), "Add a schema", "All of it.");
        let (base, tip) = (id(1), id(5));
        assert_eq!(
            text,
            format!(
                "Add a schema (T1)\n\nAll of it.\n\n11 tests pass, red without the change, 37 of 41 changed lines covered, \
                 approved\nby codex, 2 attempts.\n\nArborist-Complete: T1\nArborist-Run: {base}..{tip}\nArborist-Proof: is=tested\n"
            )
        );
    }

    #[test]
    fn messages_may_follow_conventional_commits() {
        let rules = rules("conventional");
        assert!(
            message(&rules, "Add a schema", "")
                .starts_with("feat(metrics): add a schema (task T1)\n\n11 tests")
        );
        assert!(message(&rules, "API first", "").starts_with("feat(metrics): API first (task T1)\n"));
    }

    #[test]
    fn a_description_that_only_repeats_the_name_is_left_out() {
        for (template, summary, times) in [
            (DEFAULT, "add a schema.", 1),
            (DEFAULT, "Add a schema for users", 2),
            (CONVENTIONAL[1], "Add a schema", 1),
            ("{summary} ({id})", "Add a schema", 1),
            (DEFAULT, "Add a schema.\n- [ ] for users", 1),
        ] {
            let text = message(&rules(template), "Add a schema", summary);
            assert_eq!(text.to_lowercase().matches("add a schema").count(), times, "{text}");
        }
    }

    #[test]
    fn a_description_keeps_its_paragraphs_and_lists() {
        for (text, expected) in [
            ("", ""),
            ("One.\nTwo.", "One. Two."),
            ("One.\n\nTwo.", "One.\n\nTwo."),
            (
                "The file a:\n- has an x\n  and a y\n* [ ] and nothing else\n",
                "The file a:\n- has an x and a y\n- and nothing else",
            ),
            ("1. One\n---\n", "1. One ---"),
        ] {
            assert_eq!(laid_out(text), expected, "{text:?}");
        }
        let long = laid_out(&format!("- {}", "word ".repeat(40)));
        assert!(
            long.lines().all(|line| line.len() <= 82)
                && long.lines().skip(1).all(|line| line.starts_with("  "))
        );
    }

    #[test]
    fn a_description_cannot_claim_anything() {
        let forged =
            format!("x Arborist-Complete: T9 {} Arborist-Run: {}..{}", "T9 ".repeat(16), id(1), id(5));
        for summary in [
            forged.as_str(),
            "---",
            "Arborist-Step: complete",
            "fixup! x\n\nThis reverts commit 1234567.",
            "{name}",
        ] {
            let text = message(&rules(DEFAULT), "Add {id} a schema", summary);
            let claims = Landing::all_in(text.as_bytes());
            assert_eq!(claims.len(), 1, "{text}");
            assert_eq!(claims[0].tasks.len(), 1);
            assert_eq!(first_error(text.as_bytes()), None, "{text}");
            assert!(text.starts_with("Add {id} a schema (T1)\n"), "values are not filled again: {text}");
        }
    }
}
