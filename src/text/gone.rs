//! Lists the commands, options and settings that this program no longer has, each with what to do instead. They were never in
//! a release: after the first one, the list goes.

/// Names that went together, and what to do instead.
struct Gone {
    /// A command as `stats` or `mark same`, an option as `check --fix`, or as `--wait` for that of any command, and a setting as
    /// `arborist.hook.fix`; `arborist.price.*` stands for all that begin so.
    names: &'static [&'static str],
    /// Whole sentences.
    instead: fn() -> String,
}

const GONE: &[Gone] = &[
    // Commands.
    Gone {
        names: &["stats"],
        instead: || "`git arborist report -o report.html` begins with these numbers.".into(),
    },
    Gone {
        names: &["undo"],
        instead: || "`git revert COMMIT` takes back a step, and its task is where it was before.".into(),
    },
    Gone {
        names: &["mark allow"],
        instead: || "Name the files in `may_change` of the task in the plan, and commit that.".into(),
    },
    Gone {
        names: &["mark same"],
        instead: || "Write the earlier name into `was` of the task in the plan, and commit that.".into(),
    },
    Gone {
        names: &["lint"],
        instead: || "`build`, `init` and `git arborist doctor` name what is doubtful in a plan.".into(),
    },
    // Options.
    Gone {
        names: &["status --format", "status -z", "status --dot", "status --mermaid"],
        instead: || "`git arborist status --json` has every task with its state and its dependencies.".into(),
    },
    Gone {
        names: &["report --stats"],
        instead: || "The page and the JSON document of `report` begin with these numbers.".into(),
    },
    Gone {
        names: &["build --explain"],
        instead: || {
            "`build` prints each phase and task with the line on which it was read, and `build --check` writes \
             nothing."
                .into()
        },
    },
    Gone {
        names: &["check --plan"],
        instead: || "`git arborist status` shows which tasks are complete.".into(),
    },
    Gone {
        names: &["--wait"],
        instead: || {
            "A run waits by itself; `--max-wait TIME` bounds that, and `--no-wait` ends the run instead."
                .into()
        },
    },
    Gone {
        names: &["prove --attest", "check --attested", "arborist.attest.sign"],
        instead: || "Sign the commit or a tag with git: `git commit -S`, `git tag -s`.".into(),
    },
    Gone {
        names: &["check --fix", "arborist.hook.fix"],
        instead: || {
            "The findings say what to write; `git commit -eF .git/COMMIT_EDITMSG` opens the message again."
                .into()
        },
    },
    Gone {
        names: &["show --transcript"],
        instead: || {
            "`git arborist show TASK --raw` shows what the agents printed, `show --follow` what they do now."
                .into()
        },
    },
    Gone {
        names: &["init --print"],
        instead: || "`git arborist mcp --help` shows how a client gets to know the server.".into(),
    },
    Gone {
        names: &["--color"],
        instead: || {
            "Set git's `color.ui`, for one call as in `git -c color.ui=always arborist status`.".into()
        },
    },
    Gone { names: &["--no-pager"], instead: || "Give it to git: `git --no-pager arborist status`.".into() },
    Gone { names: &["--implement-runner"], instead: || in_call("implement.runner=NAME") },
    Gone { names: &["--test-timeout"], instead: || in_call("testTimeout=10m") },
    Gone { names: &["--sandbox"], instead: || in_call("sandbox=bwrap") },
    Gone { names: &["--test-sandbox"], instead: || in_call("test.sandbox=bwrap") },
    Gone { names: &["--report-dir"], instead: || in_call("reportDir=DIR") },
    Gone { names: &["--log-dir"], instead: || in_call("logDir=DIR") },
    Gone { names: &["autopilot --no-red"], instead: || in_call("testFirst=false") },
    Gone { names: &["autopilot --no-coverage"], instead: || in_call("trust.coverage=off") },
    // Settings.
    Gone {
        names: &["arborist.strict"],
        instead: || {
            "`git arborist check --strict` treats warnings as errors; `arborist.hook.level.RULE` sets one rule.".into()
        },
    },
    Gone {
        names: &["arborist.extraStep"],
        instead: || {
            "`git arborist help trailers` lists the steps; a commit of your own needs no trailers.".into()
        },
    },
    Gone {
        names: &["--max-retries", "arborist.maxRetries"],
        instead: || "Say `--max-attempts` or `arborist.maxAttempts`.".into(),
    },
    Gone {
        names: &["arborist.transcripts.keep"],
        instead: || {
            "`.git/arborist/output` keeps what agents printed last, and may be deleted at any time.".into()
        },
    },
    Gone {
        names: &["arborist.demoPatches"],
        instead: || "Define a runner of your own: `git config arborist.runner.NAME.command COMMAND`.".into(),
    },
    Gone {
        names: &["arborist.attribution", "arborist.record.runner"],
        instead: || "Commits name the runner in `Arborist-Runner`.".into(),
    },
    Gone {
        names: &["arborist.grace"],
        instead: || "A program that is asked to end always has ten seconds.".into(),
    },
    Gone {
        names: &["arborist.land.trailers"],
        instead: || "Landed commits always have the trailers from which `status` reads.".into(),
    },
    Gone {
        names: &["arborist.retries", "arborist.retryPause", "arborist.limitMargin"],
        instead: || {
            "`arborist.limitPatience` says for how long a service is called again that does not answer."
                .into()
        },
    },
    Gone {
        names: &["arborist.stall"],
        instead: || "An agent counts as stalled after half of `arborist.silence`.".into(),
    },
    Gone { names: &["arborist.minFree"], instead: || "200 MiB must always be free on the disk.".into() },
    Gone {
        names: &[
            "arborist.prompt.diff",
            "arborist.prompt.feedback",
            "arborist.prompt.doneBefore",
            "arborist.prompt.notYours",
        ],
        instead: || {
            "`arborist.prompt.review` and `arborist.prompt.implement` name templates of your own.".into()
        },
    },
    Gone {
        names: &["arborist.trust.tests", "arborist.trust.rewritten-tests", "arborist.trust.merge"],
        instead: || {
            "Untested tasks and rewritten tests are always named, and a merge that loses tests always fails."
                .into()
        },
    },
    Gone {
        names: &["arborist.review.probe"],
        instead: || {
            "A reviewer names the missing test among its remarks, and the next attempt writes it.".into()
        },
    },
    Gone {
        names: &["arborist.review.differ"],
        instead: || "`arborist.review.runner` and `arborist.review.model` choose another reviewer.".into(),
    },
    Gone {
        names: &["arborist.price.*"],
        instead: || {
            "A cost is what the agent reports; `--max-tokens` and `--max-time` limit the others.".into()
        },
    },
    Gone {
        names: &["arborist.resumeSession"],
        instead: || "Only an answer to a question goes on in the session of the agent.".into(),
    },
    Gone {
        names: &["arborist.review.fix"],
        instead: || {
            "An approval never sends a change back; its remarks stay open in `show` and `report`.".into()
        },
    },
];

