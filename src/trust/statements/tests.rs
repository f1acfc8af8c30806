//! Tests how changes are cut into statements, and what is tried with each.

use proptest::prelude::*;

use super::*;

/// The statements of a source of which every line has changed, as `first-last`.
fn cut(path: &str, source: &str) -> String {
    let all: Vec<usize> = (1..=source.lines().count()).collect();
    let found = statements(path, source.as_bytes(), &all);
    let place = |it: &Statement| match it.last {
        last if last == it.first => last.to_string(),
        last => format!("{}-{last}", it.first),
    };
    found.iter().map(place).collect::<Vec<_>>().join(" ")
}

/// What is tried with the statement in these lines: the operator, and what is there instead.
fn tried(path: &str, source: &str, first: usize, last: usize) -> Vec<(Operator, String)> {
    let all: Vec<&str> = source.split_inclusive('\n').collect();
    let before: String = all[..first - 1].concat();
    let after: String = all[last..].concat();
    variants(path, source.as_bytes(), &Statement { first, last, size: 1 })
        .into_iter()
        .map(|variant| {
            let text = String::from_utf8(variant.content).unwrap();
            let inside = text.strip_prefix(&before).unwrap().strip_suffix(&after).unwrap();
            (variant.operator, inside.trim().to_owned())
        })
        .collect()
}

#[test]
fn statements_are_cut_by_brackets_and_indentation() {
    for (path, source, expected) in [
        (
            "a.py",
            "import a\n\n\ndef f(x,\n      y):\n    \"\"\"Why.\n\n    Because.\n    \"\"\"\n    # note\n    z = g(x,\n          y)\n    if z > 1:\n        return z\n    else:\n        raise E\n    return \\\n        z\n",
            "11-12 13 14 16 17-18",
        ),
        ("a.py", "class A(B):\n    x = 3\n\n    @property\n    def f(self): return 1\n", "2 4 5"),
        (
            "a.js",
            "'use strict'\nimport a from 'a'\nexport const f = (a) => {\n  return a\n    .map((x) => x + 1)\n    .join()\n}\nconst b = {\n  c: 1,\n}\nitems.forEach((x) => {\n  go(x)\n})\nif (a) {\n  go(`\n  `)\n} else if (b) {\n  stop()\n} else {\n  go()\n}\n",
            "4-6 8-10 12 14 15-16 17 18 20",
        ),
        (
            "a.js",
            "if (a)\n  go()\nelse\n  stop()\nswitch (b) {\n  case 1:\n    go()\n    break\n  default:\n    stop()\n}\n",
            "1-2 7 8 10",
        ),
        (
            "a.js",
            "module.exports = {\n  f() {\n    go()\n  },\n  g() {\n    stop()\n  },\n}\nexport default {\n  a: 1,\n}\n",
            "3 6",
        ),
        (
            "a.ts",
            "interface A {\n  b: string\n}\ntype C = {\n  d: number\n}\nexport enum E { F }\nexport class G {\n  private h = 1;\n  i() {\n    this.h += 2;\n  }\n}\n",
            "9 11",
        ),
        (
            "a.rs",
            "use a::{\n    b,\n};\n\n#[derive(Debug)]\npub struct C {\n    d: u8,\n}\n\nimpl C {\n    /// Why.\n    fn f(&self) -> u8 {\n        let C { d } = self;\n        let e = C {\n            d: 1,\n        };\n        self.g(|x| {\n            x.run();\n        });\n        match d {\n            1 => 2,\n            _ => {\n                e.d + 1\n            }\n        }\n    }\n}\n",
            "13 14-16 18 21 23",
        ),
        (
            "a.go",
            "package a\n\nimport (\n\t\"fmt\"\n)\n\ntype A struct {\n\tb int\n}\n\nfunc F(x int) (int, error) {\n\ty := []int{\n\t\t1,\n\t}\n\tif x > 1 {\n\t\treturn 0, fmt.Errorf(\"x\")\n\t}\n\tgo func() {\n\t\trun(y)\n\t}()\n\treturn x, nil\n}\n",
            "12-14 15 16 19 21",
        ),
        (
            "A.java",
            "package a;\n\nimport b.C;\n\npublic class A {\n    private int d;\n    private int e = 3;\n\n    @Override\n    public int f() {\n        return d\n            + e;\n    }\n}\n",
            "7 11-12",
        ),
        (
            "a.rb",
            "require 'a'\ndef f(x)\n  if x > 1\n    g x\n  end\n  [1].each do |y|\n    h y\n  end\nend\n",
            "1 3 4 7",
        ),
        ("a.sh", "set -e\nif [ \"$1\" = a ]; then\n  go \\\n    on\nfi\nf() {\n  stop\n}\n", "1 2 3-4 7"),
    ] {
        assert_eq!(cut(path, source), expected, "{source}");
    }
}

