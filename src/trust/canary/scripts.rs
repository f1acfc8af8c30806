//! Failing scripts next to those that a command runs.

use super::source::{Canary, TestFile};
use crate::text::simple_commands;

/// What a script says that was added.
pub const SCRIPT_SAYS: &str = "arborist_canary: 1 is not 2";

/// What fails in a script, by its ending; all others are scripts of the shell.
const SCRIPTS: [(&str, &str); 6] = [
    (".bats", "@test \"arborist_canary\" {\n  [ 1 -eq 2 ]\n}\n"),
    (".py", "#!/usr/bin/env python3\nraise SystemExit(\"arborist_canary: 1 is not 2\")\n"),
    (".js", "#!/usr/bin/env node\nthrow new Error('arborist_canary: 1 is not 2')\n"),
    (".rb", "#!/usr/bin/env ruby\nabort 'arborist_canary: 1 is not 2'\n"),
    (".pl", "#!/usr/bin/env perl\ndie 'arborist_canary: 1 is not 2';\n"),
    ("", "#!/bin/sh\necho 'arborist_canary: 1 is not 2' >&2\nexit 1\n"),
];

/// A failing script next to those that a command finds by a pattern or in a folder: `for t in tests/*.sh`, `bats tests`,
/// `find tests -name '*_test.sh'`, `run-parts tests`. None if the command names its scripts.
#[must_use]
pub fn script_canary(files: &[TestFile<'_>], command: &str) -> Option<Canary> {
    let path = simple_commands(command).iter().find_map(|words| found_by(words, files))?;
    let (_, text) = SCRIPTS.iter().find(|(ending, _)| path.ends_with(ending))?;
    Some(Canary { content: text.as_bytes().to_vec(), path, name: "arborist_canary", is_new_file: true })
}

/// The path of the script to add, if this command would find it.
fn found_by(words: &[String], files: &[TestFile<'_>]) -> Option<String> {
    words.iter().enumerate().find_map(|(at, word)| {
        let before = |steps: usize| at.checked_sub(steps).map_or("", |at| words[at].as_str());
        let word = word.trim_start_matches("./").trim_end_matches('/');
        let folder_of = |file: &TestFile<'_>| file.path.strip_prefix(word)?.strip_prefix('/').map(|_| ());
        if ["run-parts", "--exit-on-error"].contains(&before(1)) {
            files.iter().find_map(folder_of)?;
            // It runs no file with a dot in its name.
            return Some(format!("{word}/arborist-canary"));
        }
        if before(1).rsplit('/').next() == Some("bats")
            || ["-r", "--recursive"].contains(&before(1)) && words[0] == "bats"
        {
            files.iter().filter(|file| file.path.ends_with(".bats")).find_map(folder_of)?;
            return Some(format!("{word}/arborist_canary.bats"));
        }
        let found = if ["-name", "-iname"].contains(&before(1)) {
            let find = words[..at].iter().rposition(|word| word == "find")?;
            format!("{}/{word}", words[find + 1].trim_start_matches("./").trim_end_matches('/'))
        } else {
            word.to_owned()
        };
        let found = found.trim_start_matches("./").replace("**/", "");
        let (start, end) = found.split_once('*').filter(|(_, end)| !end.contains(['*', '/']))?;
        let fits = |file: &&TestFile<'_>| file.path.starts_with(start) && file.path.ends_with(end);
        files.iter().find(fits)?;
        Some(format!("{start}arborist_canary{end}"))
    })
}
