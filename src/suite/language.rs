//! The languages that the checks can read.

/// A language, or a family of languages that look the same to the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Go.
    Go,
    /// JavaScript and TypeScript.
    JavaScript,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// Scripts of a shell, and bats.
    Shell,
    /// Another one, which is read as if it were like C.
    Other,
}

const ENDINGS: [(Language, &str); 6] = [
    (Language::Go, "go"),
    (Language::JavaScript, "js jsx mjs cjs ts tsx mts cts"),
    (Language::Python, "py pyi"),
    (Language::Rust, "rs"),
    (Language::Shell, "sh bash zsh bats"),
    (
        Language::Other,
        "c cc cpp cxx h hh hpp m mm cs fs ex exs java kt kts scala groovy dart gradle php rb swift",
    ),
];

impl Language {
    /// What it is called, if it is one.
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Go => Some("Go"),
            Self::JavaScript => Some("JavaScript or TypeScript"),
            Self::Python => Some("Python"),
            Self::Rust => Some("Rust"),
            Self::Shell => Some("shell"),
            Self::Other => None,
        }
    }

    /// The language of the file at `path`, by its ending.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, ending) = name.rsplit_once('.')?;
        ENDINGS
            .iter()
            .find(|(_, endings)| endings.split(' ').any(|known| known == ending))
            .map(|(language, _)| *language)
    }
}
