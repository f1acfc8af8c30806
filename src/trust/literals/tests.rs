//! Tests which literals are changed, and how.

use proptest::prelude::*;

use super::*;

/// The lines of a file that differ after the change of literals of `test`. The files are split at lines `-- PATH --`.
fn changed(files: &str, test: &str, most: usize) -> Vec<String> {
    let files: Vec<Source> = files
        .split("-- ")
        .skip(1)
        .map(|file| file.split_once(" --\n").unwrap())
        .map(|(path, text)| Source::read(path, text).unwrap())
        .collect();
    let Some(run) = changed_literals(&files[..1], &files[1..], &[test.to_owned()], most) else {
        return Vec::new();
    };
    let lines = run.files.iter().flat_map(|(path, new)| {
        let old = files.iter().find(|file| file.path == *path).unwrap();
        old.text
            .lines()
            .zip(new.lines())
            .filter(|(old, new)| old != new)
            .map(|(_, new)| new.trim().to_owned())
            .collect::<Vec<_>>()
    });
    lines.collect()
}

/// A statement as the body of a test, in the language of its file.
fn test_with(path: &str, line: &str) -> (String, &'static str) {
    match path.rsplit('.').next().unwrap() {
        "py" => (format!("-- {path} --\ndef test_a():\n    run()\n    {line}\n"), "a.py::test_a"),
        "go" => (format!("-- {path} --\nfunc TestA(t *testing.T) {{\n\t{line}\n}}\n"), "TestA"),
        "rs" => (
            format!("-- {path} --\nmod tests {{\n    #[test]\n    fn a() {{\n        {line}\n    }}\n}}\n"),
            "tests::a",
        ),
        "java" => (
            format!("-- {path} --\nclass A {{\n    @Test\n    void a() {{\n        {line}\n    }}\n}}\n"),
            "A.a",
        ),
        "bats" => (format!("-- {path} --\n@test \"a b\" {{\n  {line}\n}}\n"), "a b"),
        _ => (
            format!("-- {path} --\ndescribe('g', () => {{\n  it('a b', () => {{\n    {line}\n  }})\n}})\n"),
            "g > a b",
        ),
    }
}

