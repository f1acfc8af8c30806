//! Tests that the configuration that is read without git is the same as git's.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::dice::Dice;
use crate::support::repo::{Repo, write_program};
use git_arborist::git::{CONCERNING_US, ConfigEntry, ConfigFiles, DiscoveryStart, Git, Variables, WorkTree};

/// A repository, and the files of a user and a system.
struct Place {
    repo: Repo,
    folder: tempfile::TempDir,
    work_tree: WorkTree,
    variables: BTreeMap<OsString, OsString>,
}

impl Place {
    fn new() -> Self {
        let (repo, folder) = (Repo::init(&[]), tempfile::tempdir().unwrap());
        fs::create_dir_all(folder.path().join(".config/git")).unwrap();
        let work_tree = work_tree_at(repo.path());
        let mut place = Self { repo, folder, work_tree, variables: BTreeMap::new() };
        place.set("PATH", &std::env::var("PATH").unwrap());
        place.set("HOME", place.folder.path().to_str().unwrap().to_owned().as_str());
        place.set(
            "GIT_CONFIG_SYSTEM",
            place.folder.path().join("system").to_str().unwrap().to_owned().as_str(),
        );
        place
    }

    fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.into(), value.into());
    }

    /// The files for settings, lowest first.
    fn files(&self) -> [PathBuf; 4] {
        let home = self.folder.path();
        let local = self.repo.path().join(".git/config");
        [home.join("system"), home.join(".config/git/config"), home.join(".gitconfig"), local]
    }

    fn program() -> PathBuf {
        Git::find(Path::new("/")).unwrap().program().to_owned()
    }

    /// What git answers; `None` if it fails.
    fn by_git(&self, question: &[&str]) -> Option<Vec<ConfigEntry>> {
        let output = Command::new(Self::program())
            .args(["config", "-z", "--show-scope", "--show-origin"])
            .args(question)
            .current_dir(&self.work_tree.top)
            .env_clear()
            .envs(&self.variables)
            .output()
            .unwrap();
        matches!(output.status.code(), Some(0 | 1)).then(|| ConfigEntry::parse_list(&output.stdout))
    }

    fn found(&self) -> Option<ConfigFiles> {
        ConfigFiles::find(&Git::find(&self.work_tree.top).unwrap(), &Variables(&self.variables), None)
    }

    fn here(&self) -> Option<Vec<ConfigEntry>> {
        self.found()?.entries(&self.work_tree)
    }

    /// Asserts that the entries that are read here, if any, are those of git, and returns whether there are any.
    #[track_caller]
    fn agrees(&self) -> bool {
        let Some(here) = self.here() else { return false };
        let texts: Vec<_> =
            self.files().iter().map(|file| fs::read_to_string(file).unwrap_or_default()).collect();
        assert_eq!(Some(here), self.by_git(&["--list"]), "{texts:#?}");
        let ours = self.found().unwrap().entries_of_ours(&self.work_tree);
        assert_eq!(ours, self.by_git(&["--get-regexp", CONCERNING_US]), "{texts:#?}");
        true
    }
}

fn work_tree_at(folder: &Path) -> WorkTree {
    Git::find(folder).unwrap().discovering_from_folder_alone().work_tree().unwrap()
}

/// Building blocks of texts, of which git accepts nearly all combinations.
const LINES: &[&str] = &[
    "[arborist]\n",
    "[Arborist \"Runner.Mine\"]\n",
    "[core]",
    "[color] ui = auto # words\n",
    "\t[commit]\n",
    "[ab-1 \"x \\\"y\\\" \\\\\"]\n",
    "; a comment\n",
    "\n",
    "\treview = on\n",
    "Review=off\n",
    "\tcommand = my-agent --some 'option'   ; words\n",
    "\tcommand = \"a # b\" c\\\\d\\n # \"\"\n",
    "\tcommand = \"  two  \"  \"words \" \n",
    "\tcommentChar = \"#\"\n",
    "\thooksPath = é/ü\n",
    "\tk-1 =\n",
    "\talone\n",
    "\talone  \n",
    "\talone = \"\" \n",
    "[include]\n\tpath = other\n",
    "[includeIf \"gitdir:/\"]\n\tpath = other\n",
];

