//! Tests `git arborist mcp` with messages over pipes. The clients of the official SDKs are tried in tests/tools.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::garden::{Garden, one_task, plan};
use crate::support::mcp::{Server, server_unit, test_first, with_reviewer, without_agent};
use crate::support::skip::has_proc;

#[test]
fn a_worker_does_a_task_over_pipes_and_the_server_tests_reviews_and_commits() {
    let garden = test_first();
    with_reviewer(&garden, "echo Fine.; echo APPROVED");
    let mut server = Server::start(&garden);
    let unit = server.tool("unit_next", &json!({}));
    assert_eq!((&unit["step"], &unit["tests"]), (&json!("red"), &json!(["sh tests/check.sh"])));
    let file = Path::new(unit["prompt_file"].as_str().unwrap()).to_owned();
    let prompt = std::fs::read_to_string(&file).unwrap();
    assert_eq!(prompt, garden.run(&["next", "--prompt"]).stdout, "the prompt is that of an agent");
    assert!(garden.git(&["status", "--porcelain"]).is_empty(), "the file is in the git directory");
    garden.write("tests/check.sh", "grep -q right T001.txt\n");
    let said = server.tool("unit_done", &json!({"unit": unit["unit"]}));
    assert_eq!((&said["verdict"], &said["next"]["step"]), (&json!("pass"), &json!("implement")), "{said}");
    garden.write("T001.txt", "wrong\n");
    let said = server.tool("unit_done", &json!({"unit": said["next"]["unit"], "note": "99 tests pass"}));
    assert_eq!((&said["verdict"], &said["isError"]), (&json!("fail"), &json!(false)), "{said}");
    assert!(said["evidence"].to_string().contains("exit status 1"), "{said}");
    assert_eq!(said["reason"], "the tests of T001 failed", "{said}");
    garden.write("T001.txt", "right\n");
    let said = server.tool("unit_done", &json!({"unit": said["next"]["unit"]}));
    assert_eq!((&said["state"], &said["next"]), (&json!("complete"), &Value::Null), "{said}");
    assert_eq!(said["evidence"][2]["step"], "review", "the reviewer was asked: {said}");
    assert!(!file.exists(), "the prompt of a task that is done is removed");
    let said = server.tool("unit_done", &json!({"unit": unit["unit"]}));
    assert_eq!((&said["verdict"], &said["isError"]), (&json!("refused"), &json!(true)), "{said}");
    assert!(said["remedy"].as_str().unwrap().ends_with("Call unit_next."), "{said}");
    assert_eq!(server.tool("unit_next", &json!({}))["unit"], Value::Null);
    assert_eq!(server.tool("run_status", &json!({}))["counts"]["complete"], 1);
    assert_eq!(server.close(), Some(0));
    assert!(garden.git(&["log", "--format=%B"]).contains("Arborist-Runner: test\n"));
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn garbage_is_answered_with_an_error_and_the_server_goes_on() {
    let garden = without_agent(&one_task(&["true"]));
    let mut server = Server::start(&garden);
    for (line, code) in [
        (&b"{"[..], -32700),
        (b"\xff\xfe\x00", -32700),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/run\"}", -32601),
        (b"{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"tools/call\",\"params\":{\"name\":\"rm\"}}", -32602),
    ] {
        server.line(line);
        assert_eq!(server.next()["error"]["code"], code, "{}", String::from_utf8_lossy(line));
    }
    server.line(&vec![b'x'; 3_000_000]);
    let said = server.next();
    assert!(said["error"]["message"].as_str().unwrap().contains("too long"), "{said}");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    server.line(deep.as_bytes());
    assert_eq!(server.next()["error"]["code"], -32700);
    server.line(b"");
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/unknown"}));
    server.send(&json!({"jsonrpc": "2.0", "id": 4, "result": {}}));
    assert_eq!(server.ask("ping", &json!({}))["result"], json!({}));
    let claim = json!({"name": "unit_done", "arguments": {"unit": "x", "tests_passed": "99"}});
    assert_eq!(server.ask("tools/call", &claim)["error"]["code"], -32602, "a claim is no argument");
    let said = server.tool("unit_done", &json!({"unit": "nonsense/7"}));
    assert!(said["reason"].as_str().unwrap().contains("is not a unit of work"), "{said}");
    let head = garden.head();
    let unit = format!("T9/implement/0@{}.b1946ac92492", &head[..12]);
    for (tool, arguments) in [("unit_next", json!({"task": "T9"})), ("unit_done", json!({"unit": unit}))] {
        let said = server.tool(tool, &arguments);
        assert!(said["reason"].as_str().unwrap().contains("no task T9"), "{said}");
        assert!(said["remedy"].as_str().unwrap().starts_with("Call unit_next"), "{said}");
    }
    assert_eq!(server.close(), Some(0));
}

