//! A run as the body of a pull request.
//!
//! It may become the message of a squash merge, so git must read its last lines as trailers: no line of others begins a
//! line of the body, and nothing follows the block.

mod budget;
mod escape;
mod outputs;
mod tables;

use super::document::{LookAt, LookKind, Merge, RunDocument, merge_line};
use super::visible::{visible_line, visible_name};
use crate::record::{REPORT_BEGIN, REPORT_END};
use crate::text::advice;
use budget::TextBudget;
use escape::{in_code, in_text};

/// Forges take no more than 65,536 characters.
const LIMIT: usize = 60_000;
/// How many things to look at are listed.
const LISTED: usize = 60;
/// How much of what is left after the table they may take, in percent.
const LOOK_SHARE: usize = 70;
/// How much of what is then left the list of merges may take, in percent.
const MERGES_SHARE: usize = 30;

/// The report.
pub(super) fn markdown(report: &RunDocument<'_>) -> String {
    let end = end(report);
    // Sentences about what is left out need some room too.
    let mut body = TextBudget::new(LIMIT.saturating_sub(end.len() + 1_000));
    body.say(&format!("{REPORT_BEGIN}\n**{}.**\n\n", in_text(&report.report().verdict)));
    let base = report.anchor.map(|anchor| format!("{}..", anchor.short())).unwrap_or_default();
    let title = in_text(&visible_name(report.title));
    body.say(&format!(
        "The tasks of {title}{}, from the commits `{base}{}`.\n\n",
        below(&report.report().nodes),
        report.head.map(|head| head.short()).unwrap_or_default()
    ));
    let (questions, others): (Vec<&LookAt>, Vec<&LookAt>) =
        report.report().look.iter().partition(|item| item.kind == LookKind::Question);
    if !questions.is_empty() {
        body.say("### What waits for an answer\n\n");
        look(&mut body, &questions);
    }
    tables::table(&mut body, report);
    if !others.is_empty() || questions.is_empty() {
        body.say("### What to look at\n\n");
    }
    if report.report().look.is_empty() {
        body.say("Nothing: no finding is open, and no person has stepped in.\n");
    }
    look(&mut body, &others);
    merges(&mut body, &report.report().merges);
    body.say("### What the tests printed\n\n");
    outputs::outputs(&mut body, report);
    body.text + &end
}

/// The nodes that were asked for.
fn below(nodes: &[String]) -> String {
    match nodes {
        [] => String::new(),
        few if few.len() <= 5 => format!(" below {}", in_text(&few.join(", "))),
        many => format!(" below {} and {} more", in_text(&many[..4].join(", ")), many.len() - 4),
    }
}

fn look(body: &mut TextBudget, look: &[&LookAt]) {
    let items = look.iter().take(LISTED).map(|item| {
        let task =
            item.task.as_ref().or(item.phase.as_ref()).map(|task| format!(" {task}")).unwrap_or_default();
        let what = visible_name(&item.what);
        let command = item.command.as_ref().map(|command| format!(" {}", in_code(&visible_line(command))));
        let command = command.unwrap_or_default();
        format!("- **{}**{task}: {}{command}\n", item.kind.words(), in_text(&what))
    });
    let more = body.add(items, LOOK_SHARE) + look.len().saturating_sub(LISTED);
    if more > 0 {
        body.say(&format!("- and {more} more: {}\n", advice::report_json()));
    }
    body.say("\n");
}

/// How the branches were merged, if there were any.
fn merges(body: &mut TextBudget, merges: &[Merge]) {
    if merges.is_empty() {
        return;
    }
    body.say("### How the branches were merged\n\n");
    let items = merges.iter().map(|merge| format!("1. {}\n", in_text(&visible_line(&merge_line(merge)))));
    let more = body.add(items, MERGES_SHARE);
    if more > 0 {
        body.say(&format!("1. and {more} more: `git log --first-parent`\n"));
    }
    body.say("\n");
}

/// What is never cut: how to repeat the proof, and the trailers.
fn end(report: &RunDocument<'_>) -> String {
    let mut end = String::new();
    if let Some(command) = &report.report().prove {
        let about = "Each command of the tests runs again: on a clean checkout, without the change of the source, and \
                     without the change of the tests.";
        end.push_str(&format!("### How to repeat the proof\n\n{about}\n\n```sh\n{command}\n```\n\n"));
    }
    end.push_str(REPORT_END);
    end.push('\n');
    if !report.report().trailers.is_empty() {
        end.push_str(&format!("\n{}\n", report.report().trailers.join("\n")));
    }
    end
}
