//! Tests `git arborist pr` with stand-ins for the programs of forges, and a bare repository behind a stand-in for ssh.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::cli::{PLAN, Said, Story, git_with_commands};
use crate::support::repo::{Repo, git, write_program};
use crate::support::schemas::fits;
use crate::support::skip::has;

/// A repository with a run on the branch `work`, and a bare repository `o/n` on a forge that has its beginning.
struct Forge {
    root: tempfile::TempDir,
    repo: Repo,
}

/// Answers like a forge: to a method and a beginning of an endpoint, with the text of a file.
const STAND_IN: &str = r#"#!/bin/sh
log=$(dirname "$0")/../log
name=$(basename "$0")
number=$(ls "$log" | wc -l)
for word; do printf '%s\n' "$word"; done > "$log/$number.$name.args"
case "$1" in
  auth) test ! -f "$log/../logged-out" || { echo "You are not logged in." >&2; exit 1; }; exit 0 ;;
  api) ;;
  *) exit 9 ;;
esac
method=GET body=
while [ $# -gt 0 ]; do
  case "$1" in
    --method) method=$2; shift ;;
    --input) body=yes; shift ;;
    --hostname|--header) shift ;;
  esac
  endpoint=$1; shift
done
test -z "$body" || cat > "$log/$number.$name.stdin"
if [ -f "$log/../fails-$method" ]; then cat "$log/../fails-$method"; echo "$name: HTTP 422" >&2; exit 1; fi
cat "$log/../answer-$method" 2>/dev/null || echo '[]'
"#;

