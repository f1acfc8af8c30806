//! Trouble of agents that are not installed everywhere, from their recorded streams: at once, and after they have begun to work.

use std::path::Path;

use crate::support::garden::{Garden, one_task, side_by_side};

/// The agents, and whose stream they print.
const AGENTS: [(&str, &str); 2] = [("kilo", "opencode"), ("qwen", "claude")];

/// What has happened, and how a run says it.
const TROUBLE: [(&str, &str); 6] = [
    ("401", "is not logged in"),
    ("402", "has no credit left"),
    ("limit", "has hit its usage limit"),
    ("503", "does not answer"),
    ("drop", "does not answer"),
    ("404", "refuses the request"),
];

/// An agent that has begun to work, if `begins` is 1, and then prints what it printed in this scenario.
fn garden((agent, protocol): (&str, &str), scenario: &str, begins: u8) -> Option<Garden> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/agents").join(agent);
    let status = std::fs::read_to_string(folder.join(format!("{scenario}.status"))).ok()?;
    // A recording that was ended from outside is one of an agent that tried again for long.
    let status = status.trim().parse::<u8>().ok()?;
    let garden = Garden::new(&one_task(&["true"]));
    let file = garden.root().join("agent.sh");
    let folder = folder.display();
    garden.program(
        &file,
        &format!(
            "cat > /dev/null\n\
             if [ {begins} = 1 ]; then echo begun > T001.txt; head -n $(($(wc -l < '{folder}/success.stdout') / 2)) '{folder}/success.stdout'; fi\n\
             cat '{folder}/{scenario}.stdout'; cat '{folder}/{scenario}.stderr' >&2; exit {status}"
        ),
    );
    garden.config(&format!("arborist.runner.{agent}.command"), &file.display().to_string());
    garden.config(&format!("arborist.runner.{agent}.protocol"), protocol);
    garden.config("arborist.runner", agent);
    Some(garden)
}

#[test]
fn no_attempt_is_used_for_what_is_not_the_work_of_any_agent_whenever_it_happens() {
    side_by_side(AGENTS, |agent| {
        let mut wrong = Vec::new();
        for (scenario, words) in TROUBLE {
            for begins in [0, 1] {
                let Some(garden) = garden(agent, scenario, begins) else { continue };
                let ended = garden.run(&["gardener", "--no-wait", "--max-attempts", "1"]);
                let is_right = ended.status == 4
                    && ended.stderr.contains("no attempt is used up")
                    && ended.stderr.contains(words)
                    && garden.subjects().is_empty();
                if !is_right {
                    wrong.push(format!(
                        "{scenario} {begins}: {} {} {:?}",
                        ended.status,
                        ended.stderr,
                        garden.subjects()
                    ));
                }
            }
        }
        assert!(wrong.is_empty(), "{agent:?}: {}", wrong.join("\n"));
    });
}
