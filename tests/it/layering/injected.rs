//! Tests the layering rules themselves: each way to break one is put into a small crate, and must be found.

use std::collections::BTreeMap;

use super::crates::{dependencies, foreign_crates};
use super::parameters::tuple_parameters;
use super::rooms::{Room, against_order, knots};
use super::rules::{Door, Exception, Rules, cycles, scattered_methods, unneeded, violations};
use super::source::Package;

const RULES: Rules<'static> = Rules {
    may_use: &[("bin", &["high"]), ("high", &["low"]), ("low", &[])],
    doors: &[
        Door { what: "starts programs", signs: &["std::process::Command"], layers: &["high"] },
        Door { what: "reads the environment", signs: &["std::env", "env!"], layers: &["high"] },
        Door { what: "prints", signs: &["println!", "eprint!", "std::io::stdout"], layers: &["high"] },
        Door {
            what: "opens files that others wrote",
            signs: &[
                "std::fs::read",
                "std::fs::read_to_string",
                "std::fs::File::open",
                "std::fs::OpenOptions",
            ],
            layers: &["high"],
        },
        Door { what: "ends the process", signs: &["panic!", "std::process::exit"], layers: &[] },
        Door { what: "takes in source that is not looked at", signs: &["include!"], layers: &[] },
        Door { what: "is not pure", signs: &["std::fs", ".exists", ".read_dir"], layers: &["high"] },
    ],
    exceptions: &[],
};

/// A crate of two layers that follows its rules, with text appended to some files.
fn sources(more: &[(&str, &str)]) -> Package {
    let mut files: BTreeMap<String, String> = [
        ("lib.rs", "pub mod high; pub mod low;"),
        ("bin/tool.rs", "fn main() { git_arborist::high::run() }"),
        ("high/mod.rs", "mod one; mod two; pub use one::run; pub use two::Thing;"),
        ("high/one.rs", "use super::Thing; use std::process::Command; pub fn run() { println!(\"{:?}\", (Thing, Command::new(\"x\"))); }"),
        ("high/two.rs", "use crate::low::deep::Value; #[derive(Debug)] pub struct Thing; pub fn f(_: Value) {}"),
        ("low/mod.rs", "pub mod deep; pub mod other;"),
        ("low/deep.rs", "//! Says `crate::high` and println!() in a comment.\npub struct Value; const TEXT: &str = \"crate::high::run\";"),
        ("low/other.rs", "use super::deep::Value; pub fn g(_: Value) {}"),
    ]
    .into_iter()
    .map(|(file, text)| (file.to_owned(), text.to_owned()))
    .collect();
    for (file, text) in more {
        let content = files.entry((*file).to_owned()).or_default();
        content.push('\n');
        content.push_str(text);
    }
    Package::read(files)
}

#[test]
fn a_crate_that_keeps_to_the_rules_has_no_violations() {
    assert_eq!(violations(&sources(&[]), &RULES), Vec::<String>::new());
    assert_eq!(cycles(&sources(&[])), Vec::<String>::new());
    let visible = [("low/mod.rs", "fn f() { deep::g() }"), ("low/deep.rs", "pub(super) fn g() {}")];
    assert_eq!(cycles(&sources(&visible)), Vec::<String>::new());
}

/// Puts the text at the end of `low/deep.rs`; exactly one sentence about it is expected.
#[track_caller]
fn found_in_low(text: &str, expected: &str) {
    let found = violations(&sources(&[("low/deep.rs", text)]), &RULES);
    assert!(found.iter().any(|sentence| sentence.contains(expected)), "{text}\n{found:?}");
}

#[test]
fn every_spelling_of_a_path_upward_is_found() {
    for text in [
        "use crate::high::run;",
        "use crate::high;",
        "use crate::high::*;",
        "use crate::{low::other, high::run};",
        "use crate::{high as h}; fn f() { h::run() }",
        "use super::super::high::run;",
        "pub use crate::high::run;",
        "fn f() { crate::high::run() }",
        "fn f() { super::super::high::run() }",
        "fn f(thing: crate::high::Thing) {}",
        "fn f() -> Option<crate::high::Thing> { None }",
        "impl From<Value> for crate::high::Thing { }",
        "fn f() { assert_eq!(1, crate::high::run()) }",
        "fn f() { vec![Some(format!(\"{:?}\", crate::high::Thing))]; }",
        "macro_rules! m { () => { crate::high::run() } }",
        "mod inner { use crate::high::run; }",
        "fn f() { use crate::high::run; run() }",
        "use crate::low as l; fn f() { use crate as c; c::high::run() }",
        "struct S { #[cfg(unix)] thing: crate::high::Thing }",
        "#[cfg(not(test))] fn f() { crate::high::run() }",
    ] {
        found_in_low(text, "low must not use high: src/low/deep.rs");
    }
}