#[test]
fn outside_of_a_repository_every_tool_says_so() {
    let garden = Garden::empty();
    let mut server = Server::start(&garden);
    for (tool, arguments) in
        [("unit_next", json!({})), ("run_status", json!({})), ("unit_done", json!({"unit": "T001"}))]
    {
        let said = server.tool(tool, &arguments);
        assert!(said["isError"] == true && said["reason"].as_str().unwrap().contains("repository"), "{said}");
    }
    assert_eq!(server.close(), Some(0));
}

/// A repository in which the tests of a task say that they have begun, and wait.
fn slow() -> Garden {
    let wait = "echo $$ > \"$ROOT/pid\"; touch \"$ROOT/began\"; until test -e \"$ROOT/go\"; do sleep 0.02; done; test -f T001.txt";
    without_agent(&plan(&[("p1", "", &[], &[]), ("T001", "p1", &[], &[wait])]))
}

#[test]
fn a_worker_that_is_blocked_asks_and_goes_on_after_the_answer() {
    let garden = without_agent(&one_task(&["grep -q right T001.txt"]));
    let mut server = Server::start(&garden);
    let unit = server.tool("unit_next", &json!({}))["unit"].clone();
    let said = server.tool("unit_done", &json!({"unit": unit, "note": "I have read it."}));
    let remedy = said["remedy"].as_str().unwrap();
    assert!(remedy.contains("BLOCKED: ") && !remedy.contains("git arborist"), "{said}");
    garden.write("T001.txt", "half\n");
    let blocked = json!({"unit": unit, "note": "Two dates are named.", "blocked": "which date?"});
    let said = server.tool("unit_done", &blocked);
    assert_eq!((&said["state"], &said["isError"]), (&json!("asked"), &json!(false)), "{said}");
    assert_eq!((&said["next"], &said["evidence"][0]["step"]), (&Value::Null, &json!("block")), "{said}");
    let remedy = said["remedy"].as_str().unwrap();
    assert!(remedy.contains("unit_next") && !remedy.contains("git arborist"), "{said}");
    assert_eq!(garden.subjects(), ["task(T001): blocked \"Do T001\""]);
    assert_eq!(garden.read("T001.txt"), "half\n", "the changes stay");
    let message = garden.git(&["log", "-1", "--format=%B"]);
    assert!(
        message.contains("Two dates are named.") && message.contains("Arborist-Runner: test"),
        "{message}"
    );
    assert_eq!(server.tool("unit_next", &json!({}))["unit"], Value::Null);
    let status = server.tool("run_status", &json!({}));
    assert_eq!(
        (&status["run"], &status["next"]),
        (&json!({"state": "unfinished"}), &Value::Null),
        "{status}"
    );
    let question = "Two dates are named.\n\nwhich date?";
    assert_eq!(status["tasks"], json!([{"id": "T001", "state": "asked", "question": question}]));
    // A person answers while no program is connected that has started this test.
    assert_eq!(server.close(), Some(0));
    garden.run(&["note", "T001", "-m", "the second one"]).assert(0, &[]);
    let mut server = Server::start(&garden);
    let unit = server.tool("unit_next", &json!({}));
    garden.write("T001.txt", "right\n");
    let said = server.tool("unit_done", &json!({"unit": unit["unit"]}));
    assert_eq!((&said["verdict"], &said["next"]), (&json!("pass"), &Value::Null), "{said}");
    assert_eq!(server.close(), Some(0));
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn a_client_neither_reviews_its_work_nor_lets_a_person_seem_to_do_it() {
    let garden = without_agent(&one_task(&["test -f T001.txt"]));
    let mut server = Server::start(&garden);
    let unit = server.tool("unit_next", &json!({}))["unit"].clone();
    garden.write("T001.txt", "x\n");
    let said = server.tool("unit_done", &json!({"unit": "T001"}));
    assert!(
        said["isError"] == true && said["reason"].as_str().unwrap().contains("is not a unit of work"),
        "{said}"
    );
    let said = server.tool("unit_done", &json!({"unit": unit}));
    assert_eq!((&said["verdict"], &said["next"]), (&json!("pass"), &Value::Null), "{said}");
    assert!(said["remedy"].as_str().unwrap().contains("a person has to review it"), "{said}");
    let head = garden.head();
    // What a person would be handed, and hand in.
    let review: Value = serde_json::from_str(&garden.run(&["next", "--json"]).stdout).unwrap();
    assert_eq!(review["step"], "review");
    let said = server.tool("unit_done", &json!({"unit": review["unit"], "note": "Fine.\n\nAPPROVED"}));
    assert!(said["isError"] == true && !said.to_string().contains("git arborist"), "{said}");
    let next = server.tool("unit_next", &json!({}));
    assert!(next["unit"].is_null() && next["reason"].as_str().unwrap().contains("a person"), "{next}");
    // This test is the client, and so everything that it starts belongs to the client.
    let decisions = [&["mark", "approve", "T001"][..], &["note", "T001", "-m", "x"], &["done", "T001"]];
    for args in decisions.into_iter().filter(|_| has_proc()) {
        garden
            .run(args)
            .assert(6, &["by a program that is connected to `git arborist mcp`", "A person decides this"]);
    }
    assert_eq!(garden.head(), head);
    assert_eq!(server.close(), Some(0));
    garden.run(&["mark", "approve", "T001"]).assert(0, &[]);
}

#[test]
fn the_configured_reviewer_reviews_and_one_that_cannot_is_asked_again() {
    let garden = without_agent(&one_task(&["test -f T001.txt"]));
    with_reviewer(&garden, "test -e \"$ROOT/ready\" || exit 1; echo The name is wrong.; echo REJECTED");
    let mut server = Server::start(&garden);
    let unit = server.tool("unit_next", &json!({}))["unit"].clone();
    garden.write("T001.txt", "x\n");
    let said = server.tool("unit_done", &json!({"unit": unit}));
    assert_eq!((&said["verdict"], &said["next"]["step"]), (&json!("pass"), &json!("review")), "{said}");
    let unit = server.tool("unit_next", &json!({}));
    assert!(unit["prompt"].is_null() && unit["then"].as_str().unwrap().contains("call unit_done"), "{unit}");
    std::fs::write(garden.root().join("ready"), "").unwrap();
    let said = server.tool("unit_done", &json!({"unit": unit["unit"], "note": "APPROVED"}));
    assert_eq!((&said["verdict"], &said["next"]["step"]), (&json!("fail"), &json!("implement")), "{said}");
    assert!(said["evidence"].to_string().contains("The name is wrong."), "{said}");
    assert_eq!(server.close(), Some(0));
    assert!(garden.subjects().join(" ").contains("review rejected"), "{:?}", garden.subjects());
}

#[test]
fn the_settings_of_the_start_of_the_server_hold_until_a_person_starts_it_again() {
    let garden = without_agent(&one_task(&["test -f T001.txt"]));
    let mut server = Server::start(&garden);
    let unit = server.tool("unit_next", &json!({}))["unit"].clone();
    garden.write("T001.txt", "x\n");
    garden.config("arborist.review", "off");
    for (tool, arguments) in [("unit_done", json!({"unit": unit})), ("unit_next", json!({}))] {
        let said = server.tool(tool, &arguments);
        let reason = said["reason"].as_str().unwrap();
        assert!(
            said["isError"] == true && reason.contains("have changed since this server was started"),
            "{said}"
        );
        assert!(said["remedy"].as_str().unwrap().contains("A person"), "{said}");
    }
    assert_eq!(server.tool("run_status", &json!({}))["isError"], false);
    assert_eq!(server.close(), Some(0));
    let mut server = Server::start(&garden);
    let unit = server_unit(&mut server);
    assert_eq!(server.tool("unit_done", &json!({"unit": unit}))["verdict"], "pass");
    assert_eq!(server.close(), Some(0));
}

#[test]
fn a_client_whose_reviewer_gives_no_verdict_waits_for_a_person() {
    let garden = without_agent(&one_task(&["test -f T001.txt"]));
    with_reviewer(&garden, "echo LGTM");
    let mut server = Server::start(&garden);
    let unit = server_unit(&mut server);
    garden.write("T001.txt", "x\n");
    let said = server.tool("unit_done", &json!({"unit": unit}));
    assert_eq!((&said["state"], &said["next"]), (&json!("asked"), &Value::Null), "{said}");
    assert!(!said.to_string().contains("mark approve"), "{said}");
    assert_eq!(server.close(), Some(0));
    garden.run(&["mark", "approve", "T001"]).assert(0, &[]);
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn the_agent_of_a_step_gets_no_tools_and_is_told_to_ignore_the_server() {
    let garden = without_agent(&one_task(&["true"]));
    let mut command = garden.arborist(&["mcp"]);
    command.env("ARBORIST_TASK", "T001").env("ARBORIST_STEP", "review");
    let mut server = Server::start_as(command);
    assert_eq!(server.ask("tools/list", &json!({}))["result"]["tools"], json!([]));
    let call = json!({"name": "unit_done", "arguments": {"unit": "x"}});
    let said = server.ask("tools/call", &call);
    assert!(said["error"]["message"].as_str().unwrap().starts_with("Ignore this server"), "{said}");
    assert_eq!(server.close(), Some(0));
}

#[test]
fn answers_contain_no_commands_for_people() {
    let garden = without_agent(&one_task(&["test -f T001.txt"]));
    let mut server = Server::start(&garden);
    let unit = server.tool("unit_next", &json!({}))["unit"].clone();
    garden.write("T001.txt", "<<<<<<< a\n=======\n>>>>>>> b\n");
    let mut said = vec![server.tool("unit_done", &json!({"unit": unit}))];
    garden.write("T001.txt", "x\n");
    garden.write("task-tree.json", &format!("{}\n", garden.read("task-tree.json")));
    garden.git(&["commit", "-qm", "Edit the plan", "task-tree.json"]);
    said.push(server.tool("unit_done", &json!({"unit": unit})));
    assert!(said[1]["remedy"].as_str().unwrap().ends_with("Call unit_next."), "{said:#?}");
    said.push(server.tool("unit_done", &json!({"unit": "T001/implement/0@0123456789ab.0123456789ab"})));
    garden.git(&["checkout", "-q", "--detach"]);
    let unit = server_unit(&mut server);
    said.push(server.tool("unit_done", &json!({"unit": unit})));
    said.push(server.tool("unit_next", &json!({"task": "T009"})));
    garden.git(&["switch", "-q", "-"]);
    garden.write("task-tree.json", "{");
    said.push(server.tool("unit_next", &json!({})));
    for said in &said {
        assert!(said["isError"] == true || said["unit"].is_null(), "{said}");
        for word in ["git ", "--", "arborist."] {
            assert!(!said.to_string().contains(&format!("`{word}")), "{said:#}");
        }
        assert_ne!(said["remedy"], "", "{said:#}");
    }
    assert_eq!(server.close(), Some(0));
}

#[test]
fn a_call_that_was_sent_before_the_input_was_closed_is_answered() {
    let garden = slow();
    let mut server = Server::start(&garden);
    let unit = server.tool("unit_next", &json!({}))["unit"].clone();
    garden.write("T001.txt", "x\n");
    let id = server.request("tools/call", &json!({"name": "unit_done", "arguments": {"unit": unit}}));
    server.input = None;
    garden.wait_for("began");
    std::fs::write(garden.root().join("go"), "").unwrap();
    let answer = server.next();
    assert_eq!(
        (&answer["id"], &answer["result"]["structuredContent"]["verdict"]),
        (&json!(id), &json!("pass")),
        "{answer}"
    );
    assert_eq!(server.close(), Some(0));
}

#[test]
fn an_id_that_is_used_again_does_not_detach_the_call_that_runs() {
    let garden = slow();
    let mut server = Server::start(&garden);
    let unit = server.tool("unit_next", &json!({}))["unit"].clone();
    garden.write("T001.txt", "x\n");
    let call = |name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": "again", "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    // The id of an answered request may be used again, at once.
    for _ in 0..20 {
        server.send(&call("run_status", json!({})));
        assert_eq!(server.next()["id"], "again");
    }
    server.send(&call("unit_done", json!({"unit": unit})));
    garden.wait_for("began");
    server.send(&call("run_status", json!({})));
    assert_eq!(server.next()["error"]["code"], -32600, "one that is at work may not");
    server.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "again"}}),
    );
    garden.wait_until("the tests are ended", || {
        server.tool("run_status", &json!({}))["run"]["state"] != "running"
    });
    let pid = std::fs::read_to_string(garden.root().join("pid")).unwrap();
    assert!(!Path::new("/proc").join(pid.trim()).exists(), "the tests of the cancelled call are ended");
    assert_eq!(server.close(), Some(0));
}

