//! Tests that checking a range covers the same commits as git, in the same order, with the same findings as for each
//! commit alone.

use std::collections::HashMap;
use std::io::Write;
use std::process::Stdio;

use crate::support::dice::Dice;
use crate::support::repo::{Commit, Repo, command, git, git_can_init};
use git_arborist::check::{Checked, MessageReport, Rule};
use git_arborist::config::Environment;
use git_arborist::git::{Git, Revisions};
use git_arborist::hooks::{CheckContext, RangeChecks, check_commits};
use git_arborist::record::CommitId;

/// The answer of `check` for a commit.
type Said = (String, Option<String>, Vec<u8>, MessageReport);

fn said(checked: Checked) -> Said {
    (checked.name, checked.subject, checked.text, checked.report)
}

fn git_of(repo: &Repo) -> Git {
    Git::find(repo.path()).unwrap().discovering_from_folder_alone()
}

fn check(repo: &Repo, revisions: &Revisions) -> Vec<Said> {
    let context = CheckContext::unknown(&Environment::default());
    check_commits(&git_of(repo), revisions, &context, &RangeChecks::Nothing)
        .unwrap()
        .into_iter()
        .map(said)
        .collect()
}

/// The answers of `check` for single commits of a repository, each computed once.
#[derive(Default)]
struct Singles(HashMap<String, Vec<Said>>);

impl Singles {
    /// Asserts that a range has the findings of its single commits in the order of `git rev-list`, and returns them.
    #[track_caller]
    fn same(&mut self, repo: &Repo, range: &str) -> Vec<Said> {
        let ends = repo.git(&["rev-parse", "--revs-only", range]);
        let list: Vec<&str> = ["rev-list", "--topo-order"].into_iter().chain(ends.lines()).collect();
        let commits = repo.git(&list);
        let alone = |id: &str| check(repo, &Revisions::new(vec![id.to_owned(), format!("^{id}^@")]));
        let expected: Vec<Said> = commits
            .lines()
            .flat_map(|id| self.0.entry(id.to_owned()).or_insert_with(|| alone(id)).clone())
            .collect();
        assert_eq!(check(repo, &git_of(repo).range(range).unwrap()), expected, "{range}");
        expected
    }
}

/// As [`Singles::same`], for one range.
#[track_caller]
fn same(repo: &Repo, range: &str) -> Vec<Said> {
    Singles::default().same(repo, range)
}

/// A message, mostly one with findings, so that no commit can get lost or out of place without notice.
fn message(dice: &mut Dice, number: usize) -> String {
    let task = ["T1", "T2"][dice.below(2)];
    let (step, key, word) = [
        ("implement", "Result", "pass"),
        ("test", "Test", "fail"),
        ("review", "Review", "approved"),
        ("complete", "Result", "pass"),
    ][dice.below(4)];
    let block = format!("Arborist-Step: {step}\nArborist-{key}: {word}\nArborist-Retry: {}\n", dice.below(3));
    match dice.below(8) {
        0 => format!("Change {number}\n"),
        1 => format!("Quote {number}\n\nArborist-Step: test\nis how it begins.\n"),
        2 => format!("task({task}): x {number}\n\n{block}\nlast words\n"),
        3 => format!("phase({task}): complete\n\nArborist-Step: phase-complete\n"),
        4 => format!(
            "\ntask({task}): x {number}\n\n{block}Signed-off-by: A <a@example.com>\nArborist-Stop: 1\n"
        ),
        _ => format!("task({task}): x {number}\n\nbody\n\n{block}"),
    }
}

/// The clocks of the committers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Clocks {
    /// They advance, or stay the same.
    Right,
    /// They sometimes go back.
    Wrong,
}

/// A history in which a commit has this many chances in ten to begin a side branch, and to be a merge.
fn history(dice: &mut Dice, (beside, merges): (usize, usize), clocks: Clocks) -> Vec<Commit> {
    let mut commits: Vec<Commit> = Vec::new();
    let mut time = 1_700_000_000;
    for number in 0..25 {
        let mut parents = Vec::new();
        if number > 0 {
            parents.push(if dice.below(10) < beside { dice.below(number) } else { number - 1 });
        }
        if number > 1 && dice.below(10) < merges {
            let other = dice.below(number);
            if !parents.contains(&other) {
                parents.push(other);
            }
        }
        time += match clocks {
            Clocks::Right => [0, 1, 3_600, 200_000][dice.below(4)],
            Clocks::Wrong => [0, 3_600, 200_000, -50_000, -400_000][dice.below(5)],
        };
        commits.push(Commit { parents, time, message: message(dice, number), files: Vec::new() });
    }
    commits
}

#[test]
fn random_ranges_have_the_findings_of_their_commits_in_the_order_of_git() {
    let mut dice = Dice(0x0051_7c0f_fee5_1dea);
    for shape in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 3), (3, 5)] {
        for clocks in [Clocks::Right, Clocks::Wrong] {
            let (repo, ids) = Repo::with(&history(&mut dice, shape, clocks));
            let mut singles = Singles::default();
            for _ in 0..3 {
                let (start, end) = (ids[dice.below(25)], ids[dice.below(25)]);
                singles.same(&repo, &format!("{start}..{end}"));
                singles.same(&repo, &format!("{start}...{end}"));
                check_newest(&repo, &mut singles, end, dice.below(8));
            }
            assert!(!singles.0.values().all(Vec::is_empty));
        }
    }
}