#[test]
fn the_expected_value_of_a_statement_is_changed() {
    for (path, line, expected) in [
        ("a.py", "assert add(1, 2) == 3", "assert add(1, 2) == 4"),
        ("a.py", "assert a.b == 3.5, 'why 3'", "assert a.b == 4.5, 'why 3'"),
        ("a.py", "assert 'ab' == f(y)  # 3", "assert 'xab' == f(y)  # 3"),
        ("a.py", "assert f() is True", "assert f() is False"),
        ("a.py", "assert f() == [1, {'a': ''}]", "assert f() == [1, {'a': 'x'}]"),
        ("a.py", "assert f() == Decimal('1.5')", "assert f() == Decimal('2.5')"),
        ("a.py", "assert f() == b'ab' and g() == 2", "assert f() == b'ab' and g() == 3"),
        ("a.py", "assert f(1) == {'größe': 'ü'}", "assert f(1) == {'größe': 'x'}"),
        ("a.py", "assert f(1) == pytest.approx(120, abs=5)", "assert f(1) == pytest.approx(1000120, abs=5)"),
        ("a.py", "assert abs(f(1) - 120) < 0.1", "assert abs(f(1) - 1000120) < 0.1"),
        ("a.py", "assert f(1) == Point(1, y=2)", "assert f(1) == Point(1, y=3)"),
        ("a.py", "assert {1, 2} == set(f(3))", "assert {1, 3} == set(f(3))"),
        ("a.py", "self.assertEqual(f(1), 255, 'm')", "self.assertEqual(f(1), 254, 'm')"),
        ("a.py", "self.assertEqual('ab', f(0x1f))", "self.assertEqual('xab', f(0x1f))"),
        ("a.py", "self.assertTrue(f(2) == 7)", "self.assertTrue(f(2) == 8)"),
        (
            "a.py",
            "self.assertAlmostEqual(f(2), 7, places=2)",
            "self.assertAlmostEqual(f(2), 10007, places=2)",
        ),
        ("a.py", "mock.assert_called_with(7)", "mock.assert_called_with(8)"),
        ("a.js", "assert.equal(add(1, 2), 3)", "assert.equal(add(1, 2), 4)"),
        ("a.js", "assert.equal(add(1, 2), 3, 'sum')", "assert.equal(add(1, 2), 4, 'sum')"),
        ("a.js", "assert(add(1, 2) === -3)", "assert(add(1, 2) === -4)"),
        ("a.js", "assert.deepEqual(f(), { a: [true] })", "assert.deepEqual(f(), { a: [false] })"),
        ("a.js", "expect(f('a')).toBe(`b`);", "expect(f('a')).toBe(`x`);"),
        ("a.js", "expect(f()).toEqual(new A(3))", "expect(f()).toEqual(new A(4))"),
        ("a.js", "expect(f(1)).toBeCloseTo(7, 2)", "expect(f(1)).toBeCloseTo(10007, 2)"),
        ("a.js", "expect(back).toHaveBeenCalledWith(3)", "expect(back).toHaveBeenCalledWith(4)"),
        ("a.js", "expect(f(1)).to.equal('2024-01-31')", "expect(f(1)).to.equal('2025-01-31')"),
        (
            "a.js",
            "expect(f()).toMatchInlineSnapshot(`\"ab\"`)",
            "expect(f()).toMatchInlineSnapshot(`x\"ab\"`)",
        ),
        ("a.rs", "assert_eq!(f(1), Some(3u8));", "assert_eq!(f(1), Some(4u8));"),
        ("a.rs", "assert_eq!(f(1), vec![\"ab\"], \"m\");", "assert_eq!(f(1), vec![\"xab\"], \"m\");"),
        ("a.rs", "assert_eq!(f(1), vec![1, 2]);", "assert_eq!(f(1), vec![1, 3]);"),
        ("a.rs", "assert!(f(1) == 2.0);", "assert!(f(1) == 3.0);"),
        ("a.py", "assert f()['a'] == g(b)[1] == 2", "assert f()['a'] == g(b)[1] == 3"),
        ("a.rs", "assert!((f(1) - 2.0).abs() < 1e-9);", "assert!((f(1) - 10002.0).abs() < 1e-9);"),
        ("a.rs", "assert_eq!('a', f('b'));", "assert_eq!('x', f('b'));"),
        ("a.go", "if Add(1, 2) != 3 {\n\t\tt.Error(\"m\")\n\t}", "if Add(1, 2) != 4 {"),
        (
            "a.go",
            "if got := f(1); got != \"ab\" {\n\t\tt.Fatalf(\"m\")\n\t}",
            "if got := f(1); got != \"xab\" {",
        ),
        (
            "a.go",
            "if !reflect.DeepEqual(f(), []int{1}) {\n\t\tt.Fatal()\n\t}",
            "if !reflect.DeepEqual(f(), []int{2}) {",
        ),
        ("a.go", "assert.Equal(t, 3, Add(1, 2), \"m\")", "assert.Equal(t, 4, Add(1, 2), \"m\")"),
        (
            "a.go",
            "if got := F(1); math.Abs(got-119) > 5 {\n\t\tt.Error(\"m\")\n\t}",
            "if got := F(1); math.Abs(got-1000119) > 5 {",
        ),
        ("a.go", "assert.InDelta(t, 3, f(1), 0.1)", "assert.InDelta(t, 10003, f(1), 0.1)"),
        ("a.java", "assertEquals(3, f(2));", "assertEquals(4, f(2));"),
        ("a.java", "assertThat(f(2)).isEqualTo(3L);", "assertThat(f(2)).isEqualTo(4L);"),
        ("a.bats", "[ \"$output\" = \"ab 3\" ]", "[ \"$output\" = \"xab 3\" ]"),
    ] {
        let (text, test) = test_with(path, line);
        assert_eq!(changed(&text, test, 8), [expected], "{text}");
    }
}