#[test]
fn entries_of_a_list_that_changed_in_part_are_taken() {
    let source = b"x = {\n    'a': 1,\n    'b': f(\n        2,\n    ),\n    'c': 3,\n}\n";
    let lines: Vec<usize> =
        statements("a.py", source, &[2, 3, 6]).iter().map(|statement| statement.first).collect();
    assert_eq!(lines, [2, 6]);
    let variant = &variants("a.py", source, &Statement { first: 2, last: 2, size: 1 })[0];
    assert_eq!(variant.content, b"x = {\n    'b': f(\n        2,\n    ),\n    'c': 3,\n}\n");
}

#[test]
fn each_statement_is_taken_out_or_changed() {
    use Operator::{DropCall, EmptyValue, Negate, Remove, ShiftBound, SwapSign};
    for (path, source, line, expected) in [
        ("a.py", "def f():\n    go()\n", 2, vec![(Remove, "pass")]),
        ("a.py", "def f():\n    go()\n    go()\n", 2, vec![(Remove, "")]),
        (
            "a.py",
            "if a < b and not c:\n    d()\n",
            1,
            vec![(Negate, "if not (a < b and not c):"), (ShiftBound, "if a <= b and not c:")],
        ),
        ("a.py", "while x:\n    go()\n", 1, vec![(Negate, "while False and (x):")]),
        (
            "a.py",
            "def f(a):\n    return a.strip()  # why\n",
            2,
            vec![(EmptyValue, "return None  # why"), (DropCall, "return a  # why"), (Remove, "pass")],
        ),
        (
            "a.py",
            "x = a - b\ny(x)\n",
            1,
            vec![(SwapSign, "x = a + b"), (EmptyValue, "x = None"), (Remove, "")],
        ),
        ("a.py", "self.x = 3\n", 1, vec![(Remove, ""), (EmptyValue, "self.x = 0")]),
        (
            "a.js",
            "const f = (a) => g(a)\nf()\n",
            1,
            vec![
                (EmptyValue, "const f = (a) => undefined"),
                (DropCall, "const f = (a) => (a)"),
                (Remove, ""),
            ],
        ),
        ("a.js", "  if (a === 'b') {\n    go()\n  }\n", 1, vec![(Negate, "if (!(a === 'b')) {")]),
        (
            "a.js",
            "a.b = c !== d;\n",
            1,
            vec![(Remove, ""), (Negate, "a.b = c === d;"), (EmptyValue, "a.b = undefined;")],
        ),
        (
            "a.rs",
            "fn f(a: u8) -> u8 {\n    a + 1\n}\n",
            2,
            vec![(EmptyValue, "Default::default()"), (SwapSign, "a - 1")],
        ),
        ("a.rs", "fn f() -> u8 { 7 }\n", 1, vec![(EmptyValue, "fn f() -> u8 { 0 }")]),
        (
            "a.rs",
            "fn f() {\n    return Err(\"a\".into());\n}\n",
            2,
            vec![(EmptyValue, "return Ok(Default::default());")],
        ),
        (
            "a.rs",
            "    let a = b.trim();\n    c(a);\n",
            1,
            vec![(EmptyValue, "let a = Default::default();"), (DropCall, "let a = b;")],
        ),
        ("a.rs", "    if let Some(a) = b {\n", 1, vec![]),
        (
            "a.rs",
            "    } else if a >= 1 {\n",
            1,
            vec![(Negate, "} else if !(a >= 1) {"), (ShiftBound, "} else if a > 1 {")],
        ),
        (
            "a.go",
            "func (a *A) F(b, c int) (d string, e, g bool, err error) {\n\treturn x(b)\n}\n",
            2,
            vec![(EmptyValue, "return \"\", false, false, nil"), (DropCall, "return (b)")],
        ),
        (
            "a.go",
            "func F(a int) T { return g(a, 1) }\n",
            1,
            vec![(EmptyValue, "func F(a int) T { return *new(T) }")],
        ),
        ("a.go", "\tif err := g(); err != nil {\n", 1, vec![(Negate, "if err := g(); !(err != nil) {")]),
        (
            "A.java",
            "class A {\n  public static boolean f(int a) {\n    return a > 1;\n  }\n}\n",
            3,
            vec![(EmptyValue, "return false;"), (ShiftBound, "return a >= 1;")],
        ),
        ("A.java", "    String a = b();\n    c(a);\n", 1, vec![(EmptyValue, "String a = \"\";")]),
        ("a.sh", "if [ -f a ]; then\n  go > b\nfi\n", 2, vec![(Remove, ":")]),
        ("a.sh", "if [ -f a ]; then\n  go\nfi\n", 1, vec![(Negate, "if ! [ -f a ]; then")]),
    ] {
        let tried = tried(path, source, line, line);
        let tried: Vec<(Operator, &str)> = tried.iter().map(|(op, text)| (*op, text.as_str())).collect();
        assert_eq!(tried, expected, "{source}");
    }
}

