//! Recognises files that an editor keeps while another file is open. They show that a person is working on that file,
//! and are never part of the work themselves.
//!
//! Vim and nano keep a swap file (`.name.swp`), Neovim one in a folder of its own. While there are unsaved changes,
//! Emacs keeps a link that leads nowhere (`.#name`) or, on file systems without links, a file. It also saves the
//! changes in a copy (`#name#`). Kate keeps `.name.kate-swp`, and `LibreOffice` `.~lock.name#`. Other editors leave no
//! trace.

use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use rustix::process::{Pid, test_kill_process};

use super::path_kind::joined;
use crate::files;

/// Git patterns that match the names of such files in the whole work tree.
pub(crate) const PATTERNS: [&str; 5] =
    [":(glob)**/.*.sw?", ":(glob)**/.#*", ":(glob)**/#*#", ":(glob)**/.*.kate-swp", ":(glob)**/.~lock.*#"];

/// How many bytes of a swap file are read: those that name its editor and file.
const HEADER: u64 = 1008;

/// A file that an editor keeps while another file is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EditorFile {
    /// The name of the file that is or was open, without its folder.
    name: Vec<u8>,
    /// Whether its editor may still be running: after a crash, the file stays behind.
    may_live: bool,
}

impl EditorFile {
    /// The file at a path below `top`, if it belongs to an editor. The name alone proves nothing, so the content is
    /// read.
    pub(crate) fn at(top: &Path, path: &[u8]) -> Option<Self> {
        let (folder, own) = split(path);
        let place = joined(top, path);
        let beside = |name: &[u8]| joined(top, &[folder, name].concat()).symlink_metadata().is_ok();
        if let Some(name) = own.strip_prefix(b".#") {
            return Owner::of_link(&lock_of_emacs(&place)?).map(|owner| Self::of(name, owner));
        }
        let saved = own.strip_prefix(b"#").and_then(|rest| rest.strip_suffix(b"#"));
        if let Some(name) = saved.filter(|name| !name.is_empty()) {
            place.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
            let lock = [folder, b".#", name].concat();
            return match Self::at(top, &lock) {
                Some(lock) => Some(lock),
                // Emacs may be told to make no locks, and leaves this file behind when it crashes.
                None => beside(name).then(|| Self { name: name.to_owned(), may_live: true }),
            };
        }
        if is_swap_name(own) {
            return Self::in_swap_file(&place);
        }
        let name = (own.strip_prefix(b".").and_then(|rest| rest.strip_suffix(b".kate-swp")))
            .or_else(|| own.strip_prefix(b".~lock.").and_then(|rest| rest.strip_suffix(b"#")))?;
        (place.symlink_metadata().ok()?.is_file() && beside(name))
            .then(|| Self { name: name.to_owned(), may_live: true })
    }

    /// The file to which a swap file belongs, according to its content.
    fn in_swap_file(place: &Path) -> Option<Self> {
        // A link could lead anywhere.
        place.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
        let header = files::open(place).ok()?.read_beginning(HEADER).ok()?;
        let (name, owner) = Owner::of_swap_file(&header)?;
        let (_, name) = split(name);
        Some(Self::of(name, owner))
    }

    fn of(name: &[u8], owner: Owner<'_>) -> Self {
        Self { name: name.to_owned(), may_live: owner.may_live() }
    }

    /// The path of the file that is open, if its editor may still be running; `path` is the path of the editor's own
    /// file.
    pub(crate) fn open_file(&self, path: &[u8]) -> Option<Vec<u8>> {
        let (folder, _) = split(path);
        (self.may_live && !self.name.is_empty()).then(|| [folder, &self.name].concat())
    }
}

/// The files below `top` for which an editor keeps swap files in this folder. The swap files have the paths of these
/// files as their names, with `%` for every `/`.
pub(crate) fn open_by_folder(top: &Path, folder: &Path) -> Vec<Vec<u8>> {
    let mut top: Vec<u8> = top.as_os_str().as_bytes().to_vec();
    top.push(b'/');
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let open = |entry: std::fs::DirEntry| {
        let name = entry.file_name();
        let name = name.as_bytes();
        // Most of them belong to other folders and are not opened.
        let path: Vec<u8> = name.iter().map(|byte| if *byte == b'%' { b'/' } else { *byte }).collect();
        let path = path.get(..path.len().checked_sub(4)?)?.strip_prefix(top.as_slice())?.to_vec();
        (is_swap_ending(name) && EditorFile::in_swap_file(&entry.path())?.may_live).then_some(path)
    };
    entries.filter_map(open).collect()
}