#[test]
fn a_statement_whose_other_values_may_be_as_good_is_left_alone() {
    for (path, line) in [
        ("a.py", "assert f(1) != 2"),
        ("a.py", "assert f(1) < 2"),
        ("a.py", "assert 1 in f()"),
        ("a.py", "assert not f() == 1"),
        ("a.py", "assert f(1) is not True"),
        ("a.py", "assert f(1) == g(2)"),
        ("a.py", "assert f(1) == x or 3 == 3"),
        ("a.py", "self.assertNotEqual(f(), 1)"),
        ("a.py", "self.assertIn(f(), [1])"),
        ("a.py", "self.assertEqual(f(), y, 'message')"),
        ("a.py", "x = 3 == 3"),
        ("a.py", "assert f == f'{x}3'"),
        ("a.py", "assert x == y[0]"),
        ("a.py", "assert f() == read('a/b.txt')"),
        ("a.py", "assert f() == HERE / 'golden'"),
        ("a.py", "assert re.match('a3', f())"),
        ("a.py", "# assert f(1) == 2"),
        ("a.py", "value = 'ab'; text = f(value)\n    assert g(text) == value"),
        ("a.js", "expect(a).not.toBe(3)"),
        ("a.js", "expect(a).toBeGreaterThan(3)"),
        ("a.js", "assert.notEqual(a, 3)"),
        ("a.js", "assert.equal(a, /x/)"),
        ("a.js", "expect(() => f(3)).toThrow('m')"),
        ("a.go", "if err != nil {\n\t\tt.Fatal(err, 3)\n\t}"),
        ("a.go", "if x != 3 {\n\t\trun()\n\t}"),
        ("a.go", "if x == 3 {\n\t\tt.Error(1)\n\t}"),
        ("a.rs", "assert_ne!(f(1), 3);"),
        ("a.rs", "assert!(matches!(f(1), Some(3)));"),
    ] {
        let (text, test) = test_with(path, line);
        assert_eq!(changed(&text, test, 8), [""; 0], "{text}");
    }
}