/// How a setting is given for one call.
fn in_call(setting: &str) -> String {
    format!("Give the setting to git for this call: `git -c arborist.{setting} arborist ...`.")
}

/// What to do instead of the command `name`, which may be one of a command, such as `mark same`.
pub(crate) fn instead_of_command(name: &str) -> Option<String> {
    instead_of(|gone| gone == name)
}

/// What to do instead of `option`, with its dashes, of the command `command`.
pub(crate) fn instead_of_option(command: &str, option: &str) -> Option<String> {
    instead_of(|gone| match gone.split_once(' ') {
        Some((owner, own)) => owner == command && own == option,
        None => gone == option,
    })
}

/// What to do instead of the setting `name`, which is its key or its environment variable.
pub(crate) fn instead_of_setting(name: &str) -> Option<String> {
    // The variable of `arborist.trust.merge` is `ARBORIST_TRUST_MERGE`.
    let plain = |name: &str| name.replace(['.', '_', '-'], "").to_lowercase();
    let name = plain(name);
    instead_of(|gone| match gone.strip_suffix(".*") {
        _ if !gone.starts_with("arborist.") => false,
        Some(family) => name.starts_with(&plain(family)),
        None => plain(gone) == name,
    })
}

fn instead_of(is_meant: impl Fn(&str) -> bool) -> Option<String> {
    GONE.iter().find(|row| row.names.iter().any(|name| is_meant(name))).map(|row| (row.instead)())
}

/// All names in the list, for the tests of the rooms that know what is there.
#[cfg(test)]
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    GONE.iter().flat_map(|row| row.names).copied()
}