#[test]
fn if_the_client_is_gone_while_tests_run_they_are_ended_and_nothing_is_half_done() {
    let garden = slow();
    let mut server = Server::start(&garden);
    let unit = server.tool("unit_next", &json!({}));
    garden.write("T001.txt", "x\n");
    server.request("tools/call", &json!({"name": "unit_done", "arguments": {"unit": unit["unit"]}}));
    garden.wait_for("began");
    assert_eq!(server.leave(), Some(0));
    let pid = std::fs::read_to_string(garden.root().join("pid")).unwrap();
    assert!(!Path::new("/proc").join(pid.trim()).exists(), "the tests are ended");
    assert_eq!(garden.steps(), ["task(T001): implement \"Do T001\" | implement pass   0"]);
    // The same unit goes on with its tests.
    std::fs::write(garden.root().join("go"), "").unwrap();
    let mut server = Server::start(&garden);
    let said = server.tool("unit_done", &json!({"unit": unit["unit"]}));
    assert_eq!(said["verdict"], "pass", "{said}");
    assert_eq!(server.close(), Some(0));
    garden.run(&["check", "--run", "--strict"]).assert(0, &[]);
}

#[test]
fn while_one_unit_is_tested_another_call_is_told_so_and_a_cancelled_one_gets_no_answer() {
    let garden = slow();
    let mut server = Server::start(&garden);
    let unit = server.tool("unit_next", &json!({}));
    garden.write("T001.txt", "x\n");
    let params = json!({
        "name": "unit_done",
        "arguments": {"unit": unit["unit"]},
        "_meta": {"progressToken": "p"},
    });
    let id = server.request("tools/call", &params);
    garden.wait_for("began");
    let news = server.next();
    assert_eq!(
        (&news["method"], &news["params"]["progressToken"]),
        (&json!("notifications/progress"), &json!("p"))
    );
    while !server.next()["params"]["message"].as_str().unwrap().contains("test begins") {}
    let second = server.tool("unit_done", &json!({"unit": unit["unit"]}));
    assert!(second["isError"] == true && second["reason"].as_str().unwrap().contains("another unit_done"));
    // Another server of the same repository is told by the lock.
    let mut other = Server::start(&garden);
    let said = other.tool("unit_done", &json!({"unit": unit["unit"]}));
    assert_eq!(said["verdict"], "refused", "{said}");
    assert_eq!(other.close(), Some(0));
    assert_eq!(server.tool("run_status", &json!({}))["run"]["state"], "running");
    assert_eq!(server.ask("ping", &json!({}))["result"], json!({}));
    server.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    let pid = std::fs::read_to_string(garden.root().join("pid")).unwrap();
    garden.wait_until("the tests are ended", || !Path::new("/proc").join(pid.trim()).exists());
    std::fs::write(garden.root().join("go"), "").unwrap();
    // There is no answer to the cancelled request before that to this one.
    loop {
        let said = server.tool("unit_done", &json!({"unit": unit["unit"]}));
        if said["isError"] == false {
            assert_eq!(said["verdict"], "pass");
            break;
        }
        assert!(said["reason"].as_str().unwrap().contains("another"), "{said}");
    }
    assert_eq!(server.close(), Some(0));
}