#[test]
fn values_are_found_behind_names() {
    let go = |row: &str| {
        format!(
            "-- a_test.go --\nfunc TestA(t *testing.T) {{\n\ttests := []struct {{\n\t\tname string\n\t\ta, b int // both\n\t\twant int\n\
             \t}}{{\n\t\t{{\"x\", 1, 2, 3}},\n\t\t{row},\n\t}}\n\tfor _, c := range tests {{\n\t\tt.Run(c.name, func(t *testing.T) {{\n\
             \t\t\tif got := Add(c.a, c.b); got != c.want {{\n\t\t\t\tt.Errorf(\"%d\", c.want)\n\t\t\t}}\n\t\t}})\n\t}}\n}}\n"
        )
    };
    let python = |row: &str, assertion: &str| {
        format!(
            "-- tests/test_a.py --\nimport x\n\n\n@pytest.mark.parametrize(\"a, want\", [\n    (1, 2),\n    {row},\n])\n@other\ndef test_a(a, want):\n    {assertion}\n"
        )
    };
    let py = "tests/test_a.py::test_a[3-4]";
    let rows: Vec<(String, &str, &str)> = vec![
        (python("(3, 4)", "assert f(a) == want"), py, "(3, 5),"),
        (
            python("(3, 4)", "assert f(a) == want").replace('\n', "\r\n").replacen("\r\n", "\n", 1),
            py,
            "(3, 5),",
        ),
        (
            python("pytest.param(3, 4, id='x')", "assert f(a) == pytest.approx(want), 'want'"),
            py,
            "pytest.param(3, 10004, id='x'),",
        ),
        // What goes in and comes out again is no expected value.
        (python("(3, 4)", "assert f(want) == want"), py, ""),
        (python("(3, other)", "assert f(a) == want"), py, "(1, 3),"),
    ];
    let more = [
        (
            "-- a.py --\ndef test_a():\n    for a, want in [(1, 2), (3, 'bc')]:\n        assert f(a) == want\n",
            "a.py::test_a",
            "for a, want in [(1, 2), (3, 'xbc')]:",
        ),
        (
            "-- a.py --\nCASES = [\n    (2, 1, 'two'),\n    (4, 3, 'four'),\n]\n\n\ndef test_a():\n    for want, a, name in CASES:\n        assert f(a) == want, name\n",
            "a.py::test_a",
            "(5, 3, 'four'),",
        ),
        (
            "-- a.py --\nclass A(T):\n    def test_a(self):\n        expected = {\n            'a': 1,\n            'b': [2, 3],\n        }\n        got = f(5)\n        self.assertEqual(got, expected)\n\n    def test_b(self):\n        assert 1 == 7\n",
            "a.A.test_a",
            "'b': [2, 4],",
        ),
        (
            "-- a.py --\nWANT = '''\nTotal\n15\n'''\n\n\ndef test_a():\n    assert f(5) == WANT\n",
            "a.py::test_a",
            "WANT = '''x",
        ),
        (
            "-- a.py --\ndef check(amount, expected, why):\n    assert f(amount) == expected, why\n\n\ndef test_a():\n    check(1, 2, 'one')\n",
            "a.py::test_a",
            "check(1, 3, 'one')",
        ),
        (
            "-- a.py --\nfrom helper import same\n\ndef test_a():\n    same(f(1), 'bc')\n-- helper.py --\ndef same(got, want):\n    assert got == want\n",
            "a.py::test_a",
            "same(f(1), 'xbc')",
        ),
        (
            "-- a.rs --\n#[test]\nfn a() {\n    for (a, want) in [(1, 2), (3, 4)] {\n        assert_eq!(f(a), want);\n    }\n}\n",
            "a",
            "for (a, want) in [(1, 2), (3, 5)] {",
        ),
        (
            "-- a.test.js --\ndescribe('g', () => {\n  it.each([\n    [1, 2],\n    [3, 4],\n  ])('of %d is %d', (a, want) => {\n    expect(f(a)).toEqual(want)\n  })\n})\n",
            "g › of 3 is 4",
            "[3, 5],",
        ),
        (
            "-- test/a.test.js --\nconst cases = [\n  { a: 1, want: 2 },\n  { a: 3, want: 4 },\n]\n\nfor (const { a, want } of cases) {\n  test(`of ${a}`, () => {\n    expect(f(a)).toEqual(want)\n  })\n}\n",
            "test/a.test.js > of 3",
            "{ a: 3, want: 5 },",
        ),
        (
            "-- a.test.js --\ntest('a', () => {\n  for (const { a, want } of [{ a: 1, want: 2 }, { a: 3, want: 4 }]) assert.equal(f(a), want)\n})\n",
            "a",
            "for (const { a, want } of [{ a: 1, want: 2 }, { a: 3, want: 5 }]) assert.equal(f(a), want)",
        ),
        (
            "-- a.test.js --\ntest('a', () => {\n  const rows = f(1)\n  expect(rows).toEqual([\n    { id: 1, name: 'ab' },\n    {\n      id: 2, name: 'cd',\n    },\n  ])\n})\n",
            "a",
            "id: 2, name: 'xcd',",
        ),
    ];
    let go_rows = [
        (go("{\"y\", 4, 5, 9}"), "TestA/y", "{\"y\", 4, 5, 10},"),
        (go("{name: \"y\", want: 9, a: 4}"), "TestA", "{name: \"y\", want: 10, a: 4},"),
    ];
    let more = more.into_iter().map(|(text, test, expected)| (text.to_owned(), test, expected));
    for (text, test, expected) in rows.into_iter().chain(more).chain(go_rows) {
        assert_eq!(changed(&text, test, 8).concat(), expected, "{text}");
    }
}

