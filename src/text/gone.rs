//! Lists the commands, options and settings that this program no longer has, each with what to do instead. They were never in
//! a release: after the first one, the list goes.

/// What went together, and what to do instead, in whole sentences. A command is `stats` or `mark same`, an option `check --fix`,
/// or `--wait` for that of any command, and a setting `arborist.hook.fix`; with `*` for a name in it.
const GONE: &[(&[&str], &str)] = &[
    // Commands.
    (&["stats"], "`git arborist report -o report.html` begins with these numbers."),
    (&["undo"], "`git revert COMMIT` takes back a step, and its task is where it was before."),
    (&["mark allow"], "Name the files in `may_change` of the task in the plan, and commit that."),
    (&["mark same"], "Write the earlier name into `was` of the task in the plan, and commit that."),
    (&["lint"], "`build` and `git arborist doctor` name what is doubtful in a plan."),
    // Options.
    (
        &["status --format", "status -z", "status --dot", "status --mermaid"],
        "`git arborist status --json` has every task with its state and its dependencies.",
    ),
    (&["report --stats"], "The page and the JSON document of `report` begin with these numbers."),
    (&["build --explain"], "`build` prints each phase and task with the line on which it was read."),
    (&["check --plan"], "`git arborist status` shows which tasks are complete."),
    (
        &["--wait"],
        "A run waits by itself; `--max-wait TIME` bounds that, and `--no-wait` ends the run instead.",
    ),
    (
        &["prove --attest", "check --attested", "arborist.attest.sign"],
        "Sign the commit or a tag with git: `git commit -S`, `git tag -s`.",
    ),
    (
        &["check --fix", "arborist.hook.fix"],
        "The findings say what to write; `git commit -eF .git/COMMIT_EDITMSG` opens the message again.",
    ),
    (
        &["show --transcript"],
        "`git arborist show TASK --raw` shows what the agents printed, `show --follow` what they do now.",
    ),
    (&["init --print"], "`git arborist mcp --help` shows how a client gets to know the server."),
    (&["--color"], "Set git's `color.ui`, for one call as in `git -c color.ui=always arborist status`."),
    (&["--no-pager"], "Give it to git: `git --no-pager arborist status`."),
    (
        &["--implement-runner"],
        "Give the setting to git for this call: `git -c arborist.implement.runner=NAME arborist ...`.",
    ),
    (
        &["--test-timeout"],
        "Give the setting to git for this call: `git -c arborist.testTimeout=10m arborist ...`.",
    ),
    (&["--sandbox"], "Set it: `git config arborist.sandbox bwrap`."),
    (&["--test-sandbox"], "Set it: `git config arborist.test.sandbox bwrap`."),
    (
        &["--report-dir"],
        "Give the setting to git for this call: `git -c arborist.reportDir=DIR arborist ...`.",
    ),
    (&["--log-dir"], "Give the setting to git for this call: `git -c arborist.logDir=DIR arborist ...`."),
    // Settings.
    (
        &[
            "arborist.hook.level.A006",
            "arborist.hook.level.A013",
            "arborist.hook.level.A014",
            "arborist.hook.level.A015",
            "arborist.hook.level.A016",
            "arborist.hook.level.A023",
            "arborist.hook.level.W102",
            "arborist.hook.level.W104",
            "arborist.hook.level.W105",
            "arborist.hook.level.W106",
            "arborist.hook.level.W107",
            "arborist.hook.level.W109",
            "arborist.hook.level.W110",
            "arborist.hook.level.W111",
        ],
        "`git arborist check --explain all` lists the rules that are checked.",
    ),
    (
        &["arborist.strict"],
        "`git arborist check --strict` treats warnings as errors; `arborist.hook.level.RULE` sets one rule.",
    ),
    (
        &["arborist.extraStep"],
        "`git arborist help trailers` lists the steps; a commit of your own needs no trailers.",
    ),
    (&["--max-retries", "arborist.maxRetries"], "Say `--max-attempts` or `arborist.maxAttempts`."),
    (
        &["arborist.transcripts.keep"],
        "`.git/arborist/output` keeps what agents printed last, and may be deleted at any time.",
    ),
    (
        &["arborist.demoPatches"],
        "Define a runner of your own: `git config arborist.runner.NAME.command COMMAND`.",
    ),
    (&["arborist.attribution", "arborist.record.runner"], "Commits name the runner in `Arborist-Runner`."),
    (&["arborist.grace"], "A program that is asked to end always has ten seconds."),
    (&["arborist.land.trailers"], "Landed commits always have the trailers from which `status` reads."),
    (
        &["arborist.retries", "arborist.retryPause"],
        "`arborist.limitPatience` says for how long a service is called again that does not answer.",
    ),
    (&["arborist.limitMargin"], "A runner is called again five seconds after its limit has passed."),
    (
        &["arborist.trust.baseline"],
        "Before the first task that uses it, each test command is tried once; `arborist.trust.prove` turns that off, too.",
    ),
    (&["arborist.stall"], "An agent counts as stalled after half of `arborist.silence`."),
    (&["arborist.minFree"], "200 MiB must always be free on the disk."),
    (
        &[
            "arborist.prompt.diff",
            "arborist.prompt.feedback",
            "arborist.prompt.doneBefore",
            "arborist.prompt.notYours",
        ],
        "`arborist.prompt.review` and `arborist.prompt.implement` name templates of your own.",
    ),
    (
        &["arborist.trust.tests", "arborist.trust.rewritten-tests", "arborist.trust.merge"],
        "Untested tasks and rewritten tests are always named, and a merge that loses tests always fails.",
    ),
    (
        &["arborist.review.probe"],
        "A reviewer names the missing test among its remarks, and the next attempt writes it.",
    ),
    (
        &["arborist.review.differ", "arborist.runner.*.vendor"],
        "`arborist.review.runner` and `arborist.review.model` choose another reviewer.",
    ),
    (
        &["arborist.price.*"],
        "A cost is what the agent reports; `--max-tokens` and `--max-time` limit the others.",
    ),
    (
        &["arborist.resumeSession"],
        "An agent goes on in its session when its question is answered, and after trouble within a step.",
    ),
    (
        &["arborist.review.fix"],
        "An approval never sends a change back; its remarks stay open in `show` and `report`.",
    ),
];

