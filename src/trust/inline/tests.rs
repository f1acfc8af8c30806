//! Tests how files of Rust are split, against syn on the sources of this package.

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;

fn combined(tests_of: &str, source_of: &str) -> String {
    match combine("src/lib.rs", tests_of.as_bytes(), source_of.as_bytes()) {
        Ok(bytes) => String::from_utf8(bytes).unwrap(),
        Err(why) => format!("not applicable: {why}"),
    }
}

const OLD: &str = "\
pub fn add(a: u8, b: u8) -> u8 { a - b }

// What it must do.
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn old() { assert_eq!(add(1, 0), 1); }
}
";

const NEW: &str = "\
use std::fmt::{Debug, Display};
pub fn add(a: u8, b: u8) -> u8 { a + b }
#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn new() { assert_eq!(add(1, 1), 2, \"}}\"); }
}
";

#[test]
fn tests_of_one_version_go_with_the_source_of_another() {
    assert_eq!(
        combined(NEW, OLD),
        "pub fn add(a: u8, b: u8) -> u8 { a - b }\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    \
         fn new() { assert_eq!(add(1, 1), 2, \"}}\"); }\n}\n"
    );
    let old_with_new_source = combined(OLD, NEW);
    assert!(old_with_new_source.contains("a + b") && old_with_new_source.contains("fn old()"));
    assert!(!old_with_new_source.contains("fn new()"));
    assert_eq!(combined("fn a() {}", OLD), "pub fn add(a: u8, b: u8) -> u8 { a - b }\n\n");
    assert_eq!(combined(OLD, OLD), OLD);
}

#[test]
fn tests_in_modules_stay_in_their_modules() {
    let old = "pub mod a {\n    pub fn f() {}\n    #[test]\n    fn t() { f() }\n}\nfn g() {}\n";
    let new = "pub mod a {\n    pub fn f() { 2; }\n}\nfn g() {}\n";
    assert_eq!(
        combined(old, new),
        "pub mod a {\n    pub fn f() { 2; }\n    #[test]\n    fn t() { f() }\n}\nfn g() {}\n"
    );
    assert_eq!(
        combined(old, "fn g() {}\n"),
        "not applicable: a module that contains tests is only in one version"
    );
}

#[test]
fn what_cannot_be_split_is_not_applicable() {
    assert_eq!(combined("fn f() {", "fn f() {}"), "not applicable: its braces do not match");
    assert_eq!(
        combined("impl A { #[cfg(test)] fn f() {} }", "impl A {}"),
        "not applicable: it has tests inside other items"
    );
}

#[test]
fn marks_of_tests_are_recognised() {
    for (source, expected) in [
        ("#[cfg(test)] mod a;", 1),
        ("#[cfg(all(test, unix))] mod a { }", 1),
        ("#[cfg(all(unix, not(test)))] mod a { }", 0),
        ("#[cfg(any(test, feature = \"x\"))] mod a { }", 0),
        ("#[cfg(not(test))] fn a() {}", 0),
        ("#[tokio::test(flavor = \"x\")]\nasync fn a() {}", 1),
        ("#[rstest]\n#[case(1)]\nfn a(#[case] x: u8) {}", 1),
        ("#[cfg(test)] use a::{b, c};\nfn d() {}", 1),
        ("#[cfg(test)] const A: B = B { c: 1 };\nfn d() {}", 1),
        ("#[cfg(test)] impl A<{ 3 }> for B { fn c() {} }\nfn d() {}", 1),
        ("#[cfg(test)] struct A(u8);\n#[test] fn b() {}", 2),
        ("#![cfg(test)]\nfn a() {}", 1),
        ("const A: &str = \"#[cfg(test)] mod a { }\";", 0),
        ("/// ```\n/// #[test]\n/// ```\nfn a<'a>(x: &'a str) {}", 0),
    ] {
        let parts = test_part("src/a.rs", source.as_bytes()).unwrap();
        assert_eq!(parts.len(), expected, "{source}");
    }
}

