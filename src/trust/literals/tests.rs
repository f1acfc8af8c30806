//! Tests which literals are changed, and how.

use proptest::prelude::*;

use super::*;

/// What the line is in which a literal of the test was changed.
fn changed(framework: Framework, path: &str, text: &str, test: &str) -> Option<String> {
    let file = TestFile { path, content: text.as_bytes() };
    let run = changed_literals(framework, &[file], &[test.to_owned()], 8)?;
    let (_, line) = run.changed[0].place.rsplit_once(':').unwrap();
    let content = String::from_utf8(run.files[0].1.clone()).unwrap();
    Some(content.lines().nth(line.parse::<usize>().unwrap() - 1).unwrap().trim().to_owned())
}

#[test]
fn the_expected_value_is_changed() {
    use Framework::{CargoTest, Jest, NodeTest, Pytest, Unittest};
    for (framework, line, expected) in [
        (Pytest, "assert add(1, 2) == 3", "assert add(1, 2) == 4"),
        (Pytest, "assert a.b == 3.5, 'why 3'", "assert a.b == 4.5, 'why 3'"),
        (Pytest, "assert 'x' == f(y)  # 3", "assert 'xx' == f(y)  # 3"),
        (Pytest, "assert f() is True", "assert f() is False"),
        (Pytest, "assert f() == [1, {'a': ''}]", "assert f() == [1, {'a': 'x'}]"),
        (Pytest, "assert f() == Decimal('1.5')", "assert f() == Decimal('x1.5')"),
        (Pytest, "assert f() == b'a' and g() == 2", "assert f() == b'xa' and g() == 2"),
        (Pytest, "self.assertEqual(f(1), 255, 'm')", "self.assertEqual(f(1), 254, 'm')"),
        (Unittest, "self.assertEqual(0x1f, f(1))", "self.assertEqual(0x10, f(1))"),
        (Unittest, "self.assertTrue(f(2) == 7)", "self.assertTrue(f(2) == 8)"),
        (NodeTest, "assert.equal(add(1, 2), 3)", "assert.equal(add(1, 2), 4)"),
        (NodeTest, "assert(add(1, 2) === -3)", "assert(add(1, 2) === -4)"),
        (NodeTest, "assert.deepEqual(f(), { a: [true] })", "assert.deepEqual(f(), { a: [false] })"),
        (Jest, "expect(f('a')).toBe(`b`);", "expect(f('a')).toBe(`xb`);"),
        (Jest, "expect(f()).toEqual(new A(3))", "expect(f()).toEqual(new A(4))"),
        (CargoTest, "assert_eq!(f(1), Some(3u8));", "assert_eq!(f(1), Some(4u8));"),
        (CargoTest, "assert_eq!(f(1), vec![\"a\"], \"m\");", "assert_eq!(f(1), vec![\"xa\"], \"m\");"),
        (CargoTest, "assert!(f(1) == 2.0);", "assert!(f(1) == 3.0);"),
    ] {
        let (path, text, test) = match framework {
            Pytest => ("a.py", format!("def test_a():\n    x = 1\n    {line}\n"), "a.py::test_a"),
            Unittest => {
                ("a.py", format!("class A(B):\n    def test_a(self):\n        {line}\n"), "a.A.test_a")
            }
            NodeTest => (
                "a.js",
                format!("describe('g', () => {{\n  it('a b', () => {{\n    {line}\n  }})\n}})\n"),
                "g > a b",
            ),
            Jest => ("a.ts", format!("test('a', async () => {{\n  {line}\n}});\n"), "a"),
            _ => (
                "a.rs",
                format!("mod tests {{\n    #[test]\n    fn a() {{\n        {line}\n    }}\n}}\n"),
                "tests::a",
            ),
        };
        assert_eq!(changed(framework, path, &text, test).as_deref(), Some(expected), "{text}");
    }
}

