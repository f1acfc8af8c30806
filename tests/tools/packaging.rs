//! Tests what belongs to packages: every way to install puts the same files into the same places.

use std::path::Path;
use std::process::Command;

use crate::support::cli::Said;
use crate::support::garden::{Garden, plan, programs};
use crate::support::skip::{has, missing, skip};

#[test]
fn make_and_init_install_the_same_files_and_make_removes_them_again() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let built = Path::new(env!("CARGO_BIN_EXE_git-arborist")).parent().unwrap();
    if !has("make") {
        return;
    }
    if built != top.join("target/debug") {
        return skip("the programs are not in target/debug");
    }
    let mut check = Command::new(top.join("packaging/check-places"));
    check.arg("dev").current_dir(std::env::temp_dir()).env_remove("MAKEFLAGS");
    let said = Said::of(check.output().unwrap()).answer();
    assert!(said.ends_with(" files are in the same places\n"), "{said}");
}

#[test]
fn the_package_for_debian_contains_every_folder_that_is_installed() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = std::fs::read_to_string(top.join("Cargo.toml")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().to_str().unwrap();
    crate::support::cli::arborist(folder.path(), &["init", "man", "completions", "--prefix", place]).answer();
    let mut open = vec![folder.path().join("share")];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let below = next.strip_prefix(folder.path()).unwrap().display();
                assert!(
                    manifest.contains(&format!("[\"target/deb/usr/{below}/*\"")),
                    "{below} is not in the package"
                );
            }
        }
    }
}

#[test]
fn the_action_and_the_workflows_pass_their_checkers() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut check = Command::new(top.join("packaging/check-workflows"));
    if !["bash", "python3"].into_iter().all(has) {
        return;
    }
    let said = Said::of(check.current_dir(std::env::temp_dir()).output().unwrap()).answer();
    said.lines().filter_map(|line| line.strip_prefix("skipped: ")).for_each(missing);
    assert!(said.ends_with("the action and 5 workflows are in order\n"), "{said}");
}

/// The script of a step of the action.
fn script_of_action(step: &str) -> String {
    let action = include_str!("../../action.yml");
    let (_, after) = action.split_once(&format!("- name: {step}\n")).unwrap();
    let (_, script) = after.split_once("      run: |\n").unwrap();
    let lines = script.lines().take_while(|line| line.is_empty() || line.starts_with("        "));
    lines.map(|line| format!("{}\n", line.trim_start())).collect()
}

#[test]
fn the_action_goes_on_in_the_next_job_until_everything_is_complete_but_not_after_a_failure() {
    let rows = [("p1", "", &[][..], &[][..]), ("T001", "p1", &[], &["true"]), ("T002", "p1", &[], &["true"])];
    let garden = Garden::new(&plan(&rows));
    let script = script_of_action("Run git arborist");
    let run = |arguments: &str| {
        let output = garden.root().join("output");
        std::fs::write(&output, "").unwrap();
        let mut bash = garden.command("bash");
        bash.args(["-eo", "pipefail", "-c", &script]).env("PATH", garden.path_with(programs()));
        bash.envs([("MODE", "gardener"), ("RANGE", ""), ("BASE", ""), ("MAX_TIME", "1h"), ("PUSH", "false")]);
        bash.env("ARGUMENTS", arguments).env("GITHUB_OUTPUT", &output);
        let ended = garden.finish(bash);
        (ended, std::fs::read_to_string(output).unwrap())
    };
    let (ended, output) = run("--no-review --max-tasks 1");
    ended.assert(0, &["--max-tasks"]);
    assert_eq!(output, "status=0\ncomplete=false\n");
    let (ended, output) = run("--no-review");
    ended.assert(0, &[]);
    assert_eq!(output, "status=0\ncomplete=true\n");
    garden.run(&["mark", "reopen", "T002"]).assert(0, &[]);
    garden.agent("exit 1");
    let (ended, output) = run("--no-review --max-attempts 1");
    ended.assert(1, &["T002 failed"]);
    assert_eq!(output, "status=1\ncomplete=false\n");
}

#[test]
fn the_formula_for_homebrew_is_ruby() {
    let formula = Path::new(env!("CARGO_MANIFEST_DIR")).join("packaging/git-arborist.rb.in");
    if !has("ruby") {
        return;
    }
    let said = Said::of(Command::new("ruby").arg("-c").arg(formula).output().unwrap()).answer();
    assert_eq!(said, "Syntax OK\n");
}

/// An expression that gives the flake a stand-in for nixpkgs, which has only what it asks for.
const OUTPUTS_OF_FLAKE: &str = r#"
let
  flake = import ./flake.nix;
  systems = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
  lib.genAttrs = names: value: builtins.listToAttrs (map (name: { inherit name; value = value name; }) names);
  lib.licenses = { mit = "MIT"; asl20 = "Apache-2.0"; };
  package = attributes: { inherit (attributes) pname version; lock = builtins.pathExists attributes.cargoLock.lockFile; };
  packages = system: { inherit lib; rustPlatform.buildRustPackage = package; };
  nixpkgs = { inherit lib; legacyPackages = lib.genAttrs systems packages; };
  outputs = flake.outputs { self = flake; inherit nixpkgs; };
in map (system: outputs.packages.${system}.default) systems
"#;

#[test]
fn the_flake_describes_a_package_of_this_version_for_each_system() {
    if !has("nix-instantiate") {
        return;
    }
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    for name in ["flake.nix", "Cargo.toml", "Cargo.lock"] {
        std::fs::copy(top.join(name), folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join("outputs.nix"), OUTPUTS_OF_FLAKE).unwrap();
    let mut evaluate = Command::new("nix-instantiate");
    evaluate.args(["--eval", "--strict", "--json", "outputs.nix"]).current_dir(folder.path());
    for (name, place) in [("NIX_STATE_DIR", "state"), ("NIX_STORE_DIR", "store"), ("NIX_LOG_DIR", "log")] {
        evaluate.env(name, folder.path().join(place));
    }
    let said = Said::of(evaluate.output().unwrap()).json();
    let version = env!("CARGO_PKG_VERSION");
    let package = serde_json::json!({"pname": "git-arborist", "version": version, "lock": true});
    assert_eq!(said, serde_json::json!([package, package, package, package]));
}
