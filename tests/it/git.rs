//! Tests what the room `git` answers and does by itself.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use crate::support::dice::Dice;
use crate::support::repo::Repo;
use crate::support::skip::has_proc;
use git_arborist::git::{CONCERNING_US, ConfigEntry, Git, Selection};

/// Building blocks of texts, of which git accepts nearly all combinations.
const LINES: &[&str] = &[
    "[arborist]\n",
    "[Arborist \"Runner.Mine\"]\n",
    "[core]\n",
    "[color] ui = auto # words\n",
    "\t[commit]\n",
    "; a comment\n",
    "\n",
    "\treview = on\n",
    "Review=off\n",
    "\tcommand = my-agent --some 'option'   ; words\n",
    "\tcommand = \"  two  \"  \"words \" \n",
    "\tcommentChar = \"#\"\n",
    "\thooksPath = é/ü\n",
    "\tk-1 =\n",
    "\talone\n",
    "\talone  \n",
    "\talone = \"\" \n",
];

/// What libgit2 does not read, or would read differently.
const ODD: &[&str] = &[
    "[include]\n\tpath = other\n",
    "[includeIf \"gitdir:/\"]\n\tpath = other\n",
    "[extensions]\n\tworktreeConfig = true\n",
    "\tcommand = a\\\n  b\n",
    "\tcommand = a\tb\n",
    "\tcommand = a\r\n",
    "\u{feff}",
];

#[test]
fn configuration_is_read_as_by_git_or_left_to_git() {
    let mut dice = Dice(0x00c0_ff1e);
    let repo = Repo::init(&[]);
    let git = Git::find(repo.path()).unwrap().discovering_from_folder_alone();
    let work_tree = git.work_tree().unwrap();
    let here = || git.config_by_library(&work_tree, &BTreeMap::new());
    if here().is_none() {
        // The git of this machine may have a file for all users that only it knows.
        return;
    }
    let file = repo.path().join(".git/config");
    let usual = fs::read_to_string(&file).unwrap();
    for _ in 0..60 {
        let mut text = format!("{usual}[arborist]\n");
        for _ in 0..dice.below(6) {
            text.push_str(LINES[dice.below(LINES.len())]);
        }
        fs::write(&file, &text).unwrap();
        let listed = Command::new(git.program())
            .args(["config", "-z", "--show-scope", "--show-origin", "--get-regexp", CONCERNING_US])
            .current_dir(repo.path())
            .env_remove("GIT_CONFIG_GLOBAL")
            .env_remove("GIT_CONFIG_NOSYSTEM")
            .output()
            .unwrap();
        if matches!(listed.status.code(), Some(0 | 1)) {
            assert_eq!(here(), Some(ConfigEntry::parse_list(&listed.stdout)), "{text}");
        }
    }
    for odd in ODD {
        fs::write(&file, format!("{usual}[arborist]\n{odd}")).unwrap();
        assert_eq!(here(), None, "{odd:?}");
    }
    fs::write(&file, usual).unwrap();
    let variables = BTreeMap::from([("GIT_CONFIG_COUNT".into(), "0".into())]);
    assert_eq!(git.config_by_library(&work_tree, &variables), None);
}

#[test]
fn many_files_of_which_one_cannot_be_added_leave_no_unfinished_pack() {
    if !has_proc() {
        return;
    }
    let repo = Repo::init(&[]);
    let mut there: Vec<Vec<u8>> = (0..150).map(|number| format!("file-{number}").into_bytes()).collect();
    for number in 0..150 {
        let content = format!("the content of {number}\n");
        fs::write(repo.path().join(format!("file-{number}")), content).unwrap();
    }
    let git = Git::find(repo.path()).unwrap().discovering_from_folder_alone();
    let packs = || {
        let entries = fs::read_dir(repo.path().join(".git/objects/pack")).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    there.push(b"missing".to_vec());
    assert!(git.stage(&Selection { there: there.clone(), gone: Vec::new() }).is_err());
    assert_eq!(packs(), [""; 0]);
    there.pop();
    git.stage(&Selection { there, gone: Vec::new() }).unwrap();
    assert_eq!(packs().iter().filter(|name| name.ends_with(".pack")).count(), 1, "{:?}", packs());
}