/// The process that a file of an editor names.
#[derive(Clone, Copy)]
struct Owner<'a> {
    pid: i32,
    host: &'a [u8],
}

impl<'a> Owner<'a> {
    /// The first block of a swap file of Vim, Neovim or nano: the open path, and who opened it.
    fn of_swap_file(header: &'a [u8]) -> Option<(&'a [u8], Self)> {
        let is_swap = header.starts_with(b"b0VIM") || header.starts_with(b"b0nano");
        let pid = header.get(24..28).filter(|_| is_swap)?;
        let pid = i32::from_le_bytes(pid.try_into().expect("four bytes"));
        Some((until_nul(header.get(108..)?), Self { pid, host: until_nul(header.get(68..108)?) }))
    }

    /// The target of a link of Emacs: `user@host.pid`, often followed by a colon and the boot time of the system.
    fn of_link(target: &'a [u8]) -> Option<Self> {
        let target = target.split(|byte| *byte == b':').next()?;
        let at = target.iter().position(|byte| *byte == b'@')?;
        let dot = target.iter().rposition(|byte| *byte == b'.').filter(|dot| *dot > at)?;
        let pid = std::str::from_utf8(&target[dot + 1..]).ok()?.parse().ok()?;
        Some(Self { pid, host: &target[at + 1..dot] })
    }

    /// Whether the process may be alive. On another host, this is unknown.
    fn may_live(&self) -> bool {
        let own = rustix::system::uname();
        // A swap file has room for 39 bytes of the host name.
        let own = own.nodename().to_bytes();
        if self.host.is_empty() || !own.starts_with(self.host) {
            return true;
        }
        Pid::from_raw(self.pid).is_none_or(|pid| test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
    }
}

/// The content of a lock of Emacs: the target of a link, or the line in a file, on file systems without links.
fn lock_of_emacs(place: &Path) -> Option<Vec<u8>> {
    let meta = place.symlink_metadata().ok()?;
    if meta.is_symlink() {
        return Some(std::fs::read_link(place).ok()?.into_os_string().into_vec());
    }
    let is_line = |text: &[u8]| !text.is_empty() && !text.iter().any(u8::is_ascii_whitespace);
    let text = files::open(place).ok().filter(|_| meta.is_file() && meta.len() < HEADER)?;
    text.read_beginning(HEADER).ok().map(|text| text.trim_ascii_end().to_vec()).filter(|text| is_line(text))
}

/// Whether a name has the form `.name.swp`, or `.name.swo`, `.name.swn` and so on if there are several.
fn is_swap_name(name: &[u8]) -> bool {
    name.starts_with(b".") && is_swap_ending(name)
}

fn is_swap_ending(name: &[u8]) -> bool {
    matches!(name, [.., b'.', b's', b'w', last] if last.is_ascii_lowercase())
}

fn split(path: &[u8]) -> (&[u8], &[u8]) {
    path.split_at(path.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1))
}

fn until_nul(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().expect("a split text has a first part")
}

