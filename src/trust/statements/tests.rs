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

/// What is tried with the statement in this line: what is there instead.
fn without(path: &str, source: &str, line: usize) -> Vec<String> {
    let all: Vec<&str> = source.split_inclusive('\n').collect();
    let before: String = all[..line - 1].concat();
    let after: String = all[line..].concat();
    let inside = |content: Vec<u8>| {
        let text = String::from_utf8(content).unwrap();
        text.strip_prefix(&before).unwrap().strip_suffix(&after).unwrap().trim().to_owned()
    };
    let statement = Statement { first: line, last: line, size: 1 };
    variants(path, source.as_bytes(), &statement).into_iter().map(inside).collect()
}

/// The file with everything in it hollow, and the places.
fn emptied(path: &str, source: &str) -> (String, Vec<(usize, usize)>) {
    let all: Vec<usize> = (1..=source.lines().count()).collect();
    hollowed(path, source.as_bytes(), &all)
        .map_or_else(Default::default, |hollow| (String::from_utf8(hollow.content).unwrap(), hollow.places))
}

#[test]
fn statements_are_cut_by_brackets_and_indentation() {
    for (path, source, expected) in [
        (
            "a.py",
            "import a\n\n\ndef f(x,\n      y):\n    \"\"\"Why.\n\n    Because.\n    \"\"\"\n    # note\n    z = g(x,\n          y)\n    if z > 1:\n        return z\n    else:\n        raise E\n    return \\\n        z\n",
            "11-12 14 16 17-18",
        ),
        ("a.py", "class A(B):\n    x = 3\n\n    @property\n    def f(self): return 1\n", "2 5"),
        (
            "a.js",
            "'use strict'\nimport a from 'a'\nexport const f = (a) => {\n  return a\n    .map((x) => x + 1)\n    .join()\n}\nconst b = {\n  c: 1,\n}\nitems.forEach((x) => {\n  go(x)\n})\nif (a) {\n  go(`\n  `)\n} else if (b) {\n  stop()\n} else {\n  go()\n}\n",
            "4-6 8-10 12 15-16 18 20",
        ),
        (
            "a.js",
            "if (a)\n  go()\nelse\n  stop()\nswitch (b) {\n  case 1:\n    go()\n    break\n  default:\n    stop()\n}\n",
            "2 4 7 8 10",
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
            "16 19 21",
        ),
        (
            "A.java",
            "package a;\n\nimport b.C;\n\npublic class A {\n    private int d;\n    private int e = 3;\n\n    @Override\n    public int f() {\n        return d\n            + e;\n    }\n}\n",
            "7 11-12",
        ),
        (
            "a.rb",
            "require 'a'\ndef f(x)\n  if x > 1\n    g x\n  end\n  [1].each do |y|\n    h y\n  end\nend\n",
            "4 7",
        ),
        ("a.sh", "set -e\nif [ \"$1\" = a ]; then\n  go \\\n    on\nfi\nf() {\n  stop\n}\n", "1 3-4 7"),
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
    assert_eq!(variant, b"x = {\n    'b': f(\n        2,\n    ),\n    'c': 3,\n}\n");
}

#[test]
fn each_statement_is_taken_out_or_gives_an_empty_value() {
    for (path, source, line, expected) in [
        ("a.py", "def f():\n    go()\n", 2, &["pass"][..]),
        ("a.py", "def f(a):\n    return a.strip()  # why\n", 2, &["return None  # why", "pass"]),
        ("a.py", "x = a - b\ny(x)\n", 1, &["pass", "x = None"]),
        ("a.py", "self.x = 3\n", 1, &["pass", "self.x = 0"]),
        ("a.py", "def f(a): return a\n", 1, &["def f(a): return None; return a"]),
        ("a.js", "const f = (a) => g(a)\nf()\n", 1, &[";", "const f = undefined"]),
        ("a.js", "a.b = 'c';\n", 1, &[";", "a.b = '';"]),
        ("a.js", "function f() {\n  return a;\n}\n", 2, &["return undefined;", ";"]),
        ("a.rs", "fn f(a: u8) -> u8 {\n    a + 1\n}\n", 2, &["Default::default()"]),
        ("a.rs", "fn f() -> u8 { 7 }\n", 1, &["fn f() -> u8 { if true { return Default::default() } 7 }"]),
        ("a.rs", "fn f() {\n    return Err(\"a\".into());\n}\n", 2, &["return Ok(Default::default());"]),
        ("a.rs", "match a {\n    1 => Some(2),\n}\n", 2, &["1 => None,"]),
        ("a.rs", "    let a = b.trim();\n    c(a);\n", 1, &["let a = Default::default();"]),
        ("a.rs", "    let a = b.trim();\n    c(a);\n", 2, &["", "c(a);"][..1]),
        ("a.go", "func (a *A) F(b, c int) (d string, err error) {\n\treturn x(b)\n}\n", 2, &["return"]),
        ("a.go", "func F(a int) (T, error) {\n\treturn g(a, 1)\n}\n", 2, &["return *new(T), *new(error)"]),
        ("a.go", "\tx := g()\n", 1, &[]),
        ("a.go", "\tx.y = 1\n", 1, &["", "x.y = 0"]),
        ("A.java", "    return a > 1;\n", 1, &[";"]),
        ("a.sh", "if [ -f a ]; then\n  go > b\nfi\n", 2, &[":"]),
        ("a.rb", "def f\n  go\nend\n", 2, &[""]),
    ] {
        assert_eq!(without(path, source, line), expected, "{source}");
    }
}

#[test]
fn added_functions_give_empty_values() {
    for (path, source, expected) in [
        (
            "a.py",
            "class A:\n    def __init__(self):\n        self.x = 1\n\n    def f(self, b=lambda: 1,\n          c: int = 2) -> int:\n        # Why.\n        return 1\n",
            "class A:\n    def __init__(self):\n        self.x = None\n\n    def f(self, b=lambda: 1,\n          c: int = 2) -> int:\n        # Why.\n        return None\n        return 1\n",
        ),
        (
            "a.py",
            "async def f():\n\tyield 1\n\n\nx = f()\n",
            "async def f():\n\treturn None\n\tyield 1\n\n\nx = f()\n",
        ),
        ("a.py", "def f(x): return x\n", "def f(x): return None; return x\n"),
        (
            "a.js",
            "export function f({ a }) {\n  if (a) { go() }\n  return [1].map((x) => x)\n}\n",
            "export function f({ a }) { return undefined;\n  if (a) { go() }\n  return [1].map((x) => x)\n}\n",
        ),
        (
            "a.js",
            "const f = (a) => ({\n  b: a,\n})\nconst g = async a => {\n  go(a)\n}\nmodule.exports = { f, g, h: (a) => a\n  ? 1 : 2, i }\n",
            "const f = (a) => undefined\nconst g = async a => { return undefined;\n  go(a)\n}\nmodule.exports = { f, g, h: (a) => undefined, i }\n",
        ),
        (
            "a.ts",
            "type F = (a: number) => string;\nclass A extends B(C) {\n  constructor(private x: number) {\n    super();\n    this.y = [\n    ];\n  }\n  get<T>(key: string): Promise<T> {\n    for (const a of b) {\n      c(a);\n    }\n  }\n}\n",
            "type F = (a: number) => string;\nclass A extends B(C) {\n  constructor(private x: number) {\n    super();\n    this.y = undefined;\n  }\n  get<T>(key: string): Promise<T> { return undefined as any;\n    for (const a of b) {\n      c(a);\n    }\n  }\n}\n",
        ),
        (
            "a.rs",
            "impl A {\n    pub fn new(x: [u8; 2]) -> Self { Self { x } }\n    fn go(&mut self) {\n        self.x += 1;\n    }\n}\nconst fn one() -> u8 { 1 }\nfn f<T>(x: T) -> Result<Vec<T>, Error>\nwhere\n    T: Copy,\n{\n    Ok(vec![x])\n}\n",
            "impl A {\n    pub fn new(x: [u8; 2]) -> Self { Self { x } }\n    fn go(&mut self) { if true { return }\n        self.x += 1;\n    }\n}\nconst fn one() -> u8 { 1 }\nfn f<T>(x: T) -> Result<Vec<T>, Error>\nwhere\n    T: Copy,\n{ if true { return Ok(Default::default()) }\n    Ok(vec![x])\n}\n",
        ),
        (
            "a.rs",
            "fn a() -> Box<A> { Box::new(A) }\nfn b() -> (Option<A>, &'static str) { (None, \"b\") }\nfn c() -> fmt::Result { Ok(()) }\nfn d() -> ! { panic!() }\nfn e() -> [u8; 2] { [1, 2] }\n",
            "fn a() -> Box<A> { Box::new(A) }\nfn b() -> (Option<A>, &'static str) { if true { return Default::default() } (None, \"b\") }\nfn c() -> fmt::Result { if true { return Ok(()) } Ok(()) }\nfn d() -> ! { panic!() }\nfn e() -> [u8; 2] { [1, 2] }\n",
        ),
        (
            "a.go",
            "type F func(int) int\n\ntype S struct {\n\tx int\n}\n\nfunc (s *S) Get(key interface{}, f func(int) int) (map[string]struct{}, *S, error) {\n\tgo func() {\n\t}()\n\treturn nil, s, nil\n}\n\nfunc G() (n int, err error) {\n\treturn 1, nil\n}\n\nfunc H[T any](x T) interface{} { return x }\n",
            "type F func(int) int\n\ntype S struct {\n\tx int\n}\n\nfunc (s *S) Get(key interface{}, f func(int) int) (map[string]struct{}, *S, error) { if true { return *new(map[string]struct{}), new(S), *new(error) }\n\tgo func() {\n\t}()\n\treturn nil, s, nil\n}\n\nfunc G() (n int, err error) { if true { return }\n\treturn 1, nil\n}\n\nfunc H[T any](x T) interface{} { if true { return *new(interface{}) } return x }\n",
        ),
        (
            "a.sh",
            "set -e\nf() {\n  for x in \"${y}\" ${z}; do g; done\n}\nif a; then f; fi\n",
            "set -e\nf() { return 0;\n  for x in \"${y}\" ${z}; do g; done\n}\nif a; then f; fi\n",
        ),
        ("A.java", "class A {\n  int f() {\n    return 1;\n  }\n}\n", ""),
        ("a.py", "RATE = 3\n", ""),
    ] {
        assert_eq!(emptied(path, source).0, expected, "{source}");
    }
}

#[test]
fn only_functions_that_are_new_as_a_whole_are_hollow() {
    let source = b"def f():\n    a()\n\n    b()\n\n\ndef g():\n    a()\n";
    assert_eq!(hollowed("a.py", source, &[1, 2, 4]).unwrap().places, [(1, 4)]);
    assert_eq!(hollowed("a.py", source, &[1, 2]), None);
    assert_eq!(hollowed("a.py", source, &[1, 2, 4, 7, 8]).unwrap().places, [(1, 4), (7, 8)]);
}

#[test]
fn functions_that_only_fail_are_hollow_where_they_are_replaced() {
    for (path, source, expected) in [
        ("a.py", "def f(x):\n    \"\"\"Why.\"\"\"\n    raise NotImplementedError\n", "return None"),
        ("a.js", "function f() {\n  throw new Error('later')\n}\n", "return undefined;"),
        ("a.rs", "fn f() -> u8 {\n    // Later.\n    todo!()\n}\n", "return Default::default()"),
        ("a.go", "func F() int {\n\tpanic(\"later\")\n}\n", "return *new(int)"),
    ] {
        let all: Vec<usize> = (2..=source.lines().count()).collect();
        let hollow = without_stubs(path, source.as_bytes(), &all).unwrap();
        assert!(String::from_utf8(hollow.content).unwrap().contains(expected), "{source}");
        assert_eq!(without_stubs(path, source.as_bytes(), &[1]), None, "{source}");
    }
    let source = b"def f(x):\n    if x:\n        raise ValueError\n    return x\n";
    assert_eq!(without_stubs("a.py", source, &[1, 2, 3, 4]), None);
}

/// Our own source is Rust of every kind: what the scanner makes of it has to be Rust.
#[test]
fn variants_of_rust_can_be_parsed() {
    let mut all = 0;
    let mut wrong = Vec::new();
    let is_rust = |content: Vec<u8>| syn::parse_file(&String::from_utf8(content).unwrap()).is_ok();
    for file in ["mod.rs", "lines.rs", "hollow.rs", "../scan.rs", "../inline/mod.rs", "../inline/items.rs"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/trust/statements").join(file);
        let source = std::fs::read(&path).unwrap();
        let lines: Vec<usize> = (1..=source.iter().filter(|byte| **byte == b'\n').count()).collect();
        let hollow = hollowed("a.rs", &source, &lines).unwrap();
        assert!(hollow.places.len() > 4 && is_rust(hollow.content), "{file}: {:?}", hollow.places);
        for statement in statements("a.rs", &source, &lines) {
            all += 1;
            if !is_rust(variants("a.rs", &source, &statement).swap_remove(0)) {
                wrong.push(format!("{file}:{}-{}", statement.first, statement.last));
            }
        }
    }
    assert!(all > 200 && wrong.is_empty(), "{} of {all}: {wrong:#?}", wrong.len());
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
                prop_assert!(variant.starts_with(before.as_bytes()));
                prop_assert!(variant.ends_with(after.as_bytes()));
                prop_assert!(variant != source.as_bytes());
            }
        }
    }
}
