//! The arguments with which frameworks run one test.

use super::Framework;
use crate::text::shell_word;

/// The words before and behind these arguments that select the test with a name. Paths may be taken out of them. None if it is not
/// sure.
pub(super) fn selection(framework: Framework, words: &mut Vec<&str>, test: &str) -> Option<(String, String)> {
    let arguments = framework.arguments(words.iter().copied());
    let plain = &arguments.plain;
    if arguments.is_by_name {
        return None;
    }
    let front = |words: String| Some((words, String::new()));
    let back = |words: String| Some((String::new(), words));
    match framework {
        Framework::Pytest => {
            // After an option, such a word may be its value, and some options change what names mean.
            let is_value = words.windows(2).any(|pair| pair[0].starts_with("--") && plain.contains(&pair[1]));
            let has_place = words.iter().any(|word| *word == "-c" || word.starts_with("--rootdir"));
            // Paths would be run, too.
            words.retain(|word| !plain.contains(word));
            back(shell_word(test)).filter(|_| !is_value && !has_place && test.contains("::"))
        }
        // Without an asterisk, a part of a name is enough.
        Framework::Unittest if test.contains(['*', '?', '[']) => None,
        Framework::Unittest => back(format!("-k {}", shell_word(&format!("*{test}")))),
        Framework::Jest => back(format!("-t {}", shell_word(&whole(test, " › ")))),
        Framework::Vitest => {
            let (file, name) = test.split_once(" > ")?;
            let names_files = plain.iter().any(|word| *word != "run");
            let file = if names_files { String::new() } else { shell_word(file) + " " };
            back(format!("{file}-t {}", shell_word(&whole(name, " > "))))
        }
        Framework::NodeTest => {
            // Older versions compare only the last part of a name.
            let last = test.rsplit(" > ").next().unwrap_or(test);
            front(format!("--test-name-pattern={}", shell_word(&format!("(^| > ){}$", escaped(last)))))
        }
        Framework::Go => {
            let parts: Vec<String> = test.split('/').map(|part| format!("^{}$", escaped(part))).collect();
            front(format!("-run {}", shell_word(&parts.join("/"))))
        }
        Framework::CargoTest | Framework::Nextest if !plain.is_empty() => None,
        Framework::CargoTest if test.contains(' ') => None,
        Framework::CargoTest => {
            let dashes = if words.contains(&"--") { "" } else { "-- " };
            back(format!("{dashes}--exact {}", shell_word(test)))
        }
        Framework::Nextest => {
            let (binary, name) = test.split_once(' ').filter(|_| !test.contains(['(', ')']))?;
            front(format!("-E {}", shell_word(&format!("binary_id(={binary}) and test(={name})"))))
        }
        Framework::Tap => None,
    }
}

/// The regular expression for a whole name, in which blanks may stand between the names of suites.
fn whole(name: &str, sign: &str) -> String {
    let parts: Vec<String> = name.split(sign).map(escaped).collect();
    // Some versions of Vitest put a blank before a name.
    format!("^ ?{}$", parts.join(&format!("( |{sign})")))
}

/// The regular expression for a text, in each language.
fn escaped(text: &str) -> String {
    regex_lite::escape(text).replace('/', r"\/")
}
