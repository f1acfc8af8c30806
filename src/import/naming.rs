//! Names a plan and the parts of a plan of several files by their paths, which change less often than their titles.

use crate::config::Config;
use crate::plan::formats::SourceFile;

/// File names that say nothing about a plan. The folder around such a file names it.
const PLAIN: &str = "tasks|plan|todo|prd|issues|fix_plan|progress|checklist|task|readme|backlog|index";
/// Folder names that say nothing about a plan.
const PLAIN_FOLDERS: &str = "spec|specs|docs|plans|changes|tasks|.taskmaster|.beads|backlog|.";

/// The name of the plan in these files.
pub(crate) fn spec_id(files: &[SourceFile]) -> String {
    let name = match files {
        [file] => name_of(file),
        // The folder that all files are in.
        several => several.first().and_then(|first| {
            let folder = first.path.rsplit_once('/')?.0;
            let shared = several.iter().all(|file| file.path.starts_with(&format!("{folder}/")));
            if shared { folder_name(folder) } else { None }
        }),
    };
    name.unwrap_or_else(|| "plan".to_owned())
}

/// The prefix of the ids of each file; empty if there is only one file.
pub(crate) fn scopes(files: &[SourceFile]) -> Vec<String> {
    if files.len() < 2 {
        return Vec::new();
    }
    let names: Vec<Option<String>> = files.iter().map(name_of).collect();
    let scope = |(file, name): (&SourceFile, &Option<String>)| {
        // Files of the same name are told apart by their folders.
        let stem = file.path.rsplit_once('.').map_or(&*file.path, |(stem, _)| stem);
        let is_shared = names.iter().filter(|other| *other == name).nth(1).is_some();
        let name = if is_shared { plain(stem) } else { name.clone() };
        name.map(|name| format!("{name}.")).unwrap_or_default()
    };
    files.iter().zip(&names).map(scope).collect()
}

fn name_of(file: &SourceFile) -> Option<String> {
    let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    if PLAIN.split('|').any(|plain| plain == stem.to_lowercase()) { folder_name(folder) } else { plain(stem) }
}

fn folder_name(folder: &str) -> Option<String> {
    let says_something = |name: &&str| PLAIN_FOLDERS.split('|').all(|plain| plain != name.to_lowercase());
    folder.rsplit('/').filter(|name| !name.is_empty()).find(says_something).and_then(plain)
}

/// A name that can be the beginning of an id.
pub(super) fn plain(name: &str) -> Option<String> {
    const LONGEST: usize = 32;
    let plain: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    // The end of a path says more than its beginning.
    let from = if name.contains('/') { plain.len().saturating_sub(LONGEST) } else { 0 };
    let plain: String = plain[from..].trim_matches('-').chars().take(LONGEST).collect();
    let plain = plain.trim_matches(['-', '_']);
    (!plain.is_empty()).then(|| plain.to_owned())
}

/// The subject of a commit of a plan, as a Conventional Commit where steps have such subjects. `plan` is the
/// name of a plan that has none, and is not repeated.
pub(crate) fn commit_subject(config: &Config, verb: &str, spec_id: &str) -> String {
    let name = if spec_id == "plan" { String::new() } else { format!(" {spec_id}") };
    config.subject_form().title(&format!("{verb} the plan{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &str) -> SourceFile {
        SourceFile { path: path.to_owned(), text: String::new() }
    }

    #[test]
    fn a_plan_is_named_by_the_part_of_its_path_that_says_most() {
        let cases = [
            ("specs/001-user-auth/tasks.md", "001-user-auth"),
            ("openspec/changes/add-login/tasks.md", "add-login"),
            ("docs/superpowers/plans/2026-01-02-thing.md", "2026-01-02-thing"),
            ("spec/tasks.md", "plan"),
            ("TODO.md", "plan"),
            ("app/TODO.md", "app"),
            ("prd.json", "plan"),
            ("päd/tasks.md", "p-d"),
        ];
        for (path, name) in cases {
            assert_eq!(spec_id(&[file(path)]), name, "{path}");
        }
        let two = [file("specs/001-a/tasks.md"), file("specs/002-b/tasks.md")];
        assert_eq!(scopes(&two), ["001-a.", "002-b."]);
        assert_eq!(scopes(&two[..1]), [""; 0]);
        let same = [file("a/list.md"), file("b/list.md"), file("c/other.md")];
        assert_eq!(scopes(&same), ["a-list.", "b-list.", "other."]);
    }
}