/// The folder in which Neovim keeps its swap files by default.
#[must_use]
pub fn swap_folder_below(state: &Path) -> std::path::PathBuf {
    state.join("nvim").join("swap")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn swap_file(pid: i32, host: &[u8], path: &[u8]) -> Vec<u8> {
        let mut header = vec![0; 4096];
        header[..9].copy_from_slice(b"b0VIM 9.0");
        header[24..28].copy_from_slice(&pid.to_le_bytes());
        header[68..68 + host.len()].copy_from_slice(host);
        header[108..108 + path.len()].copy_from_slice(path);
        header
    }

    fn own_pid() -> i32 {
        i32::try_from(std::process::id()).unwrap()
    }

    fn ended_pid() -> i32 {
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        i32::try_from(ended.id()).unwrap()
    }

    fn host() -> Vec<u8> {
        rustix::system::uname().nodename().to_bytes().iter().copied().take(39).collect()
    }

    /// The file that is open according to a file of an editor; `None` within if its editor is gone.
    fn open_at(top: &Path, path: &str) -> Option<Option<String>> {
        let found = EditorFile::at(top, path.as_bytes())?;
        Some(found.open_file(path.as_bytes()).map(|path| String::from_utf8(path).unwrap()))
    }

    #[test]
    fn a_swap_file_names_the_file_that_is_open_as_long_as_its_editor_lives() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        std::fs::create_dir(top.join("src")).unwrap();
        let write = |path: &str, content: &[u8]| std::fs::write(top.join(path), content).unwrap();
        write("src/.main.c.swp", &swap_file(own_pid(), &host(), b"~me/x/src/main.c"));
        assert_eq!(open_at(top, "src/.main.c.swp"), Some(Some("src/main.c".to_owned())));
        write(".profile.swo", &swap_file(ended_pid(), b"elsewhere", b".profile"));
        assert_eq!(open_at(top, ".profile.swo"), Some(Some(".profile".to_owned())), "it may live elsewhere");
        write(".left.c.swp", &swap_file(ended_pid(), &host(), b"left.c"));
        assert_eq!(open_at(top, ".left.c.swp"), Some(None));
        write(".code.py.swp", b"print('no swap file at all')");
        assert_eq!(open_at(top, ".code.py.swp"), None);
        write("main.c", b"");
        assert_eq!(open_at(top, "main.c"), None);
    }

    #[test]
    fn lock_files_of_other_editors_name_the_file_that_is_open() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        let link = |target: String, name: &str| std::os::unix::fs::symlink(target, top.join(name)).unwrap();
        let host = String::from_utf8(host()).unwrap();
        link(format!("me@{host}.{}:1700000000", own_pid()), ".#main.el");
        assert_eq!(open_at(top, ".#main.el"), Some(Some("main.el".to_owned())));
        link(format!("me@{host}.{}", ended_pid()), ".#left.el");
        assert_eq!(open_at(top, ".#left.el"), Some(None));
        link("some/file".to_owned(), ".#link");
        assert_eq!(open_at(top, ".#link"), None);
        let write = |name: &str, text: &str| std::fs::write(top.join(name), text).unwrap();
        write(".#plain.el", &format!("me@{host}.{}:1700000000", own_pid()));
        assert_eq!(open_at(top, ".#plain.el"), Some(Some("plain.el".to_owned())));
        for text in ["", "a note to me@example.com and others", "x".repeat(2000).as_str()] {
            write(".#note", text);
            assert_eq!(open_at(top, ".#note"), None, "{text}");
        }
        for name in ["a.txt", ".a.txt.kate-swp", "b.odt", ".~lock.b.odt#", ".~lock.gone.odt#"] {
            std::fs::write(top.join(name), "").unwrap();
        }
        assert_eq!(open_at(top, ".a.txt.kate-swp"), Some(Some("a.txt".to_owned())));
        assert_eq!(open_at(top, ".~lock.b.odt#"), Some(Some("b.odt".to_owned())));
        assert_eq!(open_at(top, ".~lock.gone.odt#"), None);
    }

    #[test]
    fn what_emacs_saves_by_itself_is_known_by_the_file_or_the_lock_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path();
        let write = |name: &str, text: &str| std::fs::write(top.join(name), text).unwrap();
        let host = String::from_utf8(host()).unwrap();
        for name in ["main.el", "#main.el#", "left.el", "#left.el#", "#new.el#", "#alone#", "#", "##", "#x"] {
            write(name, "");
        }
        let lock = |name: &str, pid| write(&format!(".#{name}"), &format!("me@{host}.{pid}"));
        lock("left.el", ended_pid());
        lock("new.el", own_pid());
        let cases = [
            ("#main.el#", Some(Some("main.el"))),
            ("#left.el#", Some(None)),
            ("#new.el#", Some(Some("new.el"))),
            ("#alone#", None),
            ("#", None),
            ("##", None),
            ("#x", None),
            ("#none#", None),
        ];
        for (name, open) in cases {
            assert_eq!(open_at(top, name), open.map(|open| open.map(str::to_owned)), "{name}");
        }
    }

    #[test]
    fn swap_files_in_a_folder_of_their_own_are_found_by_their_names() {
        let (dir, swaps) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let top = dir.path();
        let encoded = |path: &str| format!("{}/{path}", top.display()).replace('/', "%");
        let write = |name: String, pid| {
            std::fs::write(swaps.path().join(name), swap_file(pid, &host(), b"~me/x")).unwrap();
        };
        write(encoded("src/main.c.swp"), own_pid());
        write(encoded("left.c.swp"), ended_pid());
        write("%elsewhere%main.c.swp".to_owned(), own_pid());
        std::fs::write(swaps.path().join("x"), "").unwrap();
        assert_eq!(open_by_folder(top, swaps.path()), [b"src/main.c".to_vec()]);
        assert!(open_by_folder(top, &top.join("none")).is_empty());
    }
}
