//! Tests what is said about a change to tests.

use proptest::prelude::*;

use super::*;

#[track_caller]
fn said(path: &str, before: &str, after: &str) -> String {
    TestChange::between(path, Some(before.as_bytes()), Some(after.as_bytes())).to_string()
}

#[test]
fn a_removed_assertion_is_counted_in_every_language() {
    for (path, test, assertion) in [
        ("a_test.py", "def test_a():\n    x = f()\n", "    assert x == 2\n"),
        (
            "test_b.py",
            "class TestB(TestCase):\n  def test_a(self):\n    x = f()\n",
            "    self.assertEqual(x, 2)\n",
        ),
        ("test_c.py", "def test_a():\n    x = f()\n", "    with pytest.raises(ValueError):\n        f(1)\n"),
        ("a.test.js", "test('a', () => {\n  const x = f()\n", "  expect(x)\n    .toBe(2)\n"),
        ("b.test.js", "test('a', () => {\n  const x = f()\n", "  assert.strictEqual(x, 2);\n"),
        (
            "a_test.go",
            "func TestA(t *testing.T) {\n\tx := f()\n",
            "\tif x != 2 {\n\t\tt.Errorf(\"%d\", x)\n\t}\n",
        ),
        ("b_test.go", "func TestA(t *testing.T) {\n\tx := f()\n", "\trequire.Equal(t, 2, x)\n"),
        ("tests/a.rs", "#[test]\nfn a() {\n    let x = f();\n", "    assert_eq!(x, 2);\n"),
        ("src/test/java/A.java", "@Test\nvoid a() {\n int x = f();\n", " assertEquals(2, x);\n"),
        ("ATests.cs", "[Fact]\npublic void A() {\n var x = F();\n", " Assert.Equal(2, x);\n"),
        ("a_spec.rb", "it 'a' do\n  x = f\n", "  expect(x).to eq 2\n"),
        ("tests/ATest.php", "function testA() {\n $x = f();\n", " $this->assertSame(2, $x);\n"),
        ("test/a_test.exs", "test \"a\" do\n  x = f()\n", "  assert x == 2\n"),
        ("Tests/ATests.swift", "func testA() {\n let x = f()\n", " XCTAssertEqual(x, 2)\n"),
        ("tests/a.cc", "TEST(A, a) {\n int x = f();\n", " EXPECT_EQ(x, 2);\n"),
        ("tests/a.bats", "@test \"a\" {\n  run f\n", "  grep -q 2 out\n"),
    ] {
        let before = format!("{test}{assertion}");
        assert_eq!(said(path, &before, test), "1 assertion removed, none added", "{path}");
        assert_eq!(said(path, test, &before), "1 assertion added", "{path}");
        let none = TestChange::between(path, Some(before.as_bytes()), None).to_string();
        assert_eq!(none, "1 test removed, none added; 1 assertion removed, none added", "{path}");
    }
}

#[test]
fn skipped_and_focused_tests_are_counted_in_every_language() {
    for (path, before, after) in [
        ("test_a.py", "def test_a():\n    f()\n", "@pytest.mark.skip\ndef test_a():\n    f()\n"),
        (
            "test_a.py",
            "def test_a():\n    f()\n",
            "@pytest.mark.xfail(strict=False)\ndef test_a():\n    f()\n",
        ),
        ("test_a.py", "def test_a():\n    f()\n", "def test_a():\n    pytest.skip('x')\n    f()\n"),
        ("test_a.py", "def test_a(self):\n    f()\n", "@unittest.skip('x')\ndef test_a(self):\n    f()\n"),
        ("a.test.ts", "it('a', () => { f() })", "it.skip('a', () => { f() })"),
        ("a.test.ts", "it('a', () => { f() })", "xit('a', () => { f() })"),
        ("a.test.mjs", "test('a', () => { f() })", "test('a', { skip: true }, () => { f() })"),
        ("a.test.mjs", "test('a', () => { f() })", "test.todo('a', () => { f() })"),
        ("a_test.go", "func TestA(t *testing.T) {\n}", "func TestA(t *testing.T) {\n\tt.Skip()\n}"),
        ("tests/a.rs", "#[test]\nfn a() {}", "#[test]\n#[ignore = \"slow\"]\nfn a() {}"),
        ("tests/a.rs", "#[test]\nfn a() {}", "#![cfg(any())]\n#[test]\nfn a() {}"),
        ("src/test/java/A.java", "@Test\nvoid a() {}", "@Disabled(\"x\")\n@Test\nvoid a() {}"),
        ("ATests.cs", "[Fact]\npublic void A() {}", "[Fact(Skip = \"x\")]\npublic void A() {}"),
        ("a_spec.rb", "it 'a' do\nend", "xit 'a' do\nend"),
        ("test/a_test.exs", "test \"a\" do\nend", "@tag :skip\ntest \"a\" do\nend"),
    ] {
        let said = said(path, before, after);
        assert!(said.ends_with("1 test skipped"), "{path}: {said}");
    }
    assert_eq!(
        said("a.test.js", "it('a', f)\nit('b', g)", "it('a', f)\nit.only('b', g)"),
        "1 test run alone"
    );
}

#[test]
fn tests_are_told_by_their_names() {
    assert_eq!(
        said("test_a.py", "def test_a(): pass\ndef test_b(): pass\n", "def test_a(): pass\n"),
        "1 test removed, none added"
    );
    assert_eq!(
        said("a.test.js", "it('a', f); it('b', f)", "it('a', f); it('c', f); it('d', f)"),
        "1 test removed, 2 added"
    );
    assert_eq!(
        said("tests/a.rs", "#[tokio::test]\nasync fn a() {}\n", "#[tokio::test]\nasync fn b() {}\n"),
        "1 test removed, 1 added"
    );
    assert_eq!(
        said("src/test/java/A.java", "@Test(timeout = 3)\npublic void a() {}\n", ""),
        "1 test removed, none added"
    );
}

