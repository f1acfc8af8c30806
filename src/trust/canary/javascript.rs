//! Failing tests for node:test, Jest, Vitest and Mocha.

use super::super::scan::words;
use super::form::Form;
use super::source::{Fails, Source, fails};

/// Assertions, each so that it fails.
const ASSERTIONS: [Fails; 16] = [
    fails(".to.equal", "expect(1).to.equal(2)"),
    fails(".to.eql", "expect(1).to.eql(2)"),
    fails(".to.deep.equal", "expect(1).to.deep.equal(2)"),
    fails(".should.equal", "(1).should.equal(2)"),
    fails("toBe", "expect(1).toBe(2)"),
    fails("toEqual", "expect(1).toEqual(2)"),
    fails("toStrictEqual", "expect(1).toStrictEqual(2)"),
    fails("deepStrictEqual", "{}(1, 2)"),
    fails("deepEqual", "{}(1, 2)"),
    fails("strictEqual", "{}(1, 2)"),
    fails("equal", "{}(1, 2)"),
    fails("same", "{}(1, 2)"),
    fails("is", "{}(1, 2)"),
    fails("ok", "{}(false)"),
    fails("assert", "{}(false)"),
    fails("isTrue", "{}(false)"),
];

/// A test at the end. None if the file calls neither `test` nor `it`, or lets only some tests run.
pub(super) fn added(source: &Source<'_>) -> Option<Vec<u8>> {
    let count = |name: &str| source.calls().filter(|call| *call == name).count();
    let runner = ["test", "it"].into_iter().max_by_key(|name| count(name)).filter(|name| count(name) > 0)?;
    if source.calls().any(|call| call.ends_with(".only")) {
        return None;
    }
    let other = || source.calls().any(|call| call == "expect").then(|| "expect(1).toBe(2)".to_owned());
    let assertion = source.most_used(&ASSERTIONS).or_else(other)?;
    let root = assertion.split(['.', '(']).next().unwrap_or_default();
    // What tests get as an argument has to be an argument here, too.
    let argument = if ["t", "ctx", "context"].contains(&root) { root } else { "" };
    let is_known = matches!(root, "expect" | "assert" | "") || !argument.is_empty();
    if !is_known && !is_bound(source, root) {
        return None;
    }
    // The semicolon ends a statement before it that has none.
    Some(source.with_end(&format!("\n;{runner}('arborist_canary', ({argument}) => {{ {assertion} }})\n")))
}

/// Whether a name occurs somewhere without being called or read from, as in an import.
fn is_bound(source: &Source<'_>, name: &str) -> bool {
    words(&source.code, name).any(|at| !matches!(source.code.get(at + name.len()), Some(b'(' | b'.')))
}

/// A file whose name ends as that of its neighbour does.
pub(super) fn new_file(form: Form, beside: &Source<'_>) -> Option<(String, String)> {
    let file = &beside.path[beside.folder().len()..];
    let is_module = file.ends_with("mjs")
        || file.contains(".mts")
        || beside.text.starts_with("import ")
        || beside.text.contains("\nimport ");
    let (_, endings) = file.split_once('.')?;
    let import = |what: &str, from: &str| {
        if is_module {
            format!("import {what} from '{from}'\n")
        } else {
            format!("const {what} = require('{from}')\n")
        }
    };
    let (head, body) = match form {
        Form::NodeTest => (
            import("assert", "node:assert") + &import("test", "node:test"),
            "test('arborist_canary', () => { assert.equal(1, 2) })",
        ),
        Form::Vitest => {
            (import("{ expect, test }", "vitest"), "test('arborist_canary', () => { expect(1).toBe(2) })")
        }
        Form::Jest => (String::new(), "test('arborist_canary', () => { expect(1).toBe(2) })"),
        _ => (String::new(), "it('arborist_canary', () => { throw new Error('1 is not 2') })"),
    };
    Some((format!("arborist_canary.{endings}"), format!("{head}\n{body}\n")))
}