#[test]
fn data_is_changed_where_a_test_compares_with_nothing_else() {
    for (text, test, expected) in [
        (
            "-- tests/test_a.py --\ndef test_a():\n    for row in load('rates.json'):\n        assert f(row[\"a\"]) == row[\"price\"]\n\
             -- tests/rates.json --\n[{\"price\": 1, \"a\": 2}, {\"price\": 3, \"a\": 4}]\n",
            "tests/test_a.py::test_a",
            "[{\"price\": 1, \"a\": 2}, {\"price\": 4, \"a\": 4}]",
        ),
        (
            "-- tests/test_a.py --\ndef test_a(rates):\n    for row in rates:\n        assert f(row[\"a\"]) == row[\"price\"]\n\
             -- tests/conftest.py --\n@pytest.fixture\ndef rates():\n    return load(\"rates.json\")\n\
             -- tests/rates.json --\n[{\"price\": 1, \"a\": 2}]\n",
            "tests/test_a.py::test_a",
            "[{\"price\": 2, \"a\": 2}]",
        ),
        (
            "-- a_test.go --\nfunc TestA(t *testing.T) {\n\twant, err := os.ReadFile(\"testdata/a.golden\")\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\
             \tif got := f(read(\"in.txt\")); got != string(want) {\n\t\tt.Errorf(\"m\")\n\t}\n}\n-- testdata/in.txt --\n5\n\
             -- testdata/a.golden --\nTotal: 15 EUR\n",
            "TestA",
            "Total: 16 EUR",
        ),
        (
            "-- tests/test_a.py --\ndef test_a():\n    assert f(5) == 6\n    assert g() == open('a.txt').read()\n-- tests/a.txt --\n7\n",
            "tests/test_a.py::test_a",
            "assert f(5) == 7",
        ),
    ] {
        assert_eq!(changed(text, test, 8).concat(), expected, "{text}");
    }
}

#[test]
fn tests_take_turns_and_share_a_value() {
    let one = "class A(T):\n    def test_x(self):\n        assert a == 1\n        assert a == 2\n\nclass B(T):\n    def test_x(self):\n        assert a == 3\n\n    def test_y(self):\n        pass\n";
    let other =
        "WANT = 4\n\n\ndef test_x():\n    assert b == WANT\n\n\ndef test_y():\n    assert c == WANT\n";
    let files = [("tests/test_one.py", one), ("tests/test_other.py", other)]
        .map(|(path, text)| Source::read(path, text).unwrap());
    let evidence = [
        "tests/test_one.py::B::test_x",
        "tests/test_one.py::B::test_x[2]",
        "tests/test_one.py::B::test_y",
        "tests/test_other.py::test_x",
        "tests/test_other.py::test_y",
        "tests/test_one.py::A::test_x",
    ]
    .map(str::to_owned);
    let run = changed_literals(&files, &[], &evidence, 4).unwrap();
    let line = |line: u8| format!("tests/test_one.py:{line}");
    let shared = "tests/test_other.py:1";
    assert_eq!(run.changed, [&line(8), shared, &line(4), &line(3)]);
    assert_eq!(run.files[0].1, one.replace("== 3", "== 4").replace("== 2", "== 3").replace("== 1", "== 2"));
    assert_eq!(changed_literals(&files, &[], &["c.py::test_z".to_owned()], 8), None);
}

proptest! {
    #[test]
    fn no_text_stops_it(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "def test_a():", "\n    ", "\n", "assert ", " == ", " != ", "f(", ")", "3", "0x", "'a'", "\"", "'", "`", "test('a', () => {", "}",
            "{", "[", "]", "func TestA(", "if ", "t.Error(", "fn a(", "assert_eq!(", ",", "ä", "/", "it 'a' do", "eq ", "expect(x).toBe(", "true", ".",
            "@pytest.mark.parametrize(", "'a, want'", "for ", " in ", " of ", "want", "c.want", "cases := ", "want = ", "check(", "b.txt", "\\",
        ]), 0..40),
    ) {
        let text = pieces.concat();
        for path in ["a.py", "a.js", "a_test.go", "a.rs", "a.sh"] {
            let files = [path, "b.txt"].map(|path| Source::read(path, text.as_str()).unwrap());
            for test in ["a.py::test_a", "a", "TestA", "sh a.sh", "a/", "::", ""] {
                if let Some(run) = changed_literals(&files[..1], &files[1..], &[test.to_owned()], 8) {
                    prop_assert!(!run.changed.is_empty());
                    prop_assert!(run.files.iter().all(|(_, new)| *new != text));
                }
            }
        }
    }
}
