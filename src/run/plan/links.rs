//! Finds the files of the repository on which the content of the plan depends: the file itself, and every link on the
//! way to it.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};

/// The largest number of links that are followed, as in Linux.
const MAX_LINKS: usize = 40;

/// The paths below `top` of the links on the way to `file` and of the file to which they lead.
pub(crate) fn files_behind(top: &Path, file: &Path) -> Vec<Vec<u8>> {
    let (Ok(top), Ok(file)) = (top.canonicalize(), std::path::absolute(file)) else { return Vec::new() };
    let mut found = Vec::new();
    let mut note = |place: &Path| {
        if let Ok(path) = place.strip_prefix(&top) {
            found.push(path.as_os_str().as_bytes().to_vec());
        }
    };
    let (mut place, mut links) = (PathBuf::new(), 0);
    let mut ahead = parts(&file);
    while let Some(part) = ahead.pop() {
        match Path::new(&part).components().next() {
            Some(Component::ParentDir) => {
                place.pop();
            }
            Some(Component::CurDir) | None => {}
            Some(Component::RootDir | Component::Prefix(_)) => place = PathBuf::from(&part),
            Some(Component::Normal(name)) => {
                let next = place.join(name);
                match std::fs::read_link(&next) {
                    Ok(target) if links < MAX_LINKS => {
                        links += 1;
                        note(&next);
                        ahead.extend(parts(&target));
                    }
                    _ => place = next,
                }
            }
        }
    }
    note(&place);
    found
}

/// The parts of a path, the first one last.
fn parts(path: &Path) -> Vec<OsString> {
    let mut parts: Vec<OsString> = path.components().map(|part| part.as_os_str().to_owned()).collect();
    parts.reverse();
    parts
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_link_on_the_way_is_named_and_what_is_outside_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let top = dir.path().join("work");
        std::fs::create_dir_all(top.join("plans")).unwrap();
        for file in [top.join("plans/x.json"), dir.path().join("outside.json")] {
            std::fs::write(file, "{}").unwrap();
        }
        symlink("plans", top.join("specs")).unwrap();
        symlink("specs/../specs/x.json", top.join("plan.json")).unwrap();
        symlink(dir.path().join("outside.json"), top.join("out.json")).unwrap();
        let behind = |file: &str| {
            let found = files_behind(&top, &top.join(file)).into_iter();
            found.map(|path| String::from_utf8(path).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(behind("plans/x.json"), ["plans/x.json"]);
        assert_eq!(behind("./specs/x.json"), ["specs", "plans/x.json"]);
        assert_eq!(behind("plan.json"), ["plan.json", "specs", "specs", "plans/x.json"]);
        assert_eq!(behind("out.json"), ["out.json"]);
        assert_eq!(behind("../outside.json"), [""; 0]);
    }
}