/// What to do instead of the command `name`, which may be one of a command, such as `mark same`.
pub(crate) fn instead_of_command(name: &str) -> Option<&'static str> {
    instead_of(|gone| gone == name)
}

/// What to do instead of `option`, with its dashes, of the command `command`.
pub(crate) fn instead_of_option(command: &str, option: &str) -> Option<&'static str> {
    instead_of(|gone| match gone.split_once(' ') {
        Some((owner, own)) => owner == command && own == option,
        None => gone == option,
    })
}

/// What to do instead of the setting `name`, which is its key or its environment variable.
pub(crate) fn instead_of_setting(name: &str) -> Option<&'static str> {
    // The variable of `arborist.trust.merge` is `ARBORIST_TRUST_MERGE`.
    let plain = |name: &str| name.replace(['.', '_', '-'], "").to_lowercase();
    let name = plain(name);
    instead_of(|gone| match gone.split_once('*') {
        _ if !gone.starts_with("arborist.") => false,
        Some((begin, end)) => name.starts_with(&plain(begin)) && name.ends_with(&plain(end)),
        None => plain(gone) == name,
    })
}

fn instead_of(is_meant: impl Fn(&str) -> bool) -> Option<&'static str> {
    GONE.iter().find(|(names, _)| names.iter().any(|name| is_meant(name))).map(|(_, instead)| *instead)
}

/// All names in the list, for the tests of the rooms that know what is there.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    GONE.iter().flat_map(|(names, _)| *names).copied()
}
