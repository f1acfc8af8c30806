//! What a task works on, by the names that tests may have for it.

use crate::trust::files::is_test_side;
use crate::trust::inline::is_rust;

/// Stems of files that name no work, because files in all folders have them.
const EVERYWHERE: [&str; 8] = ["app", "index", "init", "lib", "main", "mod", "tests", "utils"];

/// The shortest name that says something, in letters.
const SHORTEST: usize = 3;

/// What a task works on.
#[derive(Debug)]
pub(crate) struct TaskWork {
    /// Its names, each in words.
    names: Vec<Vec<String>>,
    /// Whether it has changed files that may have tests.
    pub(crate) changes_tests: bool,
}

impl TaskWork {
    /// The work of a task with this text in the plan, which has changed these files: what the text names as a file or a function, and
    /// the files of source.
    pub(crate) fn of(text: &str, changed: &[Vec<u8>]) -> Self {
        let changed: Vec<String> =
            changed.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect();
        let source = changed.iter().filter(|path| !is_test_side(path)).map(|path| stem(path));
        let said = text.split(|c: char| c.is_whitespace() || "`\"',;:".contains(c)).filter_map(named_in_text);
        let mut names: Vec<Vec<String>> = source.chain(said).map(words).collect();
        names.retain(|name| {
            let letters: usize = name.iter().map(|word| word.chars().count()).sum();
            letters >= SHORTEST && !matches!(&name[..], [only] if EVERYWHERE.contains(&only.as_str()))
        });
        names.sort();
        names.dedup();
        let changes_tests = changed.iter().any(|path| is_test_side(path) || is_rust(path));
        Self { names, changes_tests }
    }

    /// Whether a test names it: by its own name, its class or its file.
    pub(crate) fn is_named_by(&self, test: &str) -> bool {
        let test = words(test);
        self.names.iter().any(|name| test.windows(name.len()).any(|part| part == name))
    }
}

/// The name of a file without its folders and extensions.
fn stem(path: &str) -> &str {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.split('.').find(|part| !part.is_empty()).unwrap_or(file)
}

/// What a word of a text names: the file `src/double.py`, or the function `double()`.
fn named_in_text(word: &str) -> Option<&str> {
    let word = word.trim_end_matches(['.', ')', '!', '?']);
    if let Some((function, _)) = word.split_once('(') {
        return Some(function.rsplit(['.', ':']).next().unwrap_or(function)).filter(|name| !name.is_empty());
    }
    let extension = word.rsplit('.').next().filter(|extension| extension.len() < word.len());
    let is_file = extension.is_some_and(|extension| {
        (1..=5).contains(&extension.len()) && extension.chars().all(|c| c.is_ascii_alphanumeric())
    });
    (is_file && !is_test_side(word)).then(|| stem(word))
}

/// The words of a name in lower case: `test_UserService` is `test`, `user`, `service`.
fn words(name: &str) -> Vec<String> {
    let (mut all, mut word, mut was_small) = (Vec::new(), String::new(), false);
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_small) {
            all.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase() || c.is_numeric();
    }
    all.extend(Some(word).filter(|word| !word.is_empty()));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_named(text: &str, changed: &[&str], test: &str) -> bool {
        let changed: Vec<Vec<u8>> = changed.iter().map(|path| path.as_bytes().to_vec()).collect();
        TaskWork::of(text, &changed).is_named_by(test)
    }

    #[test]
    fn tests_name_files_and_functions_as_whole_words() {
        for (text, changed, test, expected) in [
            ("Implement double() in double.py", &[][..], "test_double.D.test_two", true),
            ("Implement it", &["src/double.py"], "tests/test_double.py::test_two", true),
            ("Implement it", &["src/double.py"], "tests/test_doubles.py::test_two", false),
            ("Write `src/user_service.ts`.", &[], "UserService > finds a user", true),
            ("Write `src/user_service.ts`.", &[], "user > finds a service", false),
            ("Implement it", &["src/user-service.js"], "the user service finds one", true),
            ("Call `math.total(numbers)`", &[], "tests/test_sums.py::test_total", true),
            ("Implement it", &["src/lib.rs", "src/db.rs"], "lib::db::tests::works", false),
            ("Implement it", &["tests/test_two.py"], "tests/test_two.py::test_two", false),
            ("Make it fast. See e.g. the manual", &[], "e g fast", false),
        ] {
            assert_eq!(is_named(text, changed, test), expected, "{text} {changed:?} {test}");
        }
    }
}
