//! Tells from its path what a file is for: a test, data of tests, configuration that decides what tests do, or anything
//! else.

mod kind;
mod table;

#[cfg(test)]
mod tests;

use std::path::Path;

use super::scan::is_listed;
use crate::plan::PathPattern;
use table::{FIRST, FOLDERS_OF_SOURCE, FileRow, NOTES, RECIPES, RUNNERS, TESTS};

pub use kind::FileKind;

/// What the file at `path`, from the top of the work tree, is for.
#[must_use]
pub fn kind_of(path: &str) -> FileKind {
    let place = Place::of(path);
    let of = |rows: &'static [FileRow]| rows.iter().find(|row| place.matches(row)).map(|row| row.kind);
    if let Some(kind) = of(FIRST) {
        return kind;
    }
    if place.is_note() {
        return FileKind::Other;
    }
    // Of the rows that match, the first counts.
    let shadow = || is_shadow(path).then_some(FileKind::Shadow);
    of(RUNNERS).or_else(|| of(TESTS)).or_else(|| of(RECIPES)).or_else(shadow).unwrap_or(FileKind::Other)
}

/// Whether a file judges: by its path, or because the user says so.
#[must_use]
pub fn judges(path: &str, protected: &[PathPattern]) -> bool {
    kind_of(path).judges() || protected.iter().any(|pattern| pattern.matches(path))
}

/// The same for a file that a change touches: a module that was there before the change is source of the program, whatever
/// its name.
#[must_use]
pub fn kind_in_change(path: &str, was_there: bool) -> FileKind {
    match kind_of(path) {
        FileKind::Shadow if was_there => FileKind::Other,
        kind => kind,
    }
}

/// Whether a file is written for people and has no effect on what programs do.
#[must_use]
pub fn is_documentation(path: &str) -> bool {
    let path = Path::new(path);
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let ending = path.extension().and_then(|ending| ending.to_str());
    let known = ["md", "markdown", "rst", "adoc", "asciidoc"];
    let names = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS", "CHANGELOG", "CONTRIBUTING", "README"];
    ending.is_some_and(|ending| known.iter().any(|known| ending.eq_ignore_ascii_case(known)))
        || names.contains(&name) && ending.is_none_or(|ending| ending == "txt")
}

/// Whether the file at `path` belongs to the tests. Fixtures, helpers, snapshots and the configuration of test runners
/// do. A file that is only partly about tests, such as `package.json`, does not.
#[must_use]
pub fn is_test_side(path: &str) -> bool {
    kind_of(path).is_test_side()
}

/// A path, taken apart.
struct Place<'a> {
    path: &'a str,
    folders: Vec<&'a str>,
    name: &'a str,
}

impl<'a> Place<'a> {
    fn of(path: &'a str) -> Self {
        let mut folders: Vec<&str> = path.split('/').collect();
        let name = folders.pop().unwrap_or_default();
        Self { path, folders, name }
    }

    fn matches(&self, row: &FileRow) -> bool {
        let mut folders = row.folders.split_ascii_whitespace();
        let mut names = row.names.split_ascii_whitespace();
        (row.folders.is_empty() || folders.any(|folder| self.is_in(folder)))
            && names.any(|name| matches_name(name, self.name))
    }

    /// Whether the file is in a folder. `/` is the top itself, `^a/b` is a folder at the top, `!a` is a folder that has no
    /// source folder above it, `*.a` is the end of a name, and `a/b` and `a` are folders anywhere.
    fn is_in(&self, folder: &str) -> bool {
        if folder == "/" {
            return self.folders.is_empty();
        }
        if let Some(top) = folder.strip_prefix('^') {
            return self.path.strip_prefix(top).is_some_and(|rest| rest.starts_with('/'));
        }
        if let Some(name) = folder.strip_prefix('!') {
            let above_source = |part: &&&str| !is_listed(FOLDERS_OF_SOURCE, part);
            return self.folders.iter().take_while(above_source).any(|part| part == &name);
        }
        if let Some(end) = folder.strip_prefix('*') {
            return self.folders.iter().any(|part| part.len() > end.len() && part.ends_with(end));
        }
        let mut parts = folder.split('/');
        match (parts.next(), parts.next()) {
            (Some(first), Some(second)) => self.folders.windows(2).any(|pair| pair == [first, second]),
            _ => self.folders.contains(&folder),
        }
    }

    /// Whether the file is a note for people, such as `tests/README.md`. In a folder of fixtures it may be a fixture.
    fn is_note(&self) -> bool {
        let stem = self.name.split('.').next().unwrap_or_default();
        let is_note = is_listed(NOTES, stem) || is_listed(NOTES, self.name);
        let in_data = self.folders.iter().any(|part| {
            ["fixture", "testdata", "golden", "snapshot", "data", "cases"]
                .iter()
                .any(|word| part.contains(word))
        });
        is_note && !in_data
    }
}

/// Whether a name has the form of `pattern`, in which each `*` stands for any characters.
pub(super) fn matches_name(pattern: &str, name: &str) -> bool {
    let Some((first, mut pattern)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    while let Some((piece, more)) = pattern.split_once('*') {
        let Some(at) = rest.find(piece) else { return false };
        (rest, pattern) = (&rest[at + piece.len()..], more);
    }
    rest.ends_with(pattern)
}

/// Whether the file at `path` is, or is in, a module of Python in a folder from which tests import, and the module has the
/// name of one of Python's own or of a library for tests. A file that was there before is known to be source of the program.
pub(super) fn is_shadow(path: &str) -> bool {
    let path = path.strip_prefix("src/").unwrap_or(path);
    let (module, ending) = match path.split_once('/') {
        Some((folder, rest)) => (folder, rest.rsplit_once('.').map(|(_, ending)| ending)),
        None => (path.split('.').next().unwrap_or_default(), path.rsplit_once('.').map(|(_, ending)| ending)),
    };
    ending.is_some_and(|ending| ["py", "pyc", "so", "pyd"].contains(&ending)) && is_listed(MODULES, module)
}

const MODULES: &str = "\
    _pytest abc argparse array ast asyncio atexit base64 bdb binascii bisect builtins bz2 cProfile calendar cgi \
    cmath cmd code codecs codeop collections colorsys compileall concurrent configparser contextlib contextvars \
    copy copyreg coverage csv ctypes curses dataclasses datetime dbm decimal difflib dis doctest email encodings \
    enum errno exceptiongroup faulthandler fcntl filecmp fileinput fnmatch fractions freezegun ftplib functools \
    gc genericpath getopt getpass gettext glob graphlib grp gzip hashlib heapq hmac html http hypothesis imaplib \
    imp importlib iniconfig inspect io ipaddress itertools json keyword linecache locale logging lzma mailbox \
    marshal math mimetypes mmap mock modulefinder multiprocessing netrc nose nose2 ntpath numbers opcode \
    operator optparse os pathlib pdb pickle pickletools pkgutil platform plistlib pluggy poplib posix \
    posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pytest pytest_asyncio pytest_cov \
    pytest_mock queue quopri random re readline reprlib resource rlcompleter runpy sched secrets select \
    selectors shelve shlex shutil signal site smtplib socket socketserver sqlite3 ssl stat statistics string \
    stringprep struct subprocess symtable sys sysconfig syslog tarfile tempfile termios testfixtures testtools \
    textwrap threading time timeit token tokenize tomli tomllib tox trace traceback tracemalloc tty types typing \
    unicodedata unittest urllib uuid venv warnings wave weakref webbrowser wsgiref xdist xml xmlrpc zipapp \
    zipfile zipimport zlib zoneinfo \
    ";