#[test]
fn a_tests_module_hides_only_itself_wherever_it_is_in_the_file() {
    let tests = "#[cfg(test)] mod tests { use crate::high::run; #[test] fn t() { println!(\"{}\", crate::high::run()) } }";
    assert_eq!(violations(&sources(&[("low/deep.rs", tests)]), &RULES), Vec::<String>::new());
    found_in_low(&format!("{tests}\nuse crate::high::run;"), "low must not use high");
    let own_file =
        [("low/deep.rs", "#[cfg(test)] mod tests;"), ("low/deep/tests.rs", "use crate::high::run;")];
    assert_eq!(violations(&sources(&own_file), &RULES), Vec::<String>::new());
}

#[test]
fn every_spelling_of_a_way_out_is_found() {
    for (text, expected) in [
        ("use std::process::Command;", "starts programs"),
        ("use std::process::{Command as Start, Stdio}; fn f() { Start::new(\"x\") }", "starts programs"),
        ("fn f() { std::process::Command::new(\"x\") }", "starts programs"),
        ("use std::process; fn f() { process::Command::new(\"x\") }", "starts programs"),
        ("use std::process as p; fn f() { p::Command::new(\"x\") }", "starts programs"),
        ("fn f() { dbg!(std::process::Command::new(\"x\")) }", "starts programs"),
        ("use std::env;", "reads the environment"),
        ("use std::{env::var, fs}; fn f() { var(\"x\") }", "reads the environment"),
        ("use std as s; fn f() { s::env::var(\"x\") }", "reads the environment"),
        ("const V: &str = env!(\"V\");", "reads the environment"),
        ("fn f() { println!(\"x\") }", "prints"),
        ("fn f() { std::println!(\"x\") }", "prints"),
        ("fn f() { assert!({ eprint!(\"x\"); true }) }", "prints"),
        ("use std::io::{self, Write}; fn f() { io::stdout() }", "prints"),
        ("fn f() { std::fs::read(\"x\") }", "opens files that others wrote"),
        ("use std::fs; fn f() { fs::read_to_string(\"x\") }", "opens files that others wrote"),
        ("use std::fs::File; fn f() { File::open(\"x\") }", "opens files that others wrote"),
        ("use std::fs::{File as Opened}; fn f() { Opened::open(\"x\") }", "opens files that others wrote"),
        ("use std::fs::OpenOptions; fn f() { OpenOptions::new() }", "opens files that others wrote"),
        ("fn f() { panic!() }", "ends the process"),
        ("fn f() { std::process::exit(1) }", "ends the process"),
        ("extern crate std as s; fn f() { s::process::Command::new(\"x\") }", "starts programs"),
        ("include!(\"more.rs\");", "takes in source"),
        ("fn f() { include!(\"more.rs\") }", "takes in source"),
        ("fn f(path: &std::path::Path) -> bool { path.exists() }", "is not pure"),
        ("fn f(path: &std::path::Path) { assert!(path.join(\"x\").exists()) }", "is not pure"),
        (
            "fn f(path: &std::path::Path) { for entry in path.read_dir().into_iter().flatten() {} }",
            "is not pure",
        ),
    ] {
        found_in_low(text, expected);
    }
}

#[track_caller]
fn circle(found: &[String], expected: &str) {
    let [only] = found else { panic!("{found:?}") };
    assert_eq!(only.lines().next(), Some(format!("these files use each other: {expected}").as_str()));
}

