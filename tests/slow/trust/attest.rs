//! Tests `prove --attest` and `check --run --attested`: statements about proven tasks, and who believes them.

use std::process::Command;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::shell_library::library;
use crate::support::garden::Garden;
use crate::support::skip::has;

/// What `in-toto/attestation` says about a statement (v1) and the predicate `test-result` (v0.1).
fn schema() -> Value {
    let digest = json!({"type": "object", "minProperties": 1, "additionalProperties": {"type": "string", "pattern": "^[0-9a-f]+$"}});
    let resource = json!({
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "uri": {"type": "string"},
            "digest": digest,
            "content": {"type": "string"},
            "downloadLocation": {"type": "string"},
            "mediaType": {"type": "string"},
            "annotations": {"type": "object"},
        },
        "additionalProperties": false,
        "anyOf": [{"required": ["uri"]}, {"required": ["digest"]}, {"required": ["content"]}],
    });
    let names = json!({"type": "array", "items": {"type": "string"}});
    json!({
        "type": "object",
        "properties": {
            "_type": {"const": "https://in-toto.io/Statement/v1"},
            "subject": {"type": "array", "minItems": 1, "items": {"allOf": [resource, {"required": ["digest"]}]}},
            "predicateType": {"const": "https://in-toto.io/attestation/test-result/v0.1"},
            "predicate": {
                "type": "object",
                "properties": {
                    "result": {"enum": ["PASSED", "WARNED", "FAILED"]},
                    "configuration": {"type": "array", "items": resource},
                    "url": {"type": "string"},
                    "passedTests": names,
                    "warnedTests": names,
                    "failedTests": names,
                },
                "required": ["result", "configuration"],
                "additionalProperties": false,
            },
        },
        "required": ["_type", "subject", "predicateType", "predicate"],
        "additionalProperties": false,
    })
}

/// A repository with two complete tasks: T1 can be proven, and T2 cannot, because no test notices its change.
fn done() -> Garden {
    let commands = json!([{"type": "unit", "command": "sh tests/run.sh", "framework": "cargo"}]);
    let task = |id: &str| json!({"id": id, "name": format!("Do {id}"), "description": "", "test_commands": commands});
    let garden = library(&json!({"spec_id": "calc", "nodes": {"T1": task("T1"), "T2": task("T2")}}), "");
    garden.config("arborist.trust.protect", "off");
    garden.agent(
        r#"case $ARBORIST_TASK.$ARBORIST_STEP in
T1.implement) echo 'sub() { echo $(($1 - $2)); }' >> lib.sh
for n in 1 2 3; do printf '. ./lib.sh\n[ "$(sub 5 %s)" = %s ]\n' $n $((5 - n)) > tests/sub${n}_test.sh; done; exit 0;;
T2.implement) echo 'mul() { echo 0; }' >> lib.sh; exit 0;;
esac"#,
    );
    garden.run(&["gardener"]).assert(0, &[]);
    garden
}

fn complete_commit(garden: &Garden, task: &str) -> String {
    let grep = format!("--grep=^task({task}): complete");
    garden.git(&["log", "--format=%H", "-1", &grep]).trim().to_owned()
}