/// Texts that git refuses, or reads in an unexpected way.
const ODD: &[&str] = &[
    "[include]\n\tpath\n",
    "[includeIf \"gitdir:/*/x\"]\n\tpath = other\n",
    "[includeIf \"onbranch:main\"]\n\tpath = other\n",
    "[extensions]\n\tworktreeConfig = true\n",
    "[a.B]\n",
    "\tcommand = a\\\n  b\n",
    "\tcommand = a\tb\n",
    "\tcommand = \"open\n",
    "\tcommand = a\r\n",
    "\t1 = 2\n",
    "\talone # words\n",
    "\talone # = words\n",
    "[a \"b\n\"]\n",
    "\u{a0}review = on\n",
    "\u{feff}",
    "[]\n",
    "\tcommand = a\\q\n",
    "\tcommand = \"a\\\nb\"\n",
];

#[test]
fn random_files_are_read_as_by_git_or_left_to_git() {
    let mut dice = Dice(0x00c0_ff1e);
    let place = Place::new();
    let local = fs::read_to_string(&place.files()[3]).unwrap();
    fs::write(place.folder.path().join("other"), "[arborist]\n\treview = included\n").unwrap();
    fs::write(place.repo.path().join(".git/other"), "[arborist]\n\treview = included\n").unwrap();
    let mut read = 0;
    for round in 0..150 {
        for (place, file) in place.files().into_iter().enumerate() {
            let mut text = if place == 3 { local.clone() } else { String::new() };
            text.push_str(["[core]\n", "[arborist]\n", ""][dice.below(2 + usize::from(place == 3))]);
            for _ in 0..dice.below(6) {
                let odd = round % 3 == 0 && dice.one_in(12);
                text.push_str(if odd { ODD[dice.below(ODD.len())] } else { LINES[dice.below(LINES.len())] });
            }
            if dice.one_in(4) {
                text.truncate(text.trim_end().len());
            }
            if place < 3 && dice.one_in(4) {
                let _ = fs::remove_file(file);
            } else {
                fs::write(file, text).unwrap();
            }
        }
        read += usize::from(place.agrees());
    }
    assert!((90..150).contains(&read), "{read}");
}

#[test]
fn settings_outside_of_plain_files_are_left_to_git() {
    let odd: [&[(&str, &str)]; 8] = [
        &[("GIT_CONFIG_COUNT", "1"), ("GIT_CONFIG_KEY_0", "arborist.review"), ("GIT_CONFIG_VALUE_0", "off")],
        &[("GIT_CONFIG_PARAMETERS", "'arborist.review'='off'")],
        &[("GIT_CONFIG", "/dev/null")],
        &[("GIT_CONFIG_NOSYSTEM", "maybe")],
        &[("GIT_CONFIG_GLOBAL", "relative")],
        &[("GIT_CONFIG_GLOBAL", "")],
        &[("HOME", "relative")],
        &[("XDG_CONFIG_HOME", "relative")],
    ];
    for variables in odd {
        let mut place = Place::new();
        variables.iter().for_each(|(name, value)| place.set(name, value));
        assert_eq!(place.here(), None, "{variables:?}");
    }
    for text in ODD {
        let place = Place::new();
        fs::write(&place.files()[2], format!("[arborist]\n{text}")).unwrap();
        assert_eq!(place.here(), None, "{text:?}");
    }
    let place = Place::new();
    fs::create_dir(&place.files()[2]).unwrap();
    assert_eq!(place.here(), None, "a folder in place of a file");
}

#[test]
fn variables_choose_the_files_as_in_git() {
    let usual: [&[(&str, &str)]; 5] = [
        &[],
        &[("GIT_CONFIG_NOSYSTEM", "1")],
        &[("GIT_CONFIG_GLOBAL", "/dev/null")],
        &[("XDG_CONFIG_HOME", "")],
        &[("XDG_CONFIG_HOME", "/nonexistent//x")],
    ];
    for variables in usual {
        let mut place = Place::new();
        for (number, file) in place.files().into_iter().enumerate().take(3) {
            fs::write(file, format!("[arborist]\n\treview = {number}\n")).unwrap();
        }
        variables.iter().for_each(|(name, value)| place.set(name, value));
        assert!(place.agrees(), "{variables:?}");
    }
}

#[test]
fn a_linked_work_tree_has_the_settings_of_the_repository_or_is_left_to_git() {
    let mut place = Place::new();
    let person = ["-c", "user.name=a", "-c", "user.email=a@b"];
    place.repo.git(&[&person[..], &["commit", "-q", "--allow-empty", "-m", "x"]].concat());
    let linked = place.folder.path().join("linked");
    place.repo.git(&["worktree", "add", "-q", linked.to_str().unwrap()]);
    place.work_tree = work_tree_at(&linked);
    assert!(place.agrees());
    place.repo.git(&["config", "extensions.worktreeConfig", "true"]);
    assert!(!place.agrees());
}