impl Forge {
    fn new(story: Story) -> Self {
        let root = tempfile::tempdir().unwrap();
        let bare = root.path().join("o/n.git");
        fs::create_dir_all(&bare).unwrap();
        for folder in ["bin", "log", "ssh"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        let repo = story.told(600).0;
        let run = |folder: &Path, args: &[&str]| {
            let output = git(folder, args).output().unwrap();
            assert!(output.status.success(), "{args:?}: {output:?}");
        };
        run(&bare, &["init", "-q", "--bare", "-b", "main"]);
        let first = repo.git(&["rev-list", "--max-parents=0", "HEAD"]);
        repo.git(&["push", "-q", bare.to_str().unwrap(), &format!("{first}:refs/heads/main")]);
        repo.git(&["switch", "-q", "-c", "work"]);
        let ssh =
            format!("#!/bin/sh\nfor last; do :; done\ncd '{}' && eval \"$last\"\n", root.path().display());
        let forge = Self { root, repo };
        forge.script("ssh/ssh", &ssh);
        forge.repo.git(&["config", "core.sshCommand", forge.path("ssh/ssh").to_str().unwrap()]);
        forge.repo.git(&["remote", "add", "origin", "git@github.com:o/n.git"]);
        forge
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn script(&self, name: &str, text: &str) {
        write_program(&self.path(name), text.as_bytes());
    }

    /// With a stand-in for this program.
    fn with(self, program: &str) -> Self {
        self.script(&format!("bin/{program}"), STAND_IN);
        self
    }

    fn answers(&self, method: &str, answer: &Value) {
        fs::write(self.path(&format!("answer-{method}")), answer.to_string()).unwrap();
    }

    fn pr(&self, args: &[&str]) -> Said {
        self.arborist(&[&["pr"], args].concat())
    }

    fn arborist(&self, args: &[&str]) -> Said {
        Said::of(self.command(args).output().unwrap())
    }

    fn command(&self, args: &[&str]) -> std::process::Command {
        let mut command = git_with_commands(self.repo.path(), &[&["arborist"], args].concat());
        let own = Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().unwrap().to_owned();
        // No real program of a forge is found.
        let folders = [self.path("bin"), own, "/usr/bin".into(), "/bin".into(), "/usr/local/bin".into()];
        let without = |folder: &PathBuf| {
            *folder == self.path("bin")
                || !["gh", "glab", "tea"].iter().any(|name| folder.join(name).exists())
        };
        let path: Vec<PathBuf> = folders.into_iter().filter(without).collect();
        let links = self.path("links");
        if !links.exists() {
            fs::create_dir(&links).unwrap();
            for name in [
                "git",
                "sh",
                "cat",
                "ls",
                "wc",
                "basename",
                "dirname",
                "env",
                "git-receive-pack",
                "git-upload-pack",
            ] {
                if let Ok(found) = which(name) {
                    std::os::unix::fs::symlink(found, links.join(name)).unwrap();
                }
            }
        }
        let path = std::env::join_paths(path.into_iter().chain([links])).unwrap();
        command.env("PATH", path).env("HOME", self.root.path());
        command
    }

    /// The tip of a branch of the bare repository.
    fn there(&self, branch: &str) -> String {
        let output = git(&self.path("o/n.git"), &["rev-parse", "-q", "--verify", branch]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    /// The calls of the programs, without those that ask about the login: the words, and what they read.
    fn calls(&self) -> Vec<Recorded> {
        let mut files: Vec<PathBuf> =
            fs::read_dir(self.path("log")).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some_and(|ending| ending == "args"));
        files.sort_by_key(|file| {
            let name = file.file_name().unwrap().to_str().unwrap();
            name.split('.').next().unwrap().parse::<usize>().unwrap()
        });
        let read = |file: &PathBuf| {
            let words: Vec<String> = fs::read_to_string(file).unwrap().lines().map(str::to_owned).collect();
            let sent = fs::read_to_string(file.with_extension("stdin")).ok();
            Recorded { words, sent: sent.map(|sent| serde_json::from_str(&sent).unwrap()) }
        };
        files.iter().map(read).filter(|call| call.words[0] == "api").collect()
    }

    fn forget_calls(&self) {
        fs::remove_dir_all(self.path("log")).unwrap();
        fs::create_dir(self.path("log")).unwrap();
    }
}

fn which(name: &str) -> Result<PathBuf, ()> {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.exists()).ok_or(())
}

#[derive(Debug)]
struct Recorded {
    words: Vec<String>,
    sent: Option<Value>,
}

impl Recorded {
    fn endpoint(&self) -> &str {
        self.words.last().unwrap()
    }
}

fn whole() -> Story {
    Story::of(PLAN).whole("T001").whole("T002").whole("T003").whole("T004")
}

fn pull(number: u32, body: &str) -> Value {
    json!({
        "number": number, "html_url": format!("https://github.com/o/n/pull/{number}"), "body": body,
        "base": {"ref": "main"}, "head": {"ref": "work", "repo": {"full_name": "o/n"}},
    })
}

#[test]
fn the_branch_is_pushed_and_a_draft_is_opened_with_the_report() {
    let forge = Forge::new(whole()).with("gh");
    forge.answers("POST", &pull(7, ""));
    let said = forge.pr(&["--yes"]);
    assert_eq!((said.code, said.out.as_str()), (0, "https://github.com/o/n/pull/7\n"), "{said:?}");
    assert!(
        said.err.contains("Pushed work to origin.") && said.err.contains("Opened the pull request #7."),
        "{said:?}"
    );
    assert_eq!(forge.there("work"), forge.repo.head().to_string());
    let calls = forge.calls();
    assert_eq!(calls[0].endpoint(), "repos/o/n/pulls?state=open&per_page=100&head=o%3Awork");
    let [host, method] = ["--hostname", "--method"].map(|option| {
        calls[1].words[calls[1].words.iter().position(|word| word == option).unwrap() + 1].as_str()
    });
    assert_eq!((host, method, calls[1].endpoint()), ("github.com", "POST", "repos/o/n/pulls"));
    let sent = calls[1].sent.as_ref().unwrap();
    assert_eq!(
        (&sent["title"], &sent["head"], &sent["base"]),
        (&json!("my-project"), &json!("work"), &json!("main"))
    );
    assert_eq!(sent["draft"], json!(true));
    let body = sent["body"].as_str().unwrap();
    assert!(
        body.starts_with("<!-- git-arborist report -->\n**4 of 4 tasks complete")
            || body.contains("4 tasks complete")
    );
    assert!(body.trim_end().ends_with(&forge.repo.head().to_string()), "{body}");
    assert!(calls.iter().flat_map(|call| &call.words).all(|word| word.len() < 200), "no text is an argument");
}

#[test]
fn an_open_request_keeps_what_people_wrote_and_is_left_alone_if_nothing_is_new() {
    let forge = Forge::new(whole()).with("gh");
    let old = "Mine.\r\n\r\n<!-- git-arborist report -->\r\nold\r\n<!-- end of the git-arborist report -->\r\n\r\nAlso mine.\r\n";
    forge.answers("GET", &json!([pull(3, old)]));
    forge.answers("PATCH", &pull(3, ""));
    let said = forge.pr(&["--yes"]);
    assert_eq!((said.code, said.out.as_str()), (0, "https://github.com/o/n/pull/3\n"), "{said:?}");
    let calls = forge.calls();
    assert_eq!(calls[1].endpoint(), "repos/o/n/pulls/3");
    let body = calls[1].sent.as_ref().unwrap()["body"].as_str().unwrap().to_owned();
    assert!(
        body.starts_with("Mine.\n\n<!-- git-arborist report -->\n**") && body.contains("\nAlso mine.\n"),
        "{body}"
    );
    assert!(!body.contains("\nold\n"), "{body}");
    forge.answers("GET", &json!([pull(3, &body.replace('\n', "\r\n"))]));
    forge.forget_calls();
    let said = forge.pr(&["--yes"]);
    assert!(said.err.contains("The pull request #3 is up to date."), "{said:?}");
    assert_eq!(forge.calls().len(), 1, "nothing was sent");
}

#[test]
fn without_a_terminal_nothing_is_done_without_yes() {
    let forge = Forge::new(whole()).with("gh");
    let said = forge.pr(&[]);
    assert_eq!((said.code, said.out.as_str()), (2, ""));
    assert!(said.err.contains("--yes") && said.err.contains("Nothing was done."), "{said:?}");
    assert_eq!((forge.there("work").as_str(), forge.calls().len()), ("", 0));
}

#[test]
fn on_a_terminal_each_action_is_asked_for() {
    let forge = Forge::new(whole()).with("gh");
    let program = forge.command(&["pr"]);
    let words: Vec<&str> = program.get_args().map(|word| word.to_str().unwrap()).collect();
    if !has("script") {
        return;
    }
    let mut script = std::process::Command::new("script");
    script.args(["-qec", &format!("git {}", words.join(" ")), "/dev/null"]).current_dir(forge.repo.path());
    script.env_clear().envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let ended = crate::support::repo::piped(script, "n\ny\nn\n");
    let said = String::from_utf8_lossy(&ended.stdout);
    for words in [
        "Push the record of the run? [y/N]",
        "Push work? [y/N]",
        "Pushed work to origin.",
        "Open it? [y/N]",
        "no request was opened, because you said no",
    ] {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert_eq!(forge.there("work"), forge.repo.head().to_string());
    assert!(forge.calls().iter().all(|call| call.sent.is_none()));
    assert!(!forge.repo.path().join(".git/arborist/pull-request.md").exists(), "nothing has failed");
}

#[test]
fn a_landed_branch_is_pushed_and_one_that_is_older_than_the_run_is_told() {
    let story = Story::of(PLAN).whole("T001").whole("T002").phase("phase1");
    let forge = Forge::new(story.whole("T003").whole("T004").phase("phase2")).with("gh");
    forge.answers("POST", &pull(9, ""));
    std::fs::write(forge.repo.path().join("own"), "own\n").unwrap();
    forge.repo.git(&["add", "own"]);
    forge.repo.git(&["commit", "-q", "-m", "A commit of a person"]);
    forge.repo.git(&["branch", "-q", "--force", "main", "HEAD"]);
    let landed = forge.arborist(&["land"]);
    assert_eq!(landed.code, 0, "{landed:?}");
    let said = forge.pr(&["--dry-run"]);
    assert!(!said.err.contains("was landed before"), "neither the marker of a phase nor a copy: {said:?}");
    forge.repo.git(&["commit", "-q", "--allow-empty", "-m", "mine"]);
    let said = forge.pr(&["--yes"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains("Pushed work-landed to origin."), "{said:?}");
    assert!(said.err.contains("work-landed was landed before the newest"), "{said:?}");
    assert_eq!(forge.there("work-landed"), forge.repo.id_of("work-landed").to_string());
    assert_eq!(forge.calls().pop().unwrap().sent.unwrap()["head"], json!("work-landed"));
}

#[test]
fn a_dry_run_and_the_document_tell_what_would_be_done() {
    let forge = Forge::new(whole()).with("gh");
    let said = forge.pr(&["--dry-run"]);
    assert_eq!(said.code, 0, "{said:?}");
    let begin = "push work to origin (git@github.com:o/n.git)\nopen a draft into main: my-project\n\n<!-- git-arborist";
    assert!(said.out.starts_with(begin), "{said:?}");
    let document = forge.pr(&["--dry-run", "--json"]).json();
    fits("pr", &document);
    assert_eq!((&document["push"], &document["request"]), (&json!("push"), &json!("open")));
    assert_eq!(document["compare_url"], json!("https://github.com/o/n/compare/main...work?expand=1"));
    assert_eq!(forge.there("work"), "");
    assert!(forge.calls().iter().all(|call| call.sent.is_none()));
    forge.answers("POST", &pull(7, ""));
    let done = forge.pr(&["--yes", "--json", "--ready", "--title", "A title\nof mine"]);
    let document: Value = serde_json::from_str(&done.out).unwrap();
    fits("pr", &document);
    assert_eq!((&document["number"], &document["draft"]), (&json!(7), &json!(false)));
    assert_eq!(forge.calls().last().unwrap().sent.as_ref().unwrap()["title"], json!("A title of mine"));
}

#[test]
fn a_task_on_a_branch_that_is_not_merged_is_not_delivered() {
    let forge = Forge::new(Story::of(PLAN).whole("T001")).with("gh");
    let complete =
        "task(T003): complete \"Build endpoints\"\n\nArborist-Step: complete\nArborist-Result: pass\n";
    forge.repo.git(&["switch", "-q", "-c", "arborist/my-project/T003"]);
    forge.repo.git(&["commit", "-q", "--allow-empty", "-m", complete]);
    forge.repo.git(&["switch", "-q", "work"]);
    let said = forge.pr(&["--dry-run"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(
        said.err.contains("T003 is not merged yet; T002, T004 are open, so a new request is a draft"),
        "{said:?}"
    );
    for words in ["**1 of 4 tasks complete, 1 not merged yet,", "Build endpoints (complete, not merged yet)"]
    {
        assert!(said.out.contains(words), "{words}: {said:?}");
    }
    assert!(said.out.contains("\nArborist-Complete: T001\n"), "{said:?}");
    // Its own branch has it.
    forge.repo.git(&["switch", "-q", "arborist/my-project/T003"]);
    let said = forge.pr(&["--dry-run"]);
    assert!(said.out.contains("\nArborist-Complete: T001 T003\n"), "{said:?}");
    // Only such tasks are nothing to deliver.
    forge.repo.git(&["switch", "-q", "work"]);
    let said = forge.pr(&["--dry-run", "T003"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(said.err.contains("no task that is complete is merged"), "{said:?}");
}

#[test]
fn open_and_failed_tasks_are_named_and_make_it_a_draft() {
    let story = Story::of(PLAN)
        .whole("T001")
        .implement("T002", 0, git_arborist::record::Outcome::Fail)
        .failed("T002");
    let forge = Forge::new(story).with("gh");
    forge.answers("POST", &pull(1, ""));
    let said = forge.pr(&["--yes", "--ready", "phase1"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert!(said.err.contains("warning: T002 has failed, so a new request is a draft"), "{said:?}");
    let sent = forge.calls().pop().unwrap().sent.unwrap();
    assert_eq!(
        (&sent["draft"], &sent["title"]),
        (&json!(true), &json!("Task #phase1 [my-project]: Database Layer"))
    );
}

#[test]
fn gitlab_is_asked_by_its_own_program_and_gitea_by_none() {
    let forge = Forge::new(whole()).with("glab");
    forge.repo.git(&["remote", "set-url", "origin", "git@gitlab.com:o/n.git"]);
    forge.answers(
        "POST",
        &json!({"iid": 4, "web_url": "https://gitlab.com/o/n/-/merge_requests/4", "target_branch": "main"}),
    );
    let said = forge.pr(&["--yes"]);
    assert_eq!(
        (said.code, said.out.as_str()),
        (0, "https://gitlab.com/o/n/-/merge_requests/4\n"),
        "{said:?}"
    );
    let calls = forge.calls();
    assert_eq!(
        calls[0].endpoint(),
        "projects/o%2Fn/merge_requests?state=opened&per_page=100&source_branch=work"
    );
    let sent = calls[1].sent.as_ref().unwrap();
    assert_eq!(
        (calls[1].endpoint(), &sent["title"]),
        ("projects/o%2Fn/merge_requests", &json!("Draft: my-project"))
    );
    assert!(calls[1].words.contains(&"Content-Type: application/json".to_owned()));
    assert!(sent["description"].as_str().unwrap().contains("Arborist-Complete: "));

    // For Gitea there is none: the branch is pushed, and a person opens the request.
    let forge = Forge::new(whole()).with("tea");
    forge.repo.git(&["remote", "set-url", "origin", "git@codeberg.org:o/n.git"]);
    let said = forge.pr(&["--yes"]);
    assert_eq!(said.code, 0, "{said:?}");
    assert_eq!(forge.there("work"), forge.repo.head().to_string());
    assert!(said.out.contains("Arborist-Complete: "), "{said:?}");
    assert!(
        said.err.contains("open one by hand at https://codeberg.org/o/n/compare/main...work"),
        "{said:?}"
    );
    assert!(forge.calls().is_empty());
}

#[test]
fn a_fork_opens_its_request_in_the_repository_it_comes_from() {
    let forge = Forge::new(whole()).with("gh");
    let mine = forge.path("me/n.git");
    fs::create_dir_all(&mine).unwrap();
    assert!(git(&mine, &["init", "-q", "--bare"]).status().unwrap().success());
    forge.repo.git(&["remote", "add", "mine", "https://token:secret@github.com/me/n.git"]);
    forge.repo.git(&[
        "config",
        "url.git@github.com:me/.pushInsteadOf",
        "https://token:secret@github.com/me/",
    ]);
    forge.repo.git(&["config", "remote.pushDefault", "mine"]);
    forge.answers("POST", &pull(5, ""));
    let said = forge.pr(&["--yes"]);
    assert_eq!(said.code, 4, "it can be pushed to, but not read from: {said:?}");
    assert!(!said.err.contains("secret") && !said.err.contains("token"), "{said:?}");
    forge.repo.git(&["config", "url.git@github.com:me/.insteadOf", "https://token:secret@github.com/me/"]);
    let said = forge.pr(&["--yes"]);
    assert_eq!(said.code, 0, "{said:?}");
    let calls = forge.calls();
    assert!(
        calls[0].endpoint().starts_with("repos/o/n/pulls?")
            && calls[0].endpoint().ends_with("head=me%3Awork")
    );
    assert_eq!(calls[1].sent.as_ref().unwrap()["head"], json!("me:work"));
    assert_eq!(forge.there("work"), "", "it went to the fork");
}

#[test]
fn a_template_keeps_its_words() {
    let forge = Forge::new(whole()).with("gh");
    fs::create_dir(forge.repo.path().join(".github")).unwrap();
    let file = forge.repo.path().join(".github/pull_request_template.md");
    fs::write(&file, "## Why\n\n{report}\n\n## Check\n- [ ] seen\n").unwrap();
    let body =
        forge.pr(&["--dry-run", "--json", "--allow-dirty"]).json()["body"].as_str().unwrap().to_owned();
    assert!(body.starts_with("## Why\n\n<!-- git-arborist report -->\n"), "{body}");
    assert!(body.contains("\n## Check\n- [ ] seen\n\nArborist-Complete: "), "{body}");
    fs::write(&file, "x".repeat(10_000)).unwrap();
    let said = forge.pr(&["--dry-run", "--allow-dirty"]);
    assert_eq!(said.code, 2, "{said:?}");
    assert!(said.err.contains("it is larger than 5000 bytes"), "{said:?}");
    forge.repo.git(&["config", "arborist.pr.template", "../x.md"]);
    assert!(forge.pr(&["--dry-run", "--allow-dirty"]).err.contains("it is outside of the work tree"));
}

/// What a call must say and leave: its status, words, and that nothing was pushed.
#[track_caller]
fn refused(forge: &Forge, args: &[&str], code: i32, words: &[&str]) {
    let before = forge.there("work");
    let said = forge.pr(args);
    assert_eq!(said.code, code, "{said:?}");
    for word in words {
        assert!(said.err.contains(word), "{word}: {said:?}");
    }
    assert_eq!(forge.there("work"), before, "nothing was pushed");
    assert!(forge.calls().iter().all(|call| call.sent.is_none()), "nothing was sent");
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_done() {
    let forge = Forge::new(whole()).with("gh");
    refused(
        &forge,
        &["--yes", "--remote", "nowhere"],
        2,
        &["there is no remote repository nowhere", "origin"],
    );
    refused(&forge, &["--yes", "--branch", "nowhere"], 2, &["there is no branch nowhere here"]);
    refused(&forge, &["--yes", "--base", "nowhere"], 3, &["origin has no branch nowhere"]);
    refused(&forge, &["--yes", "--base", "work"], 2, &["is the branch into which requests are merged"]);
    fs::write(forge.repo.path().join("task-tree.json"), "{}").unwrap();
    forge.repo.git(&["checkout", "-q", "task-tree.json"]);
    fs::write(forge.repo.path().join("src/T001.txt"), "changed\n").unwrap();
    refused(&forge, &["--yes"], 3, &["src/T001.txt"]);
    forge.repo.git(&["checkout", "-q", "."]);
    forge.repo.git(&["config", "arborist.pr.enabled", "false"]);
    refused(&forge, &["--yes"], 2, &["pull requests are turned off here"]);
    forge.repo.git(&["config", "--unset", "arborist.pr.enabled"]);
    let bare = forge.path("o/n.git");
    git(&bare, &["symbolic-ref", "HEAD", "refs/heads/gone"]).status().unwrap();
    refused(&forge, &["--yes"], 3, &["does not say which branch is its default branch", "arborist.pr.base"]);
    git(&bare, &["symbolic-ref", "HEAD", "refs/heads/main"]).status().unwrap();
    forge.repo.git(&["push", "-q", bare.to_str().unwrap(), "work:main"]);
    refused(&forge, &["--yes"], 1, &["work has no commit that main does not have"]);
    forge.repo.git(&["switch", "-q", "--detach"]);
    refused(&forge, &["--yes"], 3, &[]);
    forge.repo.git(&["switch", "-q", "work"]);
    forge.repo.git(&["remote", "remove", "origin"]);
    refused(&forge, &["--yes"], 3, &["there is no remote repository", "git remote add origin"]);
    forge.repo.git(&["remote", "add", "a", "git@github.com:o/n.git"]);
    forge.repo.git(&["remote", "add", "b", "git@github.com:o/n.git"]);
    refused(&forge, &["--yes"], 3, &["it is not clear", "There are a, b.", "remote.pushDefault"]);
    forge.repo.git(&["remote", "remove", "b"]);
    forge.repo.git(&["remote", "set-url", "a", "git@github.com:o/missing.git"]);
    refused(&forge, &["--yes"], 4, &["a (git@github.com:o/missing.git) cannot be reached"]);
    let nothing = Forge::new(Story::of(PLAN)).with("gh");
    refused(&nothing, &["--yes"], 1, &["no task is complete"]);
}

#[test]
fn a_branch_of_that_name_with_other_commits_is_never_overwritten() {
    let forge = Forge::new(whole()).with("gh");
    let other = forge.repo.git(&["commit-tree", "HEAD^{tree}", "-m", "theirs"]);
    forge.repo.git(&[
        "push",
        "-q",
        forge.path("o/n.git").to_str().unwrap(),
        &format!("{other}:refs/heads/work"),
    ]);
    refused(
        &forge,
        &["--yes"],
        3,
        &["the branch work of origin has commits that yours does not have", "Nothing was pushed."],
    );
}

#[test]
fn a_refused_push_leaves_the_text_in_a_file() {
    let forge = Forge::new(whole()).with("gh");
    forge.script("o/n.git/hooks/pre-receive", "#!/bin/sh\necho 'work is protected, says the hook'\nexit 1\n");
    refused(
        &forge,
        &["--yes"],
        4,
        &["work could not be pushed to origin", "says the hook", "pre-receive hook declined"],
    );
    let file = forge.repo.path().join(".git/arborist/pull-request.md");
    let said = forge.pr(&["--yes"]);
    assert!(said.err.contains(".git/arborist/pull-request.md"), "{said:?}");
    assert!(fs::read_to_string(file).unwrap().contains("Arborist-Complete: "));
}

#[test]
fn a_request_that_the_forge_refuses_leaves_the_text_in_a_file_and_the_branch_pushed() {
    let forge = Forge::new(whole()).with("gh");
    let answer = json!({"message": "Validation Failed", "errors": [{"message": "A pull request already exists for o:work."}]});
    fs::write(forge.path("fails-POST"), answer.to_string()).unwrap();
    let said = forge.pr(&["--yes"]);
    assert_eq!(said.code, 4, "{said:?}");
    for words in
        ["gh: HTTP 422", "A pull request already exists", "pull-request.md", "Pushed work to origin."]
    {
        assert!(said.err.contains(words), "{words}: {said:?}");
    }
    assert_eq!(forge.there("work"), forge.repo.head().to_string());
}

#[test]
fn without_a_program_for_the_forge_the_user_gets_what_is_needed() {
    let forge = Forge::new(whole());
    let said = forge.pr(&["--yes"]);
    assert_eq!(said.code, 4, "{said:?}");
    assert!(
        said.out.starts_with("<!-- git-arborist report -->") && said.out.contains("Arborist-Run: "),
        "{said:?}"
    );
    for words in [
        "gh is not installed",
        "`git push origin work`",
        "https://github.com/o/n/compare/main...work?expand=1",
    ] {
        assert!(said.err.contains(words), "{words}: {said:?}");
    }
    let forge = forge.with("gh");
    fs::write(forge.path("logged-out"), "").unwrap();
    let said = forge.pr(&["--yes"]);
    assert_eq!(said.code, 4, "{said:?}");
    for words in ["gh is not logged in (You are not logged in.)", "gh auth login --hostname github.com"] {
        assert!(said.err.contains(words), "{words}: {said:?}");
    }
    assert_eq!(forge.there("work"), "");
    let bare = forge.path("o/n.git");
    forge.repo.git(&["remote", "set-url", "origin", bare.to_str().unwrap()]);
    let said = forge.pr(&["--yes"]);
    assert_eq!(said.code, 1, "{said:?}");
    assert!(
        said.err.contains("is not on a known forge, so no request was opened")
            && said.out.contains("Arborist-Run: "),
        "{said:?}"
    );
    let document: Value = serde_json::from_str(&forge.pr(&["--dry-run", "--json"]).out).unwrap();
    fits("pr", &document);
}

#[test]
fn a_host_whose_name_says_nothing_is_known_by_a_login_or_a_setting() {
    let forge = Forge::new(whole()).with("gh");
    forge.repo.git(&["remote", "set-url", "origin", "git@code.example:o/n.git"]);
    let document = forge.pr(&["--dry-run", "--json"]).json();
    assert_eq!((&document["forge"], &document["program"]), (&json!("github"), &json!("gh")));
    forge.repo.git(&["config", "arborist.pr.forge", "gitlab"]);
    let document = forge.pr(&["--dry-run", "--json"]).json();
    assert_eq!((&document["forge"], &document["program"]), (&json!("gitlab"), &Value::Null));
    assert!(document["obstacle"].as_str().unwrap().starts_with("glab is not installed"));
}

#[test]
fn a_base_that_has_moved_is_told() {
    let forge = Forge::new(whole()).with("gh");
    let first = forge.repo.git(&["rev-list", "--max-parents=0", "HEAD"]);
    let newer = forge.repo.git(&["commit-tree", &format!("{first}^{{tree}}"), "-p", &first, "-m", "newer"]);
    forge.repo.git(&[
        "push",
        "-q",
        forge.path("o/n.git").to_str().unwrap(),
        &format!("{newer}:refs/heads/main"),
    ]);
    let said = forge.pr(&["--dry-run"]);
    assert!(said.err.contains("origin/main has 1 commit that your branch does not have"), "{said:?}");
    assert_eq!(said.code, 0);
}

#[test]
fn doctor_says_what_a_squash_merge_keeps() {
    let row = |forge: &Forge, what: &str| -> Value {
        let said = forge.arborist(&["doctor", "--forge", "--json"]);
        let document: Value = serde_json::from_str(&said.out).unwrap_or_else(|_| panic!("{said:?}"));
        fits("doctor", &document);
        let rows = document["diagnoses"].as_array().unwrap();
        rows.iter().find(|row| row["what"] == what).unwrap_or(&Value::Null).clone()
    };
    let forge = Forge::new(whole()).with("gh");
    for (setting, allowed, health, words) in [
        ("PR_BODY", true, "good", "keeps which tasks are complete"),
        ("COMMIT_MESSAGES", true, "note", "only the trailers of the last"),
        ("BLANK", true, "note", "only a title"),
        ("BLANK", false, "good", "not allowed there"),
    ] {
        forge.answers(
            "GET",
            &json!({"id": 1, "allow_squash_merge": allowed, "squash_merge_commit_message": setting}),
        );
        let row = row(&forge, "squash merge");
        assert_eq!(row["health"], json!(health), "{setting}: {row}");
        assert!(row["words"].as_str().unwrap().contains(words), "{setting}: {row}");
        let has_command =
            row["remedy"].as_str().unwrap().contains("repos/o/n -f squash_merge_commit_title=PR_TITLE");
        assert_eq!(has_command, health == "note", "{row}");
    }
    forge.answers("GET", &json!({"id": 1}));
    assert!(
        row(&forge, "squash merge")["words"].as_str().unwrap().contains("told only to those who may push")
    );
    fs::write(forge.path("logged-out"), "").unwrap();
    assert!(row(&forge, "forge")["words"].as_str().unwrap().starts_with("gh is not logged in"));
    assert_eq!(row(&forge, "squash merge"), Value::Null);

    let forge = Forge::new(whole()).with("glab");
    forge.repo.git(&["remote", "set-url", "origin", "git@gitlab.com:g/sub/n.git"]);
    for (template, health, words) in [
        (json!("%{title}\n\n%{description}"), "good", "keeps which tasks are complete"),
        (json!("%{all_commits}"), "note", "only the trailers of the last"),
        (json!("Squashed"), "note", "from a template without"),
        (Value::Null, "note", "only a title"),
    ] {
        forge.answers(
            "GET",
            &json!({"id": 1, "squash_option": "default_off", "squash_commit_template": template}),
        );
        let row = row(&forge, "squash merge");
        assert_eq!(row["health"], json!(health), "{row}");
        assert!(row["words"].as_str().unwrap().contains(words), "{row}");
    }
    assert!(row(&forge, "squash merge")["remedy"].as_str().unwrap().contains("projects/g%2Fsub%2Fn"));
    forge.repo.git(&["remote", "remove", "origin"]);
    assert!(row(&forge, "forge")["words"].as_str().unwrap().contains("there is no remote repository"));
}