#[test]
fn conditions_of_go_are_assertions_if_they_fail_the_test() {
    let test = |condition: &str, call: &str| {
        let text = format!("func TestA(t *testing.T) {{\n\tif {condition} {{\n\t\t{call}\n\t}}\n}}\n");
        changed(Framework::Go, "a_test.go", &text, "TestA/case")
    };
    assert_eq!(test("Add(1, 2) != 3", "t.Error(\"m\")").as_deref(), Some("if Add(1, 2) != 4 {"));
    assert_eq!(
        test("got := f(); got != \"a\"", "t.Fatalf(\"m\")").as_deref(),
        Some("if got := f(); got != \"xa\" {")
    );
    assert_eq!(
        test("!reflect.DeepEqual(f(), []int{1})", "t.Fatalf(\"m\")").as_deref(),
        Some("if !reflect.DeepEqual(f(), []int{2}) {")
    );
    assert_eq!(test("err != nil", "t.Fatal(err)"), None);
    assert_eq!(test("x != 3", "run()"), None);
    assert_eq!(test("x == 3", "t.Error(1)"), None);
}

#[test]
fn negative_and_other_assertions_are_left_alone() {
    for line in [
        "assert f(1) != 2",
        "assert f(1) < 2",
        "assert 1 in f()",
        "assert not f() == 1",
        "assert f(1) is not True",
        "assert f(1) == g(2)",
        "assert f(1) == x or 3 == 3",
        "self.assertNotEqual(f(), 1)",
        "x = 3 == 3",
        "assert f == f'{x}3'",
        "assert x == y[0]",
        "# assert f(1) == 2",
    ] {
        assert_eq!(
            changed(Framework::Pytest, "a.py", &format!("def test_a():\n    {line}\n"), "a.py::test_a"),
            None,
            "{line}"
        );
    }
    for line in [
        "expect(a).not.toBe(3)",
        "expect(a).toBeGreaterThan(3)",
        "assert.notEqual(a, 3)",
        "assert.equal(a, /x/)",
    ] {
        assert_eq!(
            changed(Framework::Jest, "a.js", &format!("test('a', () => {{ {line} }})\n"), "a"),
            None,
            "{line}"
        );
    }
}

#[test]
fn each_test_is_changed_once_and_in_its_own_file() {
    let one = "class A(T):\n    def test_x(self):\n        assert a == 1\n        assert a == 2\n\nclass B(T):\n    def test_x(self):\n        assert a == 3\n\n    def test_y(self):\n        pass\n";
    let other = "def test_x():\n    assert b == 4\n";
    let files = [
        TestFile { path: "tests/test_one.py", content: one.as_bytes() },
        TestFile { path: "tests/test_other.py", content: other.as_bytes() },
    ];
    let evidence = [
        "tests/test_one.py::B::test_x",
        "tests/test_one.py::B::test_x[2]",
        "tests/test_one.py::B::test_y",
        "tests/test_other.py::test_x",
        "tests/test_one.py::A::test_x",
    ]
    .map(str::to_owned);
    let run = changed_literals(Framework::Pytest, &files, &evidence, 2).unwrap();
    let places: Vec<&str> = run.changed.iter().map(|changed| changed.place.as_str()).collect();
    assert_eq!(places, ["tests/test_one.py:8", "tests/test_other.py:2"]);
    let run = changed_literals(Framework::Pytest, &files, &evidence, 8).unwrap();
    assert_eq!(run.changed.len(), 3);
    assert_eq!(run.files[0].1, one.replace("== 3", "== 4").replace("== 1", "== 2").into_bytes());
    assert_eq!(changed_literals(Framework::Pytest, &files, &["c.py::test_z".to_owned()], 8), None);
}