#[test]
fn words_in_comments_and_quotes_mean_nothing() {
    for (path, after) in [
        ("test_a.py", "# assert x\n\"\"\"\n@pytest.mark.skip || true\n\"\"\"\n"),
        ("a.test.js", "// expect(x).toBe(1)\n/* it.skip('a') */\nconst a = `xit('b')`\n"),
        ("tests/a.rs", "// assert!(x)\n/// #[ignore]\nconst A: &str = r#\"assert!(x) #[test]\"#;\n"),
        ("a_test.go", "// t.Skip()\nconst a = `t.Fatal(1)`\n"),
    ] {
        let change = TestChange::between(path, Some(b""), Some(after.as_bytes()));
        assert!(change.tests.added.is_empty() && change.assertions.added.is_empty(), "{path}: {change}");
        assert!(change.skips.added.is_empty(), "{path}: {change}");
    }
}

#[test]
fn an_assertion_that_always_holds_is_named() {
    for (path, before, after) in [
        ("test_a.py", "    assert x == 2\n", "    assert True\n"),
        ("test_a.py", "    assert x == 2\n", "    assert x == 2 or True\n"),
        ("a.test.js", "  expect(x).toBe(2)\n", "  expect(true).toBe(true)\n"),
        ("tests/a.rs", "    assert_eq!(x, 2);\n", "    assert!(true);\n"),
        ("tests/a.rs", "    assert!(x);\n", "    assert!(x || true);\n"),
    ] {
        assert_eq!(
            said(path, before, after),
            "1 assertion removed, 1 added; 1 added assertion always holds",
            "{path}"
        );
    }
}

#[test]
fn ways_to_hide_a_failure_are_named_with_their_lines() {
    let before = "#!/bin/sh\nset -e\npytest\n";
    let change = TestChange::between(
        "run.sh",
        Some(before.as_bytes()),
        Some(b"#!/bin/sh\nset +e\npytest || true\n# || true\n"),
    );
    assert_eq!(change.to_string(), "`set +e` added; `|| true` added");
    assert_eq!(change.escapes[0].lines, [2]);
    assert_eq!(change.escapes[1].lines, [3]);
    assert!(change.weakens());
    assert_eq!(
        said("package.json", r#"{"test": "jest"}"#, r#"{"test": "jest --passWithNoTests"}"#),
        "`--passWithNoTests` added"
    );
    assert_eq!(
        said(".github/workflows/ci.yml", "- run: make\n", "- run: make\n  continue-on-error: true\n"),
        "`continue-on-error: true` added"
    );
}

#[test]
fn a_rewritten_snapshot_is_told_from_one_with_a_new_entry() {
    let path = "src/__snapshots__/a.test.js.snap";
    let before = "exports[`a`] = `1`;\n";
    assert_eq!(said(path, before, "exports[`a`] = `2`;\n"), "1 line of the snapshot changed");
    let added = TestChange::between(
        path,
        Some(before.as_bytes()),
        Some(b"exports[`a`] = `1`;\nexports[`b`] = `3`;\n"),
    );
    assert!(added.is_empty() && !added.weakens());
}

#[test]
fn moved_and_reformatted_assertions_are_the_same() {
    assert_eq!(
        said("a.test.js", "expect( f(1) ).toBe(2)\nit('a', g)", "it('a', g)\nexpect(f(1))\n  .toBe(2);\n"),
        "no test, assertion or skip changed"
    );
    assert_eq!(
        said("test_a.py", "assert f(1,2) == [3]\n", "assert f(\n    1, 2\n) == [3]  # three\n"),
        "no test, assertion or skip changed"
    );
}

const PATHS: [&str; 13] = [
    "a.c",
    "A.cs",
    "a_test.exs",
    "a_test.go",
    "A.java",
    "a.test.js",
    "A.php",
    "test_a.py",
    "a.rb",
    "a.rs",
    "a.sh",
    "A.swift",
    "Makefile",
];

const PIECES: [&str; 30] = [
    "assert ",
    "expect(",
    ")",
    "it('",
    "'",
    "\"",
    "def test_a",
    "\n",
    "#[test]",
    "fn a",
    "{",
    "}",
    "@Test",
    "[Fact]",
    "t.Run(",
    "if ",
    "t.Errorf(",
    ";",
    ".only(",
    "// ",
    "# ",
    "`${",
    "|| true",
    " ",
    "::",
    "\\",
    "TEST(",
    "é",
    "func ",
    ".",
];

proptest! {
    #[test]
    fn no_file_makes_it_panic_and_no_change_is_no_change(
        pieces in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..40),
    ) {
        let source = pieces.concat();
        for path in PATHS {
            let same = TestChange::between(path, Some(source.as_bytes()), Some(source.as_bytes()));
            prop_assert!(same.is_empty());
            let gone = TestChange::between(path, Some(source.as_bytes()), None);
            let new = TestChange::between(path, None, Some(source.as_bytes()));
            prop_assert_eq!(gone.tests.removed.len(), new.tests.added.len());
            prop_assert_eq!(gone.assertions.removed.len(), new.assertions.added.len());
        }
    }
}

/// Each of these would take minutes if something were read again and again.
#[test]
fn long_files_of_openings_are_read_at_once() {
    for path in PATHS {
        for piece in PIECES {
            let source = piece.repeat(3_000 / piece.len());
            let _ = TestChange::between(path, Some(b""), Some(source.as_bytes()));
        }
    }
}
