//! Tests `git arborist init skill|agents-md|mcp`, and what `doctor` says about their files.

use std::fs;

use crate::support::garden::{Garden, one_task};

fn garden() -> Garden {
    Garden::new(&one_task(&["true"]))
}

#[test]
fn the_skill_is_written_for_all_agents_and_a_second_time_changes_nothing() {
    let garden = garden();
    garden.run(&["init", "skill"]).assert(0, &[]);
    let skill = garden.read(".agents/skills/git-arborist/SKILL.md");
    assert!(skill.starts_with("---\nname: git-arborist\ndescription: "), "{skill}");
    assert_eq!(garden.read(".claude/skills/git-arborist/SKILL.md"), skill);
    let again = garden.run(&["init", "skill"]);
    assert!(again.status == 0 && again.stdout.contains("nothing was changed"), "{again:?}");
    let printed = garden.run(&["init", "skill", "--print"]);
    assert!(printed.stdout.contains(&skill), "{printed:?}");
    // The commands that it names exist.
    for words in skill.split('`').filter(|part| part.starts_with("git arborist ") && part.len() > 13) {
        let name = words.split_whitespace().nth(2).unwrap();
        garden.run(&[name, "-h"]).assert(0, &[]);
    }
    // That of somebody else stays.
    garden.write(".claude/skills/git-arborist/SKILL.md", "mine\n");
    assert_eq!(garden.arborist(&["init", "skill"]).output().unwrap().status.code(), Some(1));
    assert_eq!(garden.read(".claude/skills/git-arborist/SKILL.md"), "mine\n");
}

#[test]
fn our_part_of_agents_md_is_between_markers_and_the_rest_stays() {
    let garden = garden();
    garden.write("AGENTS.md", "# Mine\n\nUse tabs.\n");
    garden.run(&["init", "agents-md"]).assert(0, &[]);
    let text = garden.read("AGENTS.md");
    assert!(text.starts_with("# Mine\n\nUse tabs.\n\n<!-- git-arborist: begin"), "{text}");
    let again = garden.run(&["init", "agents-md"]);
    assert!(again.stdout.contains("is up to date"), "{again:?}");
    assert_eq!(garden.read("AGENTS.md"), text);
    garden.write("AGENTS.md", &format!("{}\nAfter.\n", text.replace("Never commit", "Always commit")));
    let doctor = garden.run(&["doctor"]);
    assert!(doctor.stdout.contains("AGENTS.md is out of date"), "{doctor:?}");
    garden.run(&["init", "agents-md"]).assert(0, &[]);
    assert_eq!(garden.read("AGENTS.md"), format!("{text}\nAfter.\n"));
    garden.write("AGENTS.md", "<!-- git-arborist: begin -->\nno end\n");
    garden.run(&["init", "agents-md"]).assert(2, &["do not belong together", "--print"]);
    assert_eq!(garden.read("AGENTS.md"), "<!-- git-arborist: begin -->\nno end\n");
}

#[test]
fn every_client_gets_its_entry_and_keeps_its_own() {
    let garden = garden();
    garden.write(
        ".cursor/mcp.json",
        "{\n    \"mcpServers\": {\n        \"z\": {\"command\": \"z\"}\n    }\n}\n",
    );
    garden.write(".vscode/mcp.json", "{\n  // mine\n  \"servers\": {}\n}\n");
    for client in ["claude", "codex", "cursor", "gemini", "opencode"] {
        garden.run(&["init", "mcp", client]).assert(0, &[]);
    }
    for (file, words) in [
        (".mcp.json", "\"mcpServers\""),
        (".codex/config.toml", "[mcp_servers.git-arborist]\ncommand = \"git\"\n"),
        (
            ".cursor/mcp.json",
            "        \"z\": {\"command\": \"z\"},\n        \"git-arborist\": {\n            \"command\": \"git\",\n",
        ),
        (".gemini/settings.json", "\"mcpServers\""),
        ("opencode.json", "\"type\": \"local\""),
    ] {
        let text = garden.read(file);
        assert!(text.contains(words), "{file}: {text}");
    }
    garden.run(&["init", "mcp", "vscode"]).assert(2, &[".vscode/mcp.json cannot be changed", "--print"]);
    assert!(garden.read(".vscode/mcp.json").contains("// mine"));
    fs::remove_file(garden.top().join(".vscode/mcp.json")).unwrap();
    // Without a name, all that are used here.
    let all = garden.run(&["init", "mcp"]);
    assert!(all.stdout.contains(".vscode/mcp.json has a part of ours now"), "{all:?}");
    assert!(all.stdout.contains(".mcp.json is up to date"), "{all:?}");
    let old = garden.read(".mcp.json").replace("\"mcp\"", "\"serve\"");
    garden.write(".mcp.json", &old);
    let doctor = garden.run(&["doctor"]);
    assert!(doctor.stdout.contains(".mcp.json is out of date"), "{doctor:?}");
    assert!(doctor.stdout.contains("git arborist init mcp claude"), "{doctor:?}");
}

#[test]
fn wrong_words_are_refused_before_anything_is_written() {
    let garden = garden();
    garden.run(&["init", "mcp"]).assert(2, &["say which client", "claude, codex, cursor"]);
    garden.run(&["init", "claude"]).assert(2, &["git arborist init mcp claude"]);
    garden.run(&["init", "hooks", "--print"]).assert(2, &["--print cannot print hooks"]);
    garden.run(&["init", "mcp", "emacs"]).assert(2, &["possible values"]);
    let dry = garden.run(&["init", "skill", "agents-md", "mcp", "claude", "--dry-run"]);
    dry.assert(0, &[]);
    assert!(dry.stdout.contains(".mcp.json would get a part of ours"), "{dry:?}");
    assert_eq!(garden.git(&["status", "--porcelain"]), "");
}
