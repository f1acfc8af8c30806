//! Tests that an agent which has asked a question gets the answer in its session, if it can continue it, and is asked once more there
//! if its answer cannot be understood.

use std::fs;

use crate::support::garden::{Ended, Garden, one_task};

/// A repository in which claude is a script.
struct Sessions {
    garden: Garden,
}

/// `claude`: notes its arguments, works, and prints the stream of a session. It reports what the whole session has used.
/// The session `$FORGOTTEN` cannot be continued.
const CLAUDE: &str = r#"
case "$*" in --help) exit 0;; esac
cat > "$ROOT/prompt-$ARBORIST_STEP-$ARBORIST_ATTEMPT"
cat "$ROOT/prompt-$ARBORIST_STEP-$ARBORIST_ATTEMPT" >> "$ROOT/prompts"
echo "$ARBORIST_STEP $ARBORIST_ATTEMPT: $*" | tr '\n' ' ' >> "$ROOT/calls"; echo >> "$ROOT/calls"
session=new-$ARBORIST_STEP-$ARBORIST_ATTEMPT
if test -e "$ROOT/count-$session"; then session=$session-again; fi
case "$*" in *--resume*) session=${*##*--resume }; session=${session%% *};; esac
case "$*" in *"--resume $FORGOTTEN"*)
    printf '{"type":"result","subtype":"error_during_execution","is_error":true,"num_turns":0,'
    printf '"errors":["No conversation found with session ID"]}\n'
    exit 1;;
esac
count=$(cat "$ROOT/count-$session" 2>/dev/null || echo 0); count=$((count + 100)); echo $count > "$ROOT/count-$session"
printf '{"type":"system","subtype":"init","session_id":"%s"}\n' "$session"
case $ARBORIST_STEP in
    review) if rm "$ROOT/praises" 2>/dev/null; then said=LGTM; else said=APPROVED; fi;;
    implement) if rm "$ROOT/asks" 2>/dev/null; then said="BLOCKED: which date?"; elif rm "$ROOT/wonders" 2>/dev/null; then said="Shall I?"; else said=Done; echo "work $ARBORIST_ATTEMPT" >> T001.txt; fi;;
    *) said=Done; echo "work $ARBORIST_ATTEMPT" >> T001.txt;;
esac
printf '{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"%s"}]}}\n' "$said"
printf '{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"%s","session_id":"%s",' "$said" "$session"
printf '"total_cost_usd":%s.00,"usage":{"input_tokens":%s,"output_tokens":%s}}\n' "$count" "$count" "$count"
"#;

impl Sessions {
    /// The tests of the only task pass after this many attempts.
    fn new(attempts: usize) -> Self {
        let garden = Garden::new(&one_task(&[&format!("test $(wc -l < T001.txt) -ge {attempts}")]));
        garden.program(&garden.root().join("agents/claude"), CLAUDE);
        garden.config("arborist.runner", "claude");
        Self { garden }
    }

    fn run(&self, args: &[&str], forgotten: &str) -> Ended {
        let agents = self.garden.root().join("agents");
        let mut command = self.garden.arborist(&[&["gardener"], args].concat());
        command.env("PATH", format!("{}:{}", agents.display(), self.garden.path_with(&agents)));
        command.env("IS_SANDBOX", "1").env("FORGOTTEN", forgotten);
        self.garden.finish(command)
    }

    /// The calls: the step, the attempt, and the session that was to be continued, if any.
    fn calls(&self) -> Vec<String> {
        let calls = fs::read_to_string(self.garden.root().join("calls")).unwrap();
        let call = |line: &str| {
            let (call, args) = line.split_once(": ").unwrap();
            match args.split_once("--resume ") {
                Some((_, session)) => format!("{call} {}", session.split(' ').next().unwrap()),
                None => call.to_owned(),
            }
        };
        calls.lines().map(call).collect()
    }

    fn trailers(&self, key: &str) -> Vec<String> {
        let format = format!("--format=%(trailers:key={key},valueonly)");
        let said = self.garden.git(&["log", "--reverse", &format]);
        said.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    }

    /// A task whose agent has asked a question that is answered.
    fn answered() -> Self {
        let sessions = Self::new(1);
        fs::write(sessions.garden.root().join("asks"), "").unwrap();
        sessions.run(&[], "none").assert(7, &["which date?"]);
        sessions.garden.run(&["note", "T001", "-m", "The second one."]).assert(0, &[]);
        sessions
    }
}

