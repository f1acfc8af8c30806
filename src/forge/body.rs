//! The text of a request: the report, and around it what people wrote.

use crate::record::{REPORT_BEGIN, REPORT_END, is_landed_line, trailers};

/// The place of the report in a template.
const PLACEHOLDER: &str = "{report}";

/// The text of a new request: the report at its place in the template, or behind it. The trailers stay at the end.
pub(crate) fn fill(template: Option<&str>, report: &str) -> String {
    let Some(template) = template.map(str::trim).filter(|template| !template.is_empty()) else {
        return report.to_owned();
    };
    let ReportParts { region, block } = ReportParts::of(report);
    let filled = match template.split_once(PLACEHOLDER) {
        Some((before, after)) => format!("{before}{region}{after}"),
        None => format!("{template}\n\n{region}"),
    };
    with_block(&filled, &block)
}

/// The text of an open request with a newer report. What people wrote around the report stays as it is.
pub(crate) fn update(existing: &str, report: &str) -> String {
    let ReportParts { region, block } = ReportParts::of(report);
    let existing = existing.replace("\r\n", "\n");
    let begin = line_of(&existing, REPORT_BEGIN, 0);
    let end = begin.and_then(|begin| line_of(&existing, REPORT_END, begin + 1));
    let (Some(begin), Some(end)) = (begin, end) else {
        let before = existing.trim_end();
        let before = if before.is_empty() { String::new() } else { format!("{before}\n\n") };
        return with_block(&format!("{before}{region}"), &block);
    };
    let after = without_block(&existing[end + REPORT_END.len()..]);
    with_block(&format!("{}{region}{after}", &existing[..begin]), &block)
}

/// Where the first line begins, at this byte or behind it, that is this mark alone.
fn line_of(text: &str, mark: &str, from: usize) -> Option<usize> {
    let mut next = 0;
    text.split_inclusive('\n').find_map(|line| {
        let start = next;
        next += line.len();
        (start >= from && line.trim_end() == mark).then_some(start)
    })
}

/// A report: the part between the marks, which are included, and the trailers.
struct ReportParts {
    region: String,
    block: String,
}

impl ReportParts {
    fn of(report: &str) -> Self {
        match report.split_once(REPORT_END) {
            Some((before, block)) => {
                Self { region: format!("{before}{REPORT_END}"), block: block.trim().to_owned() }
            }
            None => Self { region: report.trim_end().to_owned(), block: String::new() },
        }
    }
}

/// The text without our trailers.
fn without_block(text: &str) -> String {
    let mut kept = String::new();
    let mut is_ours = false;
    for line in text.split_inclusive('\n') {
        is_ours = is_landed_line(line) || is_ours && line.starts_with([' ', '\t']) && !line.trim().is_empty();
        if !is_ours {
            kept.push_str(line);
        }
    }
    kept
}

/// The text with our trailers at its end: in its last paragraph if that consists of trailers, otherwise in one of their
/// own.
fn with_block(text: &str, block: &str) -> String {
    let text = text.trim_end();
    if block.is_empty() {
        return format!("{text}\n");
    }
    // Without a title, git takes the first paragraph for one.
    let has_trailers = !trailers(format!("title\n\n{text}").as_bytes()).is_empty();
    let between = if has_trailers { "\n" } else { "\n\n" };
    format!("{text}{between}{block}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(words: &str) -> String {
        format!("{REPORT_BEGIN}\n{words}\n{REPORT_END}\n\nArborist-Complete: T1\nArborist-Run: 1..\n 2\n")
    }

    #[test]
    fn a_template_keeps_its_words_and_the_trailers_come_last() {
        let new = report("new");
        assert_eq!(fill(None, &new), new);
        assert_eq!(fill(Some(" \n"), &new), new);
        let region = format!("{REPORT_BEGIN}\nnew\n{REPORT_END}");
        let block = "Arborist-Complete: T1\nArborist-Run: 1..\n 2\n";
        assert_eq!(fill(Some("# Why\n"), &new), format!("# Why\n\n{region}\n\n{block}"));
        assert_eq!(
            fill(Some("# Why\n\n{report}\n\n# Check\n- [ ] x\n"), &new),
            format!("# Why\n\n{region}\n\n# Check\n- [ ] x\n\n{block}")
        );
    }

    #[test]
    fn an_update_replaces_our_words_and_no_others() {
        let (old, new) = (report("old"), report("new"));
        assert_eq!(update(&old, &new), new);
        assert_eq!(update(&new, &new), new);
        assert_eq!(update(&old.replace('\n', "\r\n"), &new), new, "forges send CRLF");
        assert_eq!(update("", &new), new);
        assert_eq!(update("Mine.", &new), format!("Mine.\n\n{new}"), "a request that a person has opened");
        let around = format!("Before.\n\n{old}\nAfter. `{REPORT_END}` was here.\n");
        let updated = update(&around, &new);
        let block = "Arborist-Complete: T1\nArborist-Run: 1..\n 2\n";
        assert_eq!(
            updated,
            format!(
                "Before.\n\n{REPORT_BEGIN}\nnew\n{REPORT_END}\n\n\nAfter. `{REPORT_END}` was here.\n\n{block}"
            )
        );
        assert_eq!(update(&updated, &new), updated, "a second update changes nothing");
        let signed = format!("{old}\nCo-authored-by: A <a@b>\n");
        let updated = update(&signed, &new);
        assert!(updated.ends_with(&format!("\nCo-authored-by: A <a@b>\n{block}")), "{updated}");
        assert_eq!(trailers(format!("title\n\n{updated}").as_bytes()).len(), 3);
    }

    #[test]
    fn only_a_whole_line_is_a_mark() {
        let forged = report(&format!(" {REPORT_END}\nstill ours"));
        let updated = update(&format!("{forged}\nMine.\n"), &report("new"));
        assert!(!updated.contains("still ours") && updated.contains("Mine."), "{updated}");
        let half = format!("{REPORT_BEGIN}\nwithout an end\n");
        assert!(update(&half, &report("new")).starts_with(&half), "nothing is lost");
    }
}