#[test]
fn files_that_use_each_other_are_found_through_re_exports_too() {
    let direct = [("low/deep.rs", "use super::other::g; fn f() { g(Value) }")];
    let found = cycles(&sources(&direct));
    circle(&found, "low/deep.rs, low/other.rs");
    let through = [("high/two.rs", "fn f() { super::run() }")];
    let found = cycles(&sources(&through));
    circle(&found, "high/one.rs, high/two.rs");
    let parent = [("low/mod.rs", "pub fn h() { deep::f() }"), ("low/deep.rs", "pub fn f() { super::h() }")];
    let found = cycles(&sources(&parent));
    circle(&found, "low/deep.rs, low/mod.rs");
}

#[test]
fn modules_of_a_room_that_use_each_other_are_found_though_no_two_files_do() {
    let folders = [
        ("low/mod.rs", "pub mod one; pub mod two;"),
        ("low/one/mod.rs", "pub mod user; pub mod used;"),
        ("low/one/user.rs", "fn f() { crate::low::two::used::g() }"),
        ("low/one/used.rs", "pub fn g() {}"),
        ("low/two/mod.rs", "pub mod user; pub mod used; pub use used::g as passed_on;"),
        ("low/two/used.rs", "pub fn g() {}"),
    ];
    let order = [Room { name: "low", order: &["one", "two", "other", "deep"] }];
    let upward = [("low/two/user.rs", "use super::super::one::used; fn f() { used::g() }")];
    let passed_on = [("low/two/user.rs", "pub use crate::low::one::used::g;")];
    for (last, is_knot) in [(upward, true), (passed_on, false)] {
        let package = sources(&[folders.as_slice(), &last].concat());
        assert_eq!(cycles(&package), Vec::<String>::new());
        let (knots, upward) = (knots(&package), against_order(&package, &order));
        assert_eq!(knots.len(), usize::from(is_knot), "{knots:?}");
        assert_eq!(!upward.is_empty(), is_knot, "{upward:?}");
        if is_knot {
            assert!(knots[0].starts_with("in low, these modules use each other: one, two\n"), "{knots:?}");
            assert!(upward[0].starts_with("low/two must not use one: src/low/two/user.rs:"), "{upward:?}");
        }
    }
    let unplaced = [Room { name: "low", order: &["deep", "gone"] }];
    assert_eq!(
        against_order(&sources(&[]), &unplaced),
        ["low/gone is not there", "low/other has no place in its room"]
    );
}

#[test]
fn crates_of_others_are_found_in_layers_that_may_not_use_them() {
    let manifest = "[package]\nname = \"tool\"\n\n[dependencies]\n# why\nprocess-wrap = \"1\"\nserde = { version = \"1\" }\n\n\
                    [dev-dependencies]\nsyn = \"2\"\n";
    let names = dependencies(manifest);
    assert_eq!(names.iter().collect::<Vec<_>>(), ["process_wrap", "serde"]);
    for text in [
        "use serde::Serialize;",
        "fn f() { serde::ser() }",
        "extern crate serde;",
        "extern crate serde as s; fn f() { s::ser() }",
        "fn f() { assert!(serde::ser()) }",
        "struct S { of: Option<serde::Value> }",
    ] {
        let package = sources(&[("low/deep.rs", text)]);
        let found = foreign_crates(&package, &[("high", &[])], &names);
        assert!(
            found.iter().any(|sentence| sentence.starts_with("low must not use serde")),
            "{text}: {found:?}"
        );
        assert_eq!(foreign_crates(&package, &[("low", &["serde"])], &names), Vec::<String>::new(), "{text}");
    }
    let own_method = sources(&[("low/deep.rs", "impl Value { fn serde(&self) { self.serde() } }")]);
    assert_eq!(foreign_crates(&own_method, &[], &names), Vec::<String>::new());
    let tests = sources(&[("low/deep.rs", "#[cfg(test)] mod tests { use serde::Serialize; }")]);
    assert_eq!(foreign_crates(&tests, &[], &names), Vec::<String>::new());
    assert_eq!(foreign_crates(&tests, &[("low", &["serde"])], &names), ["low may use serde, but does not"]);
}