/// The commit as git has it.
fn raw(garden: &Garden, commit: &str) -> Vec<u8> {
    let output = garden.command("git").args(["cat-file", "commit", commit]).output().unwrap();
    output.stdout
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn a_proof_is_attested_and_only_what_is_attested_counts() {
    let garden = done();
    let file = garden.root().join("statement.json");
    let ended = garden.run(&["prove", "--attest", file.to_str().unwrap()]);
    assert!(
        ended.stderr.contains("attests T1.") && ended.stderr.contains("does not attest T2."),
        "{ended:#?}"
    );
    let text = std::fs::read_to_string(&file).unwrap();
    let statement: Value = serde_json::from_str(&text).unwrap();
    jsonschema::validate(&schema(), &statement).unwrap_or_else(|error| panic!("{error}: {text}"));
    let commit = complete_commit(&garden, "T1");
    let subject =
        json!([{"name": commit, "digest": {"sha256": hex(&raw(&garden, &commit)), "gitCommit": commit}}]);
    assert_eq!(statement["subject"], subject);
    let configuration = &statement["predicate"]["configuration"];
    let plan = garden.read("task-tree.json");
    assert_eq!(
        configuration[0],
        json!({"name": "task-tree.json", "digest": {"sha256": hex(plan.as_bytes())}})
    );
    assert_eq!(configuration[1]["annotations"]["commands"], json!(["sh tests/run.sh"]));
    let clean = &configuration[1]["annotations"]["runs"][0];
    assert_eq!(
        (&clean["run"], &clean["result"], &clean["passed"]),
        (&"clean".into(), &"pass".into(), &4.into())
    );

    let checked = |more: &[&str]| garden.run(&[&["check", "--run", "--attested"], more].concat());
    checked(&[]).assert(2, &["attestations in the repository count only if they are signed"]);
    let given = checked(&[file.to_str().unwrap()]);
    given.assert(0, &["; 1 attested; T2 is only claimed"]);
    assert!(given.stdout.contains("warning[H213]: T2: no attestation vouches"), "{given:#?}");
    assert!(!given.stdout.contains("H213]: T1"), "{given:#?}");
    checked(&[file.to_str().unwrap(), "--strict"]).assert(1, &[]);
    // The statement is about another commit, or another plan.
    for (part, other) in
        [(hex(&raw(&garden, &commit)), "0".repeat(64)), (hex(plan.as_bytes()), "1".repeat(64))]
    {
        let other_file = garden.root().join("other.json");
        std::fs::write(&other_file, text.replace(&part, &other)).unwrap();
        checked(&[other_file.to_str().unwrap()]).assert(0, &["; 0 attested; T1, T2 are only claimed"]);
    }
    std::fs::write(&file, "{}").unwrap();
    checked(&[file.to_str().unwrap()]).assert(2, &["it has no in-toto statement"]);
}

#[test]
fn a_signed_attestation_counts_only_with_a_good_signature() {
    if !has("ssh-keygen") {
        return;
    }
    let garden = done();
    let key = garden.root().join("key");
    let made =
        Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status().unwrap();
    assert!(made.success());
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    let allowed = garden.root().join("allowed");
    std::fs::write(&allowed, format!("a@example.com {public}")).unwrap();
    let file = garden.root().join("statement.json");
    let attest =
        || garden.run(&["prove", "T1", "--attest", file.to_str().unwrap()]).assert(0, &["attests T1."]);
    attest();
    garden.config("arborist.attest.sign", "true");
    garden.config("gpg.format", "ssh");
    garden.config("user.signingKey", key.to_str().unwrap());
    garden.config("gpg.ssh.allowedSignersFile", allowed.to_str().unwrap());
    let check = || garden.run(&["check", "--run", "--attested"]);
    check().assert(0, &["; 0 attested"]);
    attest();
    check().assert(0, &["; 1 attested"]);
    // A clone has what was pushed to it.
    let clone = garden.root().join("clone");
    garden.git(&["clone", "-q", ".", clone.to_str().unwrap()]);
    for setting in ["arborist.attest.sign", "gpg.format", "gpg.ssh.allowedSignersFile"] {
        let value = garden.git(&["config", setting]);
        garden.git(&["-C", clone.to_str().unwrap(), "config", setting, &value]);
    }
    let in_clone = || {
        let mut check = garden.arborist(&["check", "--run", "--attested"]);
        check.current_dir(&clone);
        garden.finish(check)
    };
    in_clone().assert(0, &["; 0 attested"]);
    garden.git(&["push", "-q", clone.to_str().unwrap(), "refs/arborist/attest/*"]);
    in_clone().assert(0, &["; 1 attested"]);
    garden.git(&["verify-commit", &format!("refs/arborist/attest/{}", complete_commit(&garden, "T1"))]);
    std::fs::write(&allowed, "").unwrap();
    check().assert(0, &["; 0 attested"]);
}

#[test]
fn nothing_is_attested_if_nothing_is_proven() {
    let garden = done();
    let file = garden.root().join("statement.json");
    garden
        .run(&["prove", "T2", "--attest", file.to_str().unwrap()])
        .assert(1, &["nothing was proven", "was not written"]);
    assert!(!file.exists());
    assert_eq!(garden.git(&["for-each-ref", "refs/arborist/attest/"]), "");
}