#[test]
fn answers_stay_small_whatever_the_tests_print_and_the_plan_contains() {
    let mut tree = one_task(&["yes 'noise \u{1f333} \"quoted\"' | head -c 100000; echo THE END; exit 1"]);
    tree["nodes"]["T001"]["name"] = json!("N".repeat(5000));
    tree["nodes"]["T001"]["description"] = json!("A long description. ".repeat(500));
    let garden = without_agent(&tree);
    let mut server = Server::start(&garden);
    let unit = server.tool("unit_next", &json!({}));
    assert!(unit.to_string().len() < 2100, "{unit}");
    let prompt = std::fs::read_to_string(unit["prompt_file"].as_str().unwrap()).unwrap();
    assert!(prompt.len() > 9000);
    garden.write("T001.txt", "x\n");
    let said = server.tool("unit_done", &json!({"unit": unit["unit"], "note": "n".repeat(50_000)}));
    assert!(said.to_string().len() < 2100 && said["verdict"] == "fail", "{said}");
    assert!(said["evidence"].to_string().contains("THE END"), "{said}");
    assert_eq!(server.close(), Some(0));
}

#[test]
fn the_list_of_tools_is_short() {
    let garden = without_agent(&one_task(&["true"]));
    let mut server = Server::start(&garden);
    let list = server.ask("tools/list", &json!({}))["result"].to_string();
    assert_eq!(server.close(), Some(0));
    // Ordinary JSON has more than three characters in a token.
    assert!(list.len() < 900, "{}: {list}", list.len());
}