#[test]
fn a_parameter_that_is_a_tuple_is_found() {
    assert_eq!(tuple_parameters(&sources(&[])), Vec::<String>::new());
    for text in [
        "fn taken((a, b): (u8, u8)) {}",
        "fn taken(pair: (u8, u8)) {}",
        "fn taken(pair: &mut (u8, u8)) {}",
        "fn taken(pairs: &[(u8, u8)]) {}",
        "fn taken(pairs: [&(u8, u8); 2]) {}",
        "fn taken(pair: Option<(u8, u8)>) {}",
        "fn taken(pairs: &mut std::vec::Vec<Option<(u8, u8)>>) {}",
        "impl Value { pub fn taken(&self, pair: (u8, u8)) {} }",
        "trait T { fn taken(&self, pair: (u8, u8)); }",
        "fn outer() { fn taken(pair: (u8, u8)) {} }",
        "mod inner { fn taken(pair: (u8, u8)) {} }",
    ] {
        let found = tuple_parameters(&sources(&[("low/deep.rs", text)]));
        let [only] = found.as_slice() else { panic!("{text}: {found:?}") };
        assert!(only.starts_with("src/low/deep.rs:") && only.ends_with(": taken takes a tuple"), "{only}");
    }
    let alias = tuple_parameters(&sources(&[("low/deep.rs", "type Pair<'a> = &'a [(u8, u8)];")]));
    assert_eq!(alias, ["src/low/deep.rs:3: Pair is a tuple"]);
    for text in [
        "fn f(nothing: ()) -> (u8, u8) { (1, 2) }",
        "fn f() { [(1, 2)].map(|(one, other): (u8, u8)| one + other); }",
        "#[cfg(test)] mod tests { fn f(pair: (u8, u8)) {} }",
    ] {
        assert_eq!(tuple_parameters(&sources(&[("low/deep.rs", text)])), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn methods_far_from_their_type_are_found() {
    assert_eq!(scattered_methods(&sources(&[])), Vec::<String>::new());
    let found = scattered_methods(&sources(&[("high/two.rs", "impl<'a> Value { fn f(&self) {} }")]));
    assert_eq!(found, ["src/high/two.rs:2: methods of Value, which src/low/deep.rs defines"]);
    let renamed = "use crate::low::deep as d; impl d::Value { fn f(&self) {} }";
    assert_eq!(scattered_methods(&sources(&[("high/one.rs", renamed)])).len(), 1);
    for (file, near) in [
        ("low/deep.rs", "impl Value { fn f(&self) {} }"),
        ("low/other.rs", "impl Value { fn f(&self) {} }"),
        ("high/two.rs", "impl From<Value> for Thing { }"),
        ("high/two.rs", "trait Named { } impl Named for Value { }"),
        ("high/two.rs", "#[cfg(test)] impl Value { fn f(&self) {} }"),
    ] {
        assert_eq!(scattered_methods(&sources(&[(file, near)])), Vec::<String>::new(), "{file}: {near}");
    }
    let below =
        [("low/deep.rs", "mod inner;"), ("low/deep/inner.rs", "impl super::Value { fn f(&self) {} }")];
    assert_eq!(scattered_methods(&sources(&below)), Vec::<String>::new());
}

#[test]
fn files_without_a_module_and_layers_out_of_order_are_found() {
    let lost = [("low/lost.rs", "pub fn f() {}")];
    assert_eq!(violations(&sources(&lost), &RULES), ["no module declares src/low/lost.rs"]);
    let order = Rules { may_use: &[("low", &["high"]), ("high", &["low"]), ("bin", &["high"])], ..RULES };
    let found = violations(&sources(&[]), &order);
    assert!(found.contains(&"high may use low, which is not below it".to_owned()), "{found:?}");
}

#[test]
fn an_exception_excuses_one_sign_in_one_file_and_is_reported_when_nothing_needs_it() {
    let exceptions = [Exception { file: "low/deep.rs", sign: "println!", reason: "a test" }];
    let rules = Rules { exceptions: &exceptions, ..RULES };
    let printing = sources(&[("low/deep.rs", "fn f() { println!(\"x\") }")]);
    assert_eq!(violations(&printing, &rules), Vec::<String>::new());
    assert_eq!(unneeded(&printing, &rules), Vec::<String>::new());
    assert_eq!(unneeded(&sources(&[]), &rules), ["src/low/deep.rs does not use println!"]);
    let elsewhere = sources(&[("low/other.rs", "fn f() { println!(\"x\") }")]);
    assert_eq!(violations(&elsewhere, &rules).len(), 1);
}
