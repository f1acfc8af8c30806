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
            let block = [
                landing.trailers(),
                plan_trailer(story.plan.as_deref()),
                proof.word_trailers(),
                own.collect(),
            ];
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
        let left_out = landing.skipped.iter().map(|task| format!("- {task} is skipped"));
        let list = stories.iter().map(line).chain(left_out).collect::<Vec<_>>().join("\n");
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
        let skipped = Landing::skipping(landing.skipped.clone(), landing.base, landing.tip);
        let mut blocks: Vec<String> = skipped
            .iter()
            .map(Landing::trailers)
            .chain(blocks)
            .chain(part(tested).map(|landing| landing.trailers()))
            .collect();
        // git itself reads the last one.
        let last = blocks.pop().expect("a landing names tasks") + &plan_trailer(self.plan.as_deref());
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
}

/// The trailer that says to which plan a commit belongs, if it has to be named.
pub(super) fn plan_trailer(plan: Option<&str>) -> String {
    plan.map(|plan| format!("{}: {plan}\n", TrailerKey::Plan.name())).unwrap_or_default()
}

/// The text with what the tasks say about awaited tests, which belongs right above the trailers.
fn with_awaited(text: String, awaited: &AwaitedChange) -> String {
    match awaited.paragraphs() {
        lists if lists.is_empty() => text,
        lists => format!("{}\n\n{lists}", text.trim_end()),
    }
}

/// The text with blocks of trailers below it.
pub(super) fn with_blocks(text: &str, blocks: &[String]) -> Vec<u8> {
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
mod tests;
