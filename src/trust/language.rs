//! The languages that the checks can read.

/// A language, or a family of languages that look the same to the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C and C++.
    C,
    /// C# and F#.
    CSharp,
    /// Elixir.
    Elixir,
    /// Go.
    Go,
    /// Java, Kotlin, Scala, Groovy and Dart.
    Java,
    /// JavaScript and TypeScript.
    JavaScript,
    /// PHP.
    Php,
    /// Python.
    Python,
    /// Ruby.
    Ruby,
    /// Rust.
    Rust,
    /// Scripts of a shell, and bats.
    Shell,
    /// Swift.
    Swift,
}

const ENDINGS: [(Language, &[&str]); 12] = [
    (Language::C, &["c", "cc", "cpp", "cxx", "h", "hh", "hpp", "m", "mm"]),
    (Language::CSharp, &["cs", "fs"]),
    (Language::Elixir, &["ex", "exs"]),
    (Language::Go, &["go"]),
    (Language::Java, &["java", "kt", "kts", "scala", "groovy", "dart", "gradle"]),
    (Language::JavaScript, &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"]),
    (Language::Php, &["php"]),
    (Language::Python, &["py", "pyi"]),
    (Language::Ruby, &["rb"]),
    (Language::Rust, &["rs"]),
    (Language::Shell, &["sh", "bash", "zsh", "bats"]),
    (Language::Swift, &["swift"]),
];

impl Language {
    /// What it is called.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::C => "C or C++",
            Self::CSharp => "C# or F#",
            Self::Elixir => "Elixir",
            Self::Go => "Go",
            Self::Java => "Java or Kotlin",
            Self::JavaScript => "JavaScript or TypeScript",
            Self::Php => "PHP",
            Self::Python => "Python",
            Self::Ruby => "Ruby",
            Self::Rust => "Rust",
            Self::Shell => "shell",
            Self::Swift => "Swift",
        }
    }

    /// The language of the file at `path`, by its ending.
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, ending) = name.rsplit_once('.')?;
        ENDINGS.iter().find(|(_, endings)| endings.contains(&ending)).map(|(language, _)| *language)
    }
}