/// `X~N..X`, if there are that many commits.
fn check_newest(repo: &Repo, singles: &mut Singles, end: CommitId, count: usize) {
    repo.git(&["branch", "-f", "newest", &end.to_string()]);
    let range = format!("newest~{count}..newest");
    if git(repo.path(), &["rev-parse", "-q", "--verify", &format!("newest~{count}")])
        .output()
        .unwrap()
        .status
        .success()
    {
        singles.same(repo, &range);
    } else {
        let error = check_commits(
            &git_of(repo),
            &git_of(repo).range(&range).unwrap(),
            &CheckContext::unknown(&Environment::default()),
            &RangeChecks::Nothing,
        );
        assert!(error.unwrap_err().to_string().contains(&format!("`{range}` is not a range of commits")));
    }
}

/// Adds a commit with exactly these bytes for its message and these lines in its header.
fn add(repo: &Repo, header: &str, message: &[u8]) {
    let person = "A <a@example.com> 1700000000 +0000";
    let tree = repo.git(&["rev-parse", "HEAD^{tree}"]);
    let mut raw =
        format!("tree {tree}\nparent {}\nauthor {person}\ncommitter {person}\n{header}\n", repo.head())
            .into_bytes();
    raw.extend_from_slice(message);
    let mut child = git(repo.path(), &["hash-object", "-t", "commit", "--literally", "-w", "--stdin"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(&raw).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let id = String::from_utf8(output.stdout).unwrap();
    repo.git(&["update-ref", "refs/heads/main", id.trim()]);
}

const STEP: &str = "task(T1): x\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\n";

#[test]
fn messages_are_cut_and_decoded_as_by_git() {
    let (repo, _) = Repo::with(&[Commit { message: "first\n".to_owned(), ..Commit::default() }]);
    repo.git(&["tag", "-a", "-m", "annotated", "v1"]);
    add(&repo, "", STEP.as_bytes());
    add(&repo, "", b"task(T1): hidden by a NUL\n\nbody\0\n\nArborist-Step: test\n");
    add(&repo, "", b"people's words\n\0Arborist-Step: test\n");
    add(&repo, "", b"task(T2): \xff\xfe\n\nArborist-Step: implement\nArborist-Runner: \xe9\n");
    add(&repo, "", b"");
    add(&repo, "", b"task(T2): no line end\n\nArborist-Step: test\nArborist-Test: fail");
    add(&repo, "", STEP.replace('\n', "\r\n").as_bytes());
    add(&repo, "gpgsig -----BEGIN\n \n encoding none\n -----END\n", STEP.as_bytes());
    let plain = same(&repo, "v1..main");
    assert_eq!(plain, same(&repo, "main~8..main"));
    assert!(plain.iter().any(|(.., report)| report.has(Rule::BadBytes)));
    // Bytes that git converts to UTF-8 are not unreadable.
    let latin = b"task(T3): \xe9\n\nArborist-Step: implement\nArborist-Result: pass\nArborist-Retry: 0\nArborist-Runner: \xe9\n";
    add(&repo, "encoding ISO-8859-1\n", latin);
    assert!(same(&repo, "main~..main").is_empty());
    add(&repo, "", b"task(T4): lost\n\nArborist-Step: implement\n\nwords\n");
    let all = same(&repo, "v1..main");
    assert_eq!(all.len(), plain.len() + 1);
    same(&repo, "main~10..main");
}

#[test]
fn a_shallow_clone_is_checked_as_far_as_git_sees_it() {
    let mut dice = Dice(0xfeed);
    let (repo, _) = Repo::with(&history(&mut dice, (0, 0), Clocks::Wrong));
    let clone = Repo::clone_of(&format!("file://{}", repo.path().display()), &["--depth", "10"]);
    same(&clone, "main~5..main");
    assert!(!same(&clone, "main~9..main").is_empty());
}

#[test]
fn a_repository_that_only_git_can_open_is_checked_too() {
    for format in [&["--object-format=sha256"][..], &["--ref-format=reftable"]] {
        if !git_can_init(format) {
            continue;
        }
        let repo = Repo::init(format);
        let mut dice = Dice(0xbeef);
        repo.import(&history(&mut dice, (0, 0), Clocks::Right));
        assert!(!same(&repo, "main~20..main").is_empty(), "{format:?}");
    }
}

/// How many lines `check` answers for a range, and how many calls of git read messages for it.
fn traced(repo: &Repo, range: &str) -> (usize, usize) {
    let trace = repo.path().join(".git/trace");
    let mut check = command(repo.path(), env!("CARGO_BIN_EXE_git-arborist-check"));
    let output = check.args(["--format", "short", range]).env("GIT_TRACE", &trace).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let text = std::fs::read_to_string(&trace).unwrap();
    std::fs::remove_file(&trace).unwrap();
    (
        String::from_utf8(output.stdout).unwrap().lines().count(),
        text.matches(" rev-list --topo-order ").count(),
    )
}

#[test]
fn one_call_of_git_reads_the_messages_of_a_range() {
    let commit = |parents: &[usize], number: i64| Commit {
        parents: parents.to_vec(),
        time: 1_700_000_000 + number,
        message: format!("{STEP}\nwords\n"),
        files: Vec::new(),
    };
    let (repo, ids) = Repo::with(&[
        commit(&[], 0),
        commit(&[0], 1),
        commit(&[0], 2),
        commit(&[1, 2], 3),
        commit(&[3], 4),
        commit(&[4], 5),
    ]);
    repo.git(&["tag", "-a", "-m", "annotated", "merge", &ids[3].to_string()]);
    for range in
        ["main~2..main", "HEAD~2..", "@~2..@", "merge..main", "main~2..HEAD", &format!("{}..main", ids[3])]
    {
        assert_eq!(traced(&repo, range), (2, 1), "{range}");
    }
    for range in ["main~4..main", &format!("{}..main", ids[0])] {
        assert_eq!(traced(&repo, range), (4, 1), "{range}");
    }
}