/// All files of Rust in the package.
fn own_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            own_files(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

/// How many items of a module exist only in tests, by syn.
fn counted(items: &[syn::Item]) -> usize {
    items.iter().map(count_of).sum()
}

fn count_of(item: &syn::Item) -> usize {
    let attributes = match item {
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Const(item) => &item.attrs,
        syn::Item::Static(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Enum(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Macro(item) => &item.attrs,
        _ => return 0,
    };
    let is_test = attributes.iter().any(|attribute| {
        let is_cfg = attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Ident>().is_ok_and(|word| word == "test");
        is_cfg || attribute.path().segments.last().is_some_and(|last| last.ident == "test")
    });
    match item {
        _ if is_test => 1,
        syn::Item::Mod(item) => item.content.as_ref().map_or(0, |(_, items)| counted(items)),
        _ => 0,
    }
}

#[test]
fn the_sources_of_this_package_are_split_as_syn_does() {
    let top = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    own_files(&top.join("src"), &mut files);
    assert!(files.len() > 300);
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        let parsed = syn::parse_file(&text).unwrap();
        let parts =
            test_part("a.rs", text.as_bytes()).unwrap_or_else(|| panic!("{} is not split", path.display()));
        if !parsed.attrs.is_empty() && parts.iter().any(|part| part.len() == text.len()) {
            continue;
        }
        assert_eq!(parts.len(), counted(&parsed.items), "{}", path.display());
        if parts.is_empty() {
            continue;
        }
        for part in &parts {
            syn::parse_file(&text[part.clone()])
                .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        }
        let Ok(same) = combine("a.rs", text.as_bytes(), text.as_bytes()) else {
            panic!("{} is not put together again", path.display())
        };
        let again = syn::parse_file(std::str::from_utf8(&same).unwrap()).unwrap();
        assert_eq!(again.items.len(), parsed.items.len(), "{}", path.display());
    }
}

const PIECES: [&str; 22] = [
    "#[test]",
    "#[cfg(test)]",
    "fn a() {",
    "}",
    "{",
    "mod b {",
    "mod c;",
    ";",
    "use d::{e};",
    "'",
    "\"",
    "r#\"",
    "//",
    "\n",
    "#![cfg(test)]",
    "impl",
    "(",
    ")",
    "const X: Y = Z { };",
    "é",
    "#[",
    "]",
];

proptest! {
    #[test]
    fn no_source_makes_it_panic(pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..30)) {
        let source = pieces.join(" ");
        if let Some(parts) = test_part("a.rs", source.as_bytes()) {
            let mut last = 0;
            for part in parts {
                prop_assert!(last <= part.start && part.start <= part.end && part.end <= source.len());
                last = part.end;
            }
        }
        let _ = combine("a.rs", source.as_bytes(), OLD.as_bytes());
        let _ = combine("a.rs", OLD.as_bytes(), source.as_bytes());
        let _ = combine("a.rs", source.as_bytes(), source.as_bytes());
    }
}

#[test]
fn a_change_of_tests_alone_is_told_from_one_of_source() {
    let before = b"fn one() -> u8 {\n    1\n}\n";
    let with_tests =
        b"fn one() -> u8 {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn t() {}\n}\n";
    assert!(differ_only_in_tests("src/lib.rs", before, with_tests));
    assert!(differ_only_in_tests("src/lib.rs", with_tests, before));
    assert!(!differ_only_in_tests("src/lib.rs", before, b"fn one() -> u8 {\n    2\n}\n"));
    assert!(!differ_only_in_tests("src/lib.py", before, with_tests), "its tests are in other files");
    assert!(differ_only_in_tests("src/new.rs", b"", b"#[test]\nfn t() {}\n"));
    assert!(!differ_only_in_tests("src/new.rs", b"", before));
}

#[test]
fn modules_for_tests_are_told_from_others() {
    let source = "#[cfg(test)]\nmod checks;\nmod other;\n#[cfg(all(test, unix))]\npub(crate) mod b;\n#[cfg(test)] mod c { }\n";
    for (name, expected) in [("checks", true), ("other", false), ("b", true), ("c", false), ("check", false)]
    {
        assert_eq!(is_test_module(source, name), expected, "{name}");
    }
}
