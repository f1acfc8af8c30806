//! Tests what is code, comment and text.

use proptest::prelude::*;

use super::*;

/// The code of a source: comments and text are blank but for the first quote.
fn blanked(language: Language, source: &str) -> String {
    let classes = classes(language, source.as_bytes());
    let code = code(source.as_bytes(), &classes);
    let text = String::from_utf8_lossy(&code).into_owned();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn comments_and_text_are_told_from_code() {
    use Language::{C, CSharp, Elixir, Go, Java, JavaScript, Php, Python, Ruby, Rust, Shell};
    for (language, source, expected) in [
        (Rust, "a // b\nc /* d /* e */ f */ g", "a c g"),
        (Rust, "x(\"a \\\" // b\", 'c', '\\'', '\"', b'x', 'ä') y", "x(\" , ' , ' , ' , b , ' ) y"),
        (
            Rust,
            "fn f<'a>(x: &'a str) -> &'static str { r#\"a\" }\"# }",
            "fn f<'a>(x: &'a str) -> &'static str { r }",
        ),
        (Rust, "let r#type = br\"\\\"; c(b\"x\")", "let r#type = b ; c(b )"),
        (Rust, "for x in y { 'l: loop { break 'l } }", "for x in y { 'l: loop { break 'l } }"),
        (Python, "a # b\nc('d # e', \"\"\"f\n'g\"\"\") h", "a c(' , \" ) h"),
        (Python, "x = 'open\ny", "x = ' y"),
        (JavaScript, "a(`b ${c({d: 'e'}) + `f`} g`) // h", "a(` ${c({d: ' }) + ` } )"),
        (JavaScript, "x = /a'[/]b/.test(y) / 2 / 3; z", "x = / .test(y) / 2 / 3; z"),
        (JavaScript, "return /'/ + a[0] / 'b'", "return / + a[0] / '"),
        (JavaScript, "/* a */ b /* open", "b"),
        (Go, "a(`b \\`, \"c\\\"\", '\"') // d", "a(` , \" , ' )"),
        (Java, "a(\"\"\"b \"c\" \"\"\", 'd') /* e */ f", "a(\" , ' ) f"),
        (CSharp, "a(@\"b \\\" + c + @\"d \"\" e\")", "a(@\" + c + @\" )"),
        (C, "a(R\"x(b)\" c)x\") // d", "a(R\" )"),
        (Php, "a('b' # c\n, \"d\ne\")", "a(' , \" )"),
        (Ruby, "a 'b' # c", "a '"),
        (Elixir, "a \"\"\"\nb \"c\n\"\"\" d", "a \" d"),
        (Shell, "a$#b # c\nd 'e \\' \"f\ng\" h", "a$#b d ' \" h"),
    ] {
        assert_eq!(blanked(language, source), expected, "{source}");
    }
}

const ALL: [Language; 12] = [
    Language::C,
    Language::CSharp,
    Language::Elixir,
    Language::Go,
    Language::Java,
    Language::JavaScript,
    Language::Php,
    Language::Python,
    Language::Ruby,
    Language::Rust,
    Language::Shell,
    Language::Swift,
];

proptest! {
    #[test]
    fn every_byte_has_a_class_and_every_line_stays(
        source in prop::collection::vec(prop::sample::select(b"ab \n\t'\"`/*#\\${}()[]r\xc3\xa4@R".to_vec()), 0..80),
    ) {
        for language in ALL {
            let classes = classes(language, &source);
            prop_assert_eq!(classes.len(), source.len());
            let code = code(&source, &classes);
            prop_assert_eq!(code.len(), source.len());
            for (before, after) in source.iter().zip(&code) {
                prop_assert!(*before != b'\n' || *after == b'\n');
            }
        }
    }
}

/// Openings without an end must not be looked at again and again.
#[test]
fn many_openings_are_read_at_once() {
    for language in ALL {
        for piece in [
            "'", "\"", "/*", "`${", "/[", "r#\"", "R\"(", "\"\"\"", "// ", "'a", "# ", "\\'\n", "r###", "/ ",
            "@\"",
        ] {
            let source = piece.repeat(6_000 / piece.len());
            assert_eq!(classes(language, source.as_bytes()).len(), source.len());
        }
    }
}