#[test]
fn every_attempt_begins_a_fresh_session() {
    let sessions = Sessions::new(2);
    sessions.run(&[], "none").assert(0, &[]);
    assert_eq!(sessions.calls(), ["implement 0", "implement 1", "review 1"]);
}

#[test]
fn a_session_in_which_the_agent_has_asked_goes_on_with_the_answer() {
    let sessions = Sessions::answered();
    sessions.run(&[], "none").assert(0, &[]);
    assert_eq!(sessions.calls(), ["implement 0", "implement 0 new-implement-0", "review 0"]);
    let prompt = fs::read_to_string(sessions.garden.root().join("prompt-implement-0")).unwrap();
    assert!(prompt.contains("which date?") && prompt.contains("The second one."), "{prompt}");
    // claude counts the whole session each time: 100, 200. Each step has used 100.
    let costs = sessions.trailers("Arborist-Cost");
    assert!(costs.len() == 3 && costs.iter().all(|cost| cost.starts_with("100")), "{costs:?}");
    let tokens = sessions.trailers("Arborist-Tokens");
    assert!(tokens.iter().all(|tokens| tokens.starts_with("in=100 out=100")), "{tokens:?}");
}

#[test]
fn a_session_that_is_forgotten_is_begun_again_within_the_step() {
    let sessions = Sessions::answered();
    let ended = sessions.run(&[], "new-implement-0");
    ended.assert(0, &["T001: claude could not continue its session, and begins a new one"]);
    let calls = ["implement 0", "implement 0 new-implement-0", "implement 0", "review 0"];
    assert_eq!(sessions.calls(), calls);
    let costs = sessions.trailers("Arborist-Cost");
    assert!(costs.len() == 3 && costs.iter().all(|cost| cost.starts_with("100")), "{costs:?}");
}

#[test]
fn without_its_name_and_with_another_model_a_session_is_a_fresh_one() {
    let fresh = |prepare: &dyn Fn(&Garden), args: &[&str]| {
        let sessions = Sessions::answered();
        prepare(&sessions.garden);
        sessions.run(args, "none").assert(0, &[]);
        assert!(!sessions.calls()[1].contains("new-"), "{:?}", sessions.calls());
    };
    let delete = |garden: &Garden| {
        fs::remove_dir_all(garden.top().join(".git/arborist/output")).unwrap();
    };
    fresh(&delete, &[]);
    fresh(&|_| {}, &["--model", "other"]);
}

#[test]
fn an_agent_is_asked_once_more_in_its_session_and_told_only_what_is_missing() {
    for (file, calls, asks) in [
        (
            "wonders",
            ["implement 0", "implement 0 new-implement-0", "review 0"],
            "Nobody can answer now. Do the task, or",
        ),
        (
            "praises",
            ["implement 0", "review 0", "review 0 new-review-0"],
            "The last line of your answer is no verdict.",
        ),
    ] {
        let sessions = Sessions::new(1);
        fs::write(sessions.garden.root().join(file), "").unwrap();
        sessions.run(&[], "none").assert(0, &["is asked once more"]);
        assert_eq!(sessions.calls(), calls, "{file}");
        let prompts = fs::read_to_string(sessions.garden.root().join("prompts")).unwrap();
        assert_eq!(
            prompts.matches("## Task\n").count(),
            2,
            "{file}: only the first prompts are whole: {prompts}"
        );
        assert!(prompts.contains(asks) && !prompts.contains("You have answered this already"), "{prompts}");
        // The second call reports what the whole session has used.
        let costs = if file == "wonders" { ["200", "100"] } else { ["100", "200"] };
        let recorded = sessions.trailers("Arborist-Cost");
        assert!(
            recorded.iter().zip(costs).all(|(seen, cost)| seen.starts_with(cost)),
            "{file}: {recorded:?}"
        );
    }
}

#[test]
fn an_agent_whose_session_is_gone_is_asked_once_more_with_its_answer() {
    let sessions = Sessions::new(1);
    fs::write(sessions.garden.root().join("wonders"), "").unwrap();
    sessions.run(&[], "new-implement-0").assert(0, &["could not continue its session"]);
    assert_eq!(sessions.calls(), ["implement 0", "implement 0 new-implement-0", "implement 0", "review 0"]);
    let prompt = fs::read_to_string(sessions.garden.root().join("prompt-implement-0")).unwrap();
    assert!(
        prompt.starts_with("## Task\n") && prompt.contains("You have answered this already:\n````\nShall I?"),
        "{prompt}"
    );
}
