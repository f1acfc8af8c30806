//! Tells which test commands name every test that fails.

use crate::text::simple_commands;

/// What a test command tells about tests that fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TestNaming {
    /// It may name them.
    Possible,
    /// It does not name them all, or does not say how many tests ran: tests of a compiled language, without the options that are
    /// needed for that.
    Nameless,
}

/// What a test command tells about tests that fail. Only tools of compiled languages are known here: where tests are not built
/// before they run, their names are there.
#[must_use]
pub(super) fn naming_of(command: &str) -> TestNaming {
    let is_nameless = |words: &Vec<String>| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let has = |options: &[&str]| words.iter().any(|word| options.contains(word));
        let program = words.iter().position(|word| !word.contains('=')).and_then(|at| words.get(at..));
        match program.map(|program| (base_name(program[0]), &program[1..])) {
            Some(("go", rest)) => rest.contains(&"test") && !has(&["-v", "-json"]),
            Some(("cargo", rest)) => {
                rest.iter().any(|word| ["test", "t", "nextest"].contains(word)) && !has(&["--no-fail-fast"])
            }
            Some(("mvn" | "mvnw" | "gradle" | "gradlew" | "sbt", _)) => true,
            Some(("dotnet" | "swift", rest)) => rest.first() == Some(&"test"),
            _ => false,
        }
    };
    if simple_commands(command).iter().any(is_nameless) { TestNaming::Nameless } else { TestNaming::Possible }
}

fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_of_compiled_languages_need_options_to_name_all_tests_that_fail() {
        for (command, naming) in [
            ("go test ./...", TestNaming::Nameless),
            ("go test -v ./...", TestNaming::Possible),
            ("go vet ./... && go test -json ./...", TestNaming::Possible),
            ("cargo test", TestNaming::Nameless),
            ("cargo test --workspace --no-fail-fast", TestNaming::Possible),
            ("RUST_BACKTRACE=1 cargo nextest run", TestNaming::Nameless),
            ("cargo build", TestNaming::Possible),
            ("./gradlew test", TestNaming::Nameless),
            ("mvn -q test", TestNaming::Nameless),
            ("dotnet test", TestNaming::Nameless),
            ("dotnet build", TestNaming::Possible),
            ("pytest", TestNaming::Possible),
            ("npm test", TestNaming::Possible),
        ] {
            assert_eq!(naming_of(command), naming, "{command}");
        }
    }
}
