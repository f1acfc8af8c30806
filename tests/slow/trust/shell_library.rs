//! A library of shell functions with its own test runner: a project that needs nothing but a shell.

use serde_json::Value;

use crate::support::garden::Garden;

/// Runs every `tests/*_test.sh`, and prints what `cargo test` would print.
const RUNNER: &str = r#"set -- tests/*_test.sh
echo "running $# tests"
passed=0 failed=0
for test; do
  name=${test#tests/}
  if sh "$test" >/dev/null 2>&1
  then passed=$((passed + 1)); echo "test ${name%_test.sh} ... ok"
  else failed=$((failed + 1)); echo "test ${name%_test.sh} ... FAILED"
  fi
done
verdict=ok; [ $failed = 0 ] || verdict=FAILED
echo "test result: $verdict. $passed passed; $failed failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s"
[ $failed = 0 ]
"#;

/// The runner, `tests/run.sh`, with lines before it.
pub(super) fn runner(before: &str) -> String {
    format!("{before}{RUNNER}")
}

/// A repository with this plan, a library that can add, a test of it, and that runner.
pub(super) fn library(plan: &Value, before: &str) -> Garden {
    let garden = Garden::new(plan);
    garden.write("tests/run.sh", &runner(before));
    garden.write("tests/add_test.sh", ". ./lib.sh\n[ \"$(add 2 3)\" = 5 ]\n");
    garden.write("lib.sh", "add() { echo $(($1 + $2)); }\n");
    garden.write(".gitignore", "cache\n");
    garden.commit("Begin");
    garden
}
