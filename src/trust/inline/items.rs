//! Finds the items of Rust code, and which of them are tests.

use std::ops::Range;

use super::attributes::{Attribute, is_inner_cfg_test, marks_test};

/// What a file of Rust consists of, as far as tests are concerned.
#[derive(Debug, Default)]
pub(super) struct File {
    /// It begins with `#![cfg(test)]`.
    pub(super) is_all_tests: bool,
    pub(super) tests: Vec<TestItem>,
    /// The modules in the file that are not tests themselves.
    pub(super) modules: Vec<Container>,
    /// How many marks of tests are inside of items other than modules.
    pub(super) inside_items: usize,
}

/// An item that exists only in tests.
#[derive(Debug)]
pub(super) struct TestItem {
    pub(super) module: Vec<String>,
    /// From the first attribute to the last brace.
    pub(super) bytes: Range<usize>,
}

/// A module with a body.
#[derive(Debug)]
pub(super) struct Container {
    pub(super) path: Vec<String>,
    /// Where its closing brace is.
    pub(super) end: usize,
}

impl File {
    /// Reads code as [`masked`](super::super::scan::masked) returns it. None if braces do not match.
    pub(super) fn read(code: &[u8]) -> Option<Self> {
        let mut reader = ItemReader { code, at: 0, file: Self::default() };
        reader.items()?;
        Some(reader.file)
    }
}

struct ItemReader<'a> {
    code: &'a [u8],
    at: usize,
    file: File,
}

impl ItemReader<'_> {
    /// Reads all items. Modules are entered without recursion, so that no depth of them uses up the stack.
    fn items(&mut self) -> Option<()> {
        // The paths of the modules that are open.
        let mut open: Vec<Vec<String>> = Vec::new();
        loop {
            self.skip_blank();
            let path = open.last().map_or(&[][..], Vec::as_slice);
            match self.code.get(self.at) {
                None => return open.is_empty().then_some(()),
                Some(b'}') => {
                    let path = open.pop()?;
                    self.file.modules.push(Container { path, end: self.at });
                    self.at += 1;
                }
                Some(b';') => self.at += 1,
                Some(_) => {
                    let path = path.to_vec();
                    if let Some(name) = self.item(&path)? {
                        open.push(path.into_iter().chain([name]).collect());
                    }
                }
            }
        }
    }

    /// Reads one item, or only the head of a module that is not a test; then its name is returned.
    fn item(&mut self, module: &[String]) -> Option<Option<String>> {
        let start = self.at;
        let mut is_test = false;
        while let Some(attribute) = self.attribute()? {
            if attribute.is_inner {
                self.file.is_all_tests |= module.is_empty() && is_inner_cfg_test(&attribute);
                return Some(None);
            }
            is_test |= marks_test(&attribute.text);
            self.skip_blank();
        }
        if !is_test && let Some(name) = self.module_head() {
            return Some(Some(name));
        }
        let body = self.at;
        self.at = self.item_end()?;
        if is_test {
            let module = module.to_vec();
            self.file.tests.push(TestItem { module, bytes: start..self.at });
        } else {
            self.file.inside_items += marks_inside(&self.code[body..self.at]);
        }
        Some(None)
    }

    fn skip_blank(&mut self) {
        self.at += self.code[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    /// The attribute that begins here. The outer none: it has no end.
    fn attribute(&mut self) -> Option<Option<Attribute>> {
        let Some((attribute, length)) = Attribute::read(&self.code[self.at..])? else { return Some(None) };
        self.at += length;
        Some(Some(attribute))
    }

    /// The name of the module with a body that begins here; its brace is passed.
    fn module_head(&mut self) -> Option<String> {
        let rest = &self.code[self.at..];
        let head = &rest[..rest.iter().take(200).position(|byte| matches!(byte, b'{' | b';'))?];
        if rest[head.len()] != b'{' {
            return None;
        }
        let head = std::str::from_utf8(head).ok()?;
        let words: Vec<&str> = head.split_whitespace().collect();
        let (name, before) = words.split_last()?;
        let is_module = before.last() == Some(&"mod") && before.len() <= 3 && !head.contains(['!', '=']);
        is_module.then(|| {
            self.at += head.len() + 1;
            (*name).to_owned()
        })
    }

    /// The end of the item whose attributes have been read.
    fn item_end(&self) -> Option<usize> {
        let needs_semicolon = ends_with_semicolon(&self.code[self.at..]);
        let mut depth = 0usize;
        let mut at = self.at;
        while let Some(byte) = self.code.get(at) {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => {
                    depth = depth.checked_sub(1)?;
                    if depth == 0 && *byte == b'}' && !needs_semicolon && !self.is_argument(at + 1) {
                        return Some(at + 1);
                    }
                }
                b';' if depth == 0 => return Some(at + 1),
                _ => {}
            }
            at += 1;
        }
        // A macro without a semicolon at the end of the file.
        (depth == 0).then_some(at)
    }

    /// Whether the braces that ended here are an argument, as in `Array<{ N }>`.
    fn is_argument(&self, at: usize) -> bool {
        let next = self.code[at..].iter().take(200).find(|byte| !byte.is_ascii_whitespace());
        matches!(next, Some(b'>' | b','))
    }
}

/// Whether an item ends with a semicolon, even if it has braces, as `use` and `const` do.
fn ends_with_semicolon(code: &[u8]) -> bool {
    let head = &code[..code.len().min(400)];
    let mut words = head.split(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_')).filter(|word| {
        !word.is_empty() && !matches!(*word, b"pub" | b"crate" | b"super" | b"in" | b"self" | b"default")
    });
    match words.next() {
        Some(b"use" | b"static" | b"type" | b"let") => true,
        Some(b"const") => !matches!(words.next(), Some(b"fn" | b"unsafe" | b"async" | b"extern")),
        _ => false,
    }
}

/// How many attributes inside of an item mark tests.
fn marks_inside(code: &[u8]) -> usize {
    let mut count = 0;
    for at in memchr::memmem::find_iter(code, b"#[") {
        let near = &code[at..code.len().min(at + 200)];
        if let Some(Some((attribute, _))) = Attribute::read(near) {
            count += usize::from(marks_test(&attribute.text));
        }
    }
    count
}
