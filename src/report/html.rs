//! A run as one page that needs nothing else: no network, no script.

mod diff;
mod graph;
mod layers;
mod overview;
mod story;
mod timeline;

use maud::{DOCTYPE, Markup, PreEscaped, html as page};

use self::graph::graphs;
use self::overview::{look, opening, prove};
use self::story::stories;
use self::timeline::timeline;
use crate::report::document::{Merge, RunDocument, merge_line};
use crate::report::visible::{visible_line, visible_name};

/// By which a file is known to be a report.
pub(super) const MARK: &str = "<meta name=\"generator\" content=\"git-arborist\">";

const STYLE: &str = include_str!("html/style.css");

/// What the page may load and run: nothing but this style sheet, which is named by its hash.
const POLICY: &str = "default-src 'none'; style-src 'sha256-74ACJD6ZKBsRxflFRGUX7EsQ7dskVf8AwYYIWLsoLYs='; base-uri 'none'; form-action 'none'";

/// The report as a page.
pub(super) fn html(report: &RunDocument<'_>) -> String {
    let title = visible_name(report.title);
    page! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                (PreEscaped(MARK))
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="referrer" content="no-referrer";
                title { (title) ": report of a run" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the report" }
                (opening(report, &title))
                main #main tabindex="-1" {
                    (section("look", "What to look at", &look(report)))
                    (section("timeline", "Timeline", &timeline(report)))
                    @if !report.report().merges.is_empty() {
                        (section("merges", "How the branches were merged", &merge_list(&report.report().merges)))
                    }
                    (section("dependencies", "Dependencies", &graphs(report)))
                    (section("tasks", "Phases and tasks", &stories(report)))
                    (section("proof", "How to repeat the proof", &prove(report)))
                }
                footer {
                    p { "Made by git-arborist from the commits of the run alone." }
                }
            }
        }
    }
    .into_string()
}

fn section(id: &str, title: &str, content: &Markup) -> Markup {
    let heading = format!("{id}-title");
    page! {
        section #(id) aria-labelledby=(heading) {
            h2 #(heading) { (title) }
            (content)
        }
    }
}

/// A list of the merges, also of those that failed.
fn merge_list(merges: &[Merge]) -> Markup {
    page! {
        ol {
            @for merge in merges {
                li { (visible_line(&merge_line(merge))) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use sha2::{Digest, Sha256};

    use super::*;

    proptest! {
        #[test]
        fn any_text_in_a_name_is_escaped(name in "[ -~äß漢\u{202e}\u{7}\n]{0,60}") {
            let shown = page! { a title=(visible_name(&name)) { (visible_name(&name)) } }.into_string();
            prop_assert_eq!(shown.matches(['<', '>']).count(), 4, "{}", shown);
            prop_assert_eq!(shown.matches('"').count(), 2, "{}", shown);
            let read = ["&lt;<", "&gt;>", "&quot;\"", "&amp;&"];
            let read = read.iter().fold(shown, |text, pair| {
                let (escaped, plain) = pair.split_at(pair.len() - 1);
                text.replace(escaped, plain)
            });
            let name = visible_name(&name);
            prop_assert_eq!(read, format!("<a title=\"{name}\">{name}</a>"));
        }
    }

    /// Three bytes as four characters; the padding of a digest of 32 bytes is one character.
    fn base64(bytes: &[u8]) -> String {
        const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let sextets = |chunk: &[u8]| {
            let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
                << (8 * (3 - chunk.len()));
            (0..=chunk.len()).map(move |place| (bits >> (18 - 6 * place)) & 63).collect::<Vec<_>>()
        };
        let text: String =
            bytes.chunks(3).flat_map(sextets).map(|bits| char::from(ALPHABET[bits as usize])).collect();
        format!("{text}{}", "=".repeat((4 - text.len() % 4) % 4))
    }

    #[test]
    fn the_policy_names_the_style_sheet_by_its_hash() {
        let hash = base64(&Sha256::digest(STYLE));
        assert!(POLICY.contains(&format!("style-src 'sha256-{hash}'")), "it must be sha256-{hash}");
        assert!(!STYLE.contains('<') && !STYLE.contains("url("), "it stays in its element and loads nothing");
    }
}
