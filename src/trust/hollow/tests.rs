//! Tests what becomes hollow, and how.

use proptest::prelude::*;

use super::super::scan::names_in;
use super::*;

fn source(path: &str, text: &str) -> Source {
    Source::read(path, text).unwrap()
}

fn names(text: &str) -> HashSet<String> {
    names_in(text).map(str::to_owned).collect()
}

/// The file with everything in it hollow.
fn emptied(path: &str, source: &str) -> String {
    let all: Vec<usize> = (1..=source.lines().count()).collect();
    let hollow = hollowed(&super::tests::source(path, source), &all, &HashSet::new());
    hollow.map_or_else(String::new, |hollow| hollow.content)
}

#[test]
fn added_functions_give_empty_values() {
    for (path, source, expected) in [
        (
            "a.py",
            "class A:\n    def __init__(self):\n        self.x = 1\n\n    def f(self, b=lambda: 1,\n          c: int = 2) -> int:\n        # Why.\n        return 1\n",
            "class A:\n    def __init__(self):\n        self.x = None if True else 1\n\n    def f(self, b=lambda: 1,\n          c: int = 2) -> int:\n        # Why.\n        return None\n        return 1\n",
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
            "const f = (a) => true ? undefined : ({\n  b: a,\n})\nconst g = async a => { return undefined;\n  go(a)\n}\nmodule.exports = { f, g, h: (a) => true ? undefined : a\n  ? 1 : 2, i }\n",
        ),
        (
            "a.ts",
            "type F = (a: number) => string;\nclass A extends B(C) {\n  constructor(private x: number) {\n    super();\n    this.y = [\n    ];\n  }\n  get<T>(key: string): Promise<T> {\n    for (const a of b) {\n      c(a);\n    }\n  }\n}\n",
            "type F = (a: number) => string;\nclass A extends B(C) {\n  constructor(private x: number) {\n    super();\n    this.y = true ? undefined as any : [\n    ];\n  }\n  get<T>(key: string): Promise<T> { return undefined as any;\n    for (const a of b) {\n      c(a);\n    }\n  }\n}\n",
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
            "type F func(int) int\n\ntype S struct {\n\tx int\n}\n\nfunc (s *S) Get(key interface{}, f func(int) int) (map[string]struct{}, *S, error) { if true { return *new(map[string]struct{}), new(S), *new(error) };\n\tgo func() {\n\t}()\n\treturn nil, s, nil\n}\n\nfunc G() (n int, err error) { if true { return };\n\treturn 1, nil\n}\n\nfunc H[T any](x T) interface{} { if true { return *new(interface{}) }; return x }\n",
        ),
        (
            "a.sh",
            "set -e\nf() {\n  for x in \"${y}\" ${z}; do g; done\n}\nif a; then f; fi\n",
            "set -e\nf() { return 0;\n  for x in \"${y}\" ${z}; do g; done\n}\nif a; then f; fi\n",
        ),
        (
            "A.java",
            "class A {\n  int f() {\n    return 1;\n  }\n}\n",
            "class A {\n  int f() {\n    return 1;\n  }\n}\n",
        ),
        ("a.py", "RATE: int = 3\nrate = 3\n", "RATE: int = None if True else 3\nrate = 3\n"),
        ("a.py", "RATE=3\n", "RATE= None if True else 3\n"),
        ("a.py", "ONE = two = f()\nONE == 3\n", "ONE = two = None if True else f()\nONE == 3\n"),
        ("a.js", "const F = a => {\n}\n", "const F = true ? undefined : a => { return undefined;\n}\n"),
        (
            "a.rs",
            "fn f() -> impl Fn(u8) -> bool { |x| x > 1 }\nfn g<F: Fn(u8) -> bool>(nowhere: F) -> u8 where F: Copy { 1 }\nfn h() -> Vec<Elsewhere> { v() }\n",
            "fn f() -> impl Fn(u8) -> bool { |x| x > 1 }\nfn g<F: Fn(u8) -> bool>(nowhere: F) -> u8 where F: Copy { if true { return Default::default() } 1 }\nfn h() -> Vec<Elsewhere> { if true { return Default::default() } v() }\n",
        ),
        (
            "a.go",
            "func A() (<-chan int, func() error) {\n\treturn a, b\n}\n\nfunc B() (int, <-chan int) {\n\treturn 1, c\n}\n",
            "func A() (<-chan int, func() error) { if true { return *new(<-chan int), *new(func() error) };\n\treturn a, b\n}\n\nfunc B() (int, <-chan int) { if true { return *new(int), *new(<-chan int) };\n\treturn 1, c\n}\n",
        ),
        ("a.ts", "const RATE: number = 3\n", "const RATE: number = true ? undefined as any : 3\n"),
        ("a.sh", "rates=(3 4)\nrate=3\n", "rates=(3 4)\nrate=''; : 3\n"),
        ("a.js", "export const RATE = [\n  3]\n", "export const RATE = true ? undefined : [\n  3]\n"),
        ("a.sh", "rate=3\nexport more=$(f 4)\n", "rate=''; : 3\nexport more=''; : $(f 4)\n"),
        ("a.sh", "#!/bin/sh\necho 3\n", "#!/bin/sh\nreturn 0 2>/dev/null || exit 0\necho 3\n"),
    ] {
        assert_eq!(emptied(path, source), expected, "{source}");
    }
}

