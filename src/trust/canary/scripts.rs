//! Failing scripts beside those that a command finds by a pattern or in a folder. A loop over scripts, as in
//! `for t in tests/*.sh; do sh $t; done`, ends with the status of the last one alone.

use super::Canary;
use crate::text::simple_commands;
use crate::trust::scan::Source;

/// What a script says that was added.
pub const SCRIPT_SAYS: &str = "arborist_canary: 1 is not 2";

/// What fails in a script, by the ending of its name. A script puts together what it says, so that a program that only prints it has
/// not run it.
const SCRIPTS: [(&str, &str); 5] = [
    (
        ".bats",
        "@test \"arborist_canary\" {\n  echo \"arborist_canary: $((3 - 2)) is not 2\"\n  return 1\n}\n",
    ),
    (".py", "#!/usr/bin/env python3\nraise SystemExit(\"arborist_canary: %d is not 2\" % (3 - 2))\n"),
    (".js", "#!/usr/bin/env node\nthrow new Error('arborist_canary: ' + (3 - 2) + ' is not 2')\n"),
    (".sh", SHELL),
    (".bash", SHELL),
];
const SHELL: &str = "#!/bin/sh\necho \"arborist_canary: $((3 - 2)) is not 2\" >&2\nexit 1\n";

/// Words of a shell by which a command may want a script to fail, or does not mind it.
const OWN_JUDGEMENT: [&str; 4] = ["!", "if", "until", "true"];
/// Folders of scripts that are no tests, or are to fail.
const OTHER_SCRIPTS: &[&str] =
    &["fail", "bad", "invalid", "error", "helper", "lib", "setup", "cleanup", "fixture"];

/// A failing script beside those that a text starts, which is a command or a recipe: `for t in tests/*.sh`, `bats tests`,
/// `find tests -name '*_test.sh'`. None if it names its scripts.
#[must_use]
pub fn script_canary(files: &[Source], text: &str) -> Option<Canary> {
    if text.split_whitespace().any(|word| OWN_JUDGEMENT.contains(&word.trim_matches([';', '(', ')']))) {
        return None;
    }
    let path = simple_commands(text).iter().find_map(|words| found_by(words, files))?;
    let (folder, _) = path.rsplit_once('/')?;
    if OTHER_SCRIPTS.iter().any(|other| folder.contains(other)) {
        return None;
    }
    let (_, text) = SCRIPTS.iter().find(|(ending, _)| path.ends_with(ending))?;
    Some(Canary { path, content: (*text).to_owned(), name: SCRIPT_SAYS })
}

/// The path of the script to add, if this command would find it.
fn found_by(words: &[String], files: &[Source]) -> Option<String> {
    let plain = |word: &str| word.trim_start_matches("./").trim_end_matches('/').to_owned();
    words.iter().enumerate().find_map(|(at, word)| {
        let (word, before) = (plain(word), at.checked_sub(1).map_or("", |at| words[at].as_str()));
        if ["bats", "-r", "--recursive"].contains(&before) && words.iter().any(|word| word.ends_with("bats"))
        {
            let is_in =
                |file: &Source| file.path.ends_with(".bats") && file.path.starts_with(&format!("{word}/"));
            return files.iter().any(is_in).then(|| format!("{word}/arborist_canary.bats"));
        }
        let below = words.iter().position(|word| word == "find").and_then(|find| words.get(find + 1));
        let found = match below {
            Some(folder) if ["-name", "-iname"].contains(&before) => format!("{}/{word}", plain(folder)),
            _ => word,
        };
        let found = found.trim_start_matches("./").replace("**/", "");
        let (start, end) = found.split_once('*').filter(|(_, end)| !end.contains(['*', '/']))?;
        let fits = |file: &Source| file.path.starts_with(start) && file.path.ends_with(end);
        files.iter().any(fits).then(|| format!("{start}arborist_canary{end}"))
    })
}