#[test]
fn the_expected_column_of_a_table_of_cases_is_changed() {
    use Framework::{CargoTest, Go, NodeTest, Pytest};
    let python = |rows: &str, assertion: &str| {
        format!(
            "@pytest.mark.parametrize(\"a, want\", [\n    (1, 2),\n    {rows},\n])\n@other\ndef test_a(a, want):\n    {assertion}\n"
        )
    };
    let go = |row: &str| {
        format!(
            "func TestA(t *testing.T) {{\n\tcases := []struct {{\n\t\tname string\n\t\ta, b int // both\n\t\twant int\n\t}}{{\n\t\t{{\"x\", 1, 2, 3}},\n\
             \t\t{row},\n\t}}\n\tfor _, c := range cases {{\n\t\tif got := Add(c.a, c.b); got != c.want {{\n\t\t\tt.Errorf(\"%d\", c.want)\n\t\t}}\n\t}}\n}}\n"
        )
    };
    for (framework, path, text, test, expected) in [
        (Pytest, "tests/test_a.py", python("(3, 4)", "assert f(a) == want"), "tests/test_a.py::test_a[3-4]", Some("(3, 5),")),
        (
            Pytest,
            "tests/test_a.py",
            python("pytest.param(3, 4, id='x')", "assert f(a) == pytest.approx(want), 'want'"),
            "tests/test_a.py::test_a[x]",
            Some("pytest.param(3, 5, id='x'),"),
        ),
        // What goes in and comes out again is no expected value.
        (Pytest, "tests/test_a.py", python("(3, 4)", "assert f(want) == want"), "tests/test_a.py::test_a[3-4]", None),
        (Pytest, "tests/test_a.py", python("(3, other)", "assert f(a) == want"), "tests/test_a.py::test_a[3-4]", None),
        (
            Pytest,
            "tests/test_a.py",
            "def test_a():\n    for a, want in [(1, 2), (3, 'b')]:\n        assert f(a) == want\n".to_owned(),
            "tests/test_a.py::test_a",
            Some("for a, want in [(1, 2), (3, 'xb')]:"),
        ),
        (Go, "a_test.go", go("{\"y\", 4, 5, 9}"), "TestA", Some("{\"y\", 4, 5, 10},")),
        (Go, "a_test.go", go("{name: \"y\", want: 9, a: 4}"), "TestA/y", Some("{name: \"y\", want: 10, a: 4},")),
        (
            CargoTest,
            "tests/a.rs",
            "#[test]\nfn a() {\n    for (a, want) in [(1, 2), (3, 4)] {\n        assert_eq!(f(a), want);\n    }\n}\n".to_owned(),
            "a",
            Some("for (a, want) in [(1, 2), (3, 5)] {"),
        ),
        (
            NodeTest,
            "test/a.test.js",
            "test('a', () => {\n  for (const [a, want] of [[1, 2], [3, 4]]) assert.equal(f(a), want)\n})\n".to_owned(),
            "a",
            Some("for (const [a, want] of [[1, 2], [3, 5]]) assert.equal(f(a), want)"),
        ),
    ] {
        assert_eq!(changed(framework, path, &text, test).as_deref(), expected, "{text}");
    }
}

proptest! {
    #[test]
    fn no_text_stops_it(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "def test_a():", "\n    ", "\n", "assert ", " == ", " != ", "f(", ")", "3", "0x", "'a'", "\"", "'", "`", "test('a', () => {", "}",
            "{", "[", "]", "func TestA(", "if ", "t.Error(", "fn a(", "assert_eq!(", ",", "ä", "/", "it 'a' do", "eq ", "expect(x).toBe(", "true", ".",
            "@pytest.mark.parametrize(", "'a, want'", "for ", " in ", " of ", "want", "c.want", "cases := ", "[]struct", " range cases ", "_, c := ",
        ]), 0..40),
    ) {
        let text = pieces.concat();
        for (framework, path) in [
            (Framework::Pytest, "a.py"), (Framework::Jest, "a.js"), (Framework::Go, "a_test.go"), (Framework::CargoTest, "a.rs"),
        ] {
            let file = TestFile { path, content: text.as_bytes() };
            for test in ["a.py::test_a", "a", "TestA"] {
                if let Some(run) = changed_literals(framework, &[file], &[test.to_owned()], 8) {
                    prop_assert_eq!(run.files.len(), 1);
                    prop_assert!(run.files[0].1 != text.as_bytes());
                }
            }
        }
    }
}