/// Our own source is Rust of every kind: what the scanner makes of it has to be Rust.
#[test]
fn variants_of_rust_can_be_parsed() {
    let mut all = 0;
    let mut wrong = Vec::new();
    for file in [
        "mod.rs",
        "lines.rs",
        "operators.rs",
        "values.rs",
        "../scan.rs",
        "../inline/mod.rs",
        "../inline/items.rs",
    ] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/trust/statements").join(file);
        let source = std::fs::read(&path).unwrap();
        let lines: Vec<usize> = (1..=source.iter().filter(|byte| **byte == b'\n').count()).collect();
        for statement in statements("a.rs", &source, &lines) {
            let first = variants("a.rs", &source, &statement).into_iter().next().unwrap();
            all += 1;
            if syn::parse_file(&String::from_utf8(first.content).unwrap()).is_err() {
                wrong.push(format!("{file}:{}-{}: {:?}", statement.first, statement.last, first.operator));
            }
        }
    }
    assert!(all > 250 && wrong.is_empty(), "{} of {all}: {wrong:#?}", wrong.len());
}

proptest! {
    #[test]
    fn statements_are_in_order_and_within_the_change(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "b = c", "(", ")", "{", "}", "[", "]", "\n", "\n  ", "\n\n", "if x", "return", " + ", " < ", "==", "'", "\"", "`",
            "/*", "*/", "//", "#", "\\", ";", ",", ":", "=>", "func", "fn f(", "ä", "\r\n", "let x = ", "else", "while", ".x()", "\"\"\"",
        ]), 0..60),
        changed in prop::collection::btree_set(1usize..40, 0..40),
        ending in prop::sample::select(vec!["py", "js", "rs", "go", "java", "rb", "sh", "php", "c", "cs", "ex", "swift", "txt"]),
    ) {
        let source = pieces.concat();
        let path = format!("a.{ending}");
        let changed: Vec<usize> = changed.into_iter().collect();
        let mut at = 0;
        for statement in statements(&path, source.as_bytes(), &changed) {
            prop_assert!(statement.first > at && statement.first <= statement.last && statement.size > 0);
            at = statement.last;
            prop_assert!((statement.first..=statement.last).all(|line| changed.contains(&line)));
            let lines: Vec<&str> = source.split_inclusive('\n').collect();
            let before = lines[..statement.first - 1].concat();
            let after = lines[statement.last..].concat();
            let variants = variants(&path, source.as_bytes(), &statement);
            prop_assert!(!variants.is_empty());
            for variant in variants {
                prop_assert!(variant.content.starts_with(before.as_bytes()));
                prop_assert!(variant.content.ends_with(after.as_bytes()));
                prop_assert!(variant.content != source.as_bytes());
            }
        }
    }
}
