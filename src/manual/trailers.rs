//! The page about the trailers of step commits.

use super::markdown::{listed, sentence};
use super::page::Page;
use crate::record::{Need, Owner, Step, TrailerKey, ValueKind, When, steps_with, words_of};

/// The page `gitarborist-trailers(7)`.
pub(super) fn page() -> Page {
    let prose = include_str!("pages/trailers.md");
    let (description, chapters) = prose.split_once("\n# ").expect("the page has chapters");
    let steps: String = Step::all().map(step).collect();
    let trailers = TrailerKey::ALL.map(trailer).concat();
    Page {
        name: "gitarborist-trailers".to_owned(),
        section: 7,
        about: "what the commits of git arborist say".to_owned(),
        command: None,
        description: description.to_owned(),
        chapters: format!(
            "# Steps\n\n{steps}\n# Trailers\n\n{trailers}\n# {chapters}\n# See also\n\n`git-arborist`(1), \
             `git-arborist-check`(1), `git-arborist-prove`(1), `git-interpret-trailers`(1), `gitarborist-plans`(5)\n"
        ),
    }
}

/// A step: its subjects, and the trailers that it must have.
fn step(step: Step) -> String {
    let row = step.row();
    let owner = match row.owner {
        Owner::Task => "task",
        Owner::Phase => "phase",
    };
    // A phase that is not complete has no commit.
    let committed = row.endings.iter().take(if row.owner == Owner::Phase { 1 } else { row.endings.len() });
    let subjects = committed.map(|ending| {
        let subject = ending.subject.replace("{name}", "NAME").replace("{attempt}", "K/MAX");
        let subject = subject.replace("{max}", "MAX").replace("{claimant}", "CLAIMANT");
        format!("`{owner}(ID): {subject}`")
    });
    let subjects: Vec<String> = subjects.collect();
    let subjects = format!("The subject is {}.", subjects.join(" or "));
    let needed = |need: Need| {
        let used = row.trailers.iter().filter(move |used| used.need == need);
        used.map(|used| format!("`{}`{}", used.key.name(), when(used.when))).collect::<Vec<_>>().join(", ")
    };
    let mut texts = vec![subjects];
    for (need, words) in
        [(Need::Required, "The commit must have these trailers:"), (Need::Optional, "It may have these:")]
    {
        let listed = needed(need);
        if !listed.is_empty() {
            texts.push(format!("{words} {listed}."));
        }
    }
    format!("- `{}`: {}\n", row.word, texts.join(" "))
}

fn when(when: When) -> &'static str {
    match when {
        When::Always => "",
        When::OnPass => " (if the step passed)",
        When::OnFail => " (if it failed)",
        When::OnSkip => " (if the task was skipped)",
    }
}

fn trailer(key: TrailerKey) -> String {
    let rule = key.rule();
    let values = match rule.value {
        ValueKind::Step | ValueKind::Outcome | ValueKind::Words(_) => {
            format!("The value is one of {}.", listed(words_of(key)))
        }
        ValueKind::Count => "The value is an integer from 0.".to_owned(),
        ValueKind::Seconds => "The value is a number of seconds.".to_owned(),
        ValueKind::Dollars => "The value is an amount in US dollars.".to_owned(),
        ValueKind::Path => "The value is a path from the top of the work tree.".to_owned(),
        ValueKind::Proof => "The value has the runs `clean`, `old`, `red`, `literals` and `canary`, each with `pass`, `fail`, `none` (not needed), `na` (not \
                             applicable) or `skip` (not made), as in `clean=pass`; `evidence=3`, how many tests fail without the change, or `hollow=3`, how many fail if what it adds gives empty values; \
                             and at the end `is=` with `proven`, `equal`, `tested`, `unproven` or `untested`."
            .to_owned(),
        ValueKind::Percentages(names) => format!(
            "The value has some of these names, each with a percentage, as in `{}=85.3`: {}.",
            names[0],
            listed(names.iter().copied())
        ),
        ValueKind::Numbers(names) => format!(
            "The value has some of these names, each with a number, as in `{}=1200`: {}.",
            names[0],
            listed(names.iter().copied())
        ),
        ValueKind::CountedWord(words, names) => format!(
            "The value is {}, perhaps followed by some of these names, each with a number, as in `{} {}=4`: {}.",
            words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or "),
            words[0],
            names[0],
            listed(names.iter().copied())
        ),
        ValueKind::Fraction => "The value is a fraction, such as `37/41`.".to_owned(),
        ValueKind::TaskIds => "The value is a list of task ids. The trailer may be repeated.".to_owned(),
        ValueKind::Commit => "The value is a full commit id.".to_owned(),
        ValueKind::Origin => "The value is `ID@TIME` of a thread, `check:NAME@COMMIT` or `merge:BASE@COMMIT`.".to_owned(),
        ValueKind::CommitRange => "The value is two full commit ids with `..` between them.".to_owned(),
        ValueKind::Text => "The value is one line of text.".to_owned(),
    };
    let steps: Vec<&str> = steps_with(key).map(Step::word).collect();
    let steps = if key.is_of_landed_commits() {
        "Landed commits have it, and no steps.".to_owned()
    } else {
        format!("Steps that have it: {}.", listed(steps))
    };
    format!("- `{}`: {} {values} {steps}\n", rule.name, sentence(rule.about))
}