#[test]
fn files_are_included_under_the_conditions_under_which_git_includes_them() {
    let place = Place::new();
    let (top, home) = (place.work_tree.top.clone(), place.folder.path().canonicalize().unwrap());
    let name = top.file_name().unwrap().to_str().unwrap();
    let (git_dir, upper) = (format!("{}/.git", top.display()), top.display().to_string().to_uppercase());
    fs::write(home.join("other"), "[arborist]\n\treview = included\n[include]\n\tpath = ./more\n").unwrap();
    fs::write(home.join("more"), "[arborist]\n\treview = more\n").unwrap();
    let conditions = [
        format!("gitdir:{git_dir}"),
        format!("gitdir:{git_dir}/"),
        format!("gitdir:{}/", top.display()),
        format!("gitdir:{}", top.display()),
        format!("gitdir:{name}/"),
        format!("gitdir:{name}/.git"),
        format!("gitdir:{name}"),
        "gitdir:.git".to_owned(),
        "gitdir:/".to_owned(),
        format!("gitdir:{upper}/"),
        format!("gitdir/i:{upper}/"),
        format!("gitdir/i:{}/", name.to_uppercase()),
        "gitdir:~/".to_owned(),
        "gitdir:./".to_owned(),
        format!("gitdir:{}", &name[1..]),
    ];
    let mut included = 0;
    for condition in &conditions {
        for path in ["other", "~/other", home.join("other").to_str().unwrap(), "missing", "~/missing"] {
            let text = format!("[includeIf \"{condition}\"]\n\tpath = {path}\n[arborist]\n\tjobs = 2\n");
            fs::write(&place.files()[2], text).unwrap();
            assert!(place.agrees(), "{condition} {path} is left to git");
            included += usize::from(place.here().unwrap().iter().any(|entry| entry.value == "more"));
        }
    }
    assert_eq!(included, 3 * 8, "so many hold");
    fs::write(&place.files()[2], "").unwrap();
    fs::write(top.join(".git/own"), "[arborist]\n\treview = own\n").unwrap();
    place.repo.git(&["config", "include.path", "own"]);
    assert!(place.agrees() && place.here().unwrap().iter().any(|entry| entry.value == "own"));
    // What is no ordinary file is left to git, which is given some time for it.
    fs::write(&place.files()[2], "[include]\n\tpath = pipe\n").unwrap();
    assert!(Command::new("mkfifo").arg(home.join("pipe")).status().unwrap().success());
    assert_eq!(place.here(), None);
    // Git refuses files that include themselves.
    fs::write(home.join("more"), "[include]\n\tpath = other\n").unwrap();
    fs::write(&place.files()[2], "[include]\n\tpath = other\n").unwrap();
    assert_eq!(place.here(), None);
}

#[test]
fn where_the_system_file_of_a_git_is_is_asked_once() {
    let mut place = Place::new();
    place.variables.remove(Path::new("GIT_CONFIG_SYSTEM").as_os_str());
    // A git that is neither in /usr nor in a folder `bin`, so that its place does not tell.
    let folder = place.folder.path().join("unusual");
    fs::create_dir(&folder).unwrap();
    let program = folder.join("git");
    write_program(&program, &fs::read(Place::program()).unwrap());
    let git = Git::for_reading(&program, DiscoveryStart::Folder(place.work_tree.top.clone()));
    let caches = place.folder.path().join("caches");
    let memory = caches.join("git-arborist/git-system-files.json");
    let find = || ConfigFiles::find(&git, &Variables(&place.variables), Some(&caches));
    let found = find();
    assert!(found.is_some() && memory.is_file());
    // What is remembered is believed, until the program is another one.
    let remembered = fs::read_to_string(&memory).unwrap();
    let moved = remembered.replace("gitconfig\"", "moved\"");
    assert_ne!(moved, remembered);
    fs::write(&memory, moved).unwrap();
    assert!(find().is_some() && find() != found);
    write_program(&program, &fs::read(Place::program()).unwrap());
    assert_eq!(find(), found);
    // A git that could not be asked has given no answer.
    let remembered = fs::read_to_string(&memory).unwrap();
    write_program(&program, b"\x7fELF is no program");
    assert_eq!(find(), None);
    assert_eq!(fs::read_to_string(&memory).unwrap(), remembered);
    // A script may set anything.
    write_program(&program, b"#!/bin/sh\nexec git \"$@\"\n");
    assert_eq!(find(), None);
}