#[test]
fn only_functions_that_are_new_as_a_whole_are_hollow() {
    let source = source("a.py", "def f():\n    a()\n\n    b()\n\n\ndef g():\n    a()\n");
    let hollow_in = |changed: &[usize], gone: &str| {
        let hollow = hollowed(&source, changed, &names(gone)).unwrap();
        format!("{}, not {}", hollow.names.join(" "), hollow.kept.join(" "))
    };
    for (changed, gone, expected) in [
        (&[1, 2, 4][..], "", "f, not "),
        (&[1, 2], "", ", not f"),
        (&[1, 2, 3, 4, 8], "", "f, not g"),
        (&[1, 2, 4, 7, 8], "", "f g, not "),
        // All lines of it were edited, or it was moved.
        (&[1, 2, 4, 7, 8], "def g(x):\n", "f, not g"),
    ] {
        assert_eq!(hollow_in(changed, gone), expected, "{changed:?} {gone}");
    }
}

#[test]
fn an_edited_field_is_not_added() {
    let source =
        source("a.py", "class A:\n    def __init__(self):\n        self.x = 2\n        self.y = 3\n");
    let added = |gone: &str| hollowed(&source, &[3, 4], &names(gone)).unwrap().names;
    assert_eq!(added("        self.x = 1\n"), ["self.y"]);
    assert_eq!(added("        x = 1\n"), ["self.x", "self.y"]);
}

#[test]
fn what_was_changed_and_is_not_hollow_is_named() {
    for (path, source, names, kept) in [
        ("a.rs", "const RATE: u8 = 2;\nfn a() -> Box<u8> { b() }\nfn c() -> u8 { RATE }\n", "c", "RATE a"),
        ("a.py", "rates = {'a': 2}\ndef f():\n    return rates\n", "f", "rates"),
        ("a.js", "const rates = { a: 2 }\nconst f = (a) => rates[a]\n", "f", "rates"),
        ("a.go", "var rates = map[string]int{\"a\": 2}\n\nfunc F() int { return 1 }\n", "F", "rates"),
    ] {
        let all: Vec<usize> = (1..=source.lines().count()).collect();
        let source = super::tests::source(path, source);
        let hollow = hollowed(&source, &all, &HashSet::new()).unwrap();
        assert_eq!((hollow.names.join(" ").as_str(), hollow.kept.join(" ").as_str()), (names, kept));
    }
}

#[test]
fn functions_that_only_fail_are_hollow_where_they_are_replaced() {
    for (path, text, expected) in [
        ("a.py", "def f(x):\n    \"\"\"Why.\"\"\"\n    raise NotImplementedError\n", "return None"),
        ("a.js", "function f() {\n  throw new Error('later')\n}\n", "return undefined;"),
        ("a.rs", "fn f() -> u8 {\n    // Later.\n    todo!()\n}\n", "return Default::default()"),
        ("a.go", "func F() int {\n\tpanic(\"later\")\n}\n", "return *new(int)"),
    ] {
        let all: Vec<usize> = (2..=text.lines().count()).collect();
        let source = source(path, text);
        assert!(without_stubs(&source, &all).unwrap().content.contains(expected), "{text}");
        assert_eq!(without_stubs(&source, &[1]), None, "{text}");
    }
    let source = source("a.py", "def f(x):\n    if x:\n        raise ValueError\n    return x\n");
    assert_eq!(without_stubs(&source, &[1, 2, 3, 4]), None);
}

/// Our own source is Rust of every kind: what the scanner makes of it has to be Rust.
#[test]
fn hollow_rust_can_be_parsed() {
    for file in ["hollow/parts.rs", "hollow/zero.rs", "scan.rs", "inline/mod.rs", "inline/items.rs"] {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/trust").join(file);
        let source = source("a.rs", &std::fs::read_to_string(&path).unwrap());
        let lines: Vec<usize> = (1..=source.text.lines().count()).collect();
        let hollow = hollowed(&source, &lines, &HashSet::new()).unwrap();
        assert!(hollow.names.len() > 1, "{file}: {:?}", hollow.names);
        assert!(syn::parse_file(&hollow.content).is_ok(), "{file}");
    }
}

proptest! {
    #[test]
    fn no_text_stops_it_and_nothing_is_taken_away(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "a", "b = c", "(", ")", "{", "}", "[", "]", "\n", "\n  ", "\n\n", "def f():", "return", " + ", "f() ", "A = ", "'", "\"", "`",
            "/*", "*/", "//", "#", "\\", ";", ",", ":", "=>", "\nfunc F(", "fn f(", "ä", "\r\n", "const X = ", "self.x = ", "function f", "\"\"\"",
        ]), 0..60),
        changed in prop::collection::btree_set(1usize..40, 0..40),
        ending in prop::sample::select(vec!["py", "js", "ts", "rs", "go", "java", "sh", "txt"]),
    ) {
        let source = pieces.concat();
        let changed: Vec<usize> = changed.into_iter().collect();
        let read = super::tests::source(&format!("a.{ending}"), &source);
        for hollow in [
            hollowed(&read, &changed, &HashSet::new()),
            without_stubs(&read, &changed),
        ].into_iter().flatten() {
            let mut rest = hollow.content.bytes();
            prop_assert_eq!(hollow.content.len() > source.len(), !hollow.names.is_empty());
            prop_assert!(source.bytes().all(|byte| rest.any(|other| other == byte)));
        }
    }
}

#[test]
fn a_long_function_may_end_inside_of_a_sign() {
    for shift in ["", " "] {
        let source = source("a.jsx", &format!("const F = () => ({shift}<p>{}</p>)\n", "ä".repeat(3000)));
        for hollow in [hollowed(&source, &[1], &HashSet::new()), without_stubs(&source, &[1])] {
            assert!(hollow.is_none_or(|hollow| hollow.content.len() >= source.text.len()));
        }
    }
}
