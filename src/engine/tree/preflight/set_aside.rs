//! The advice to set changes aside: it names them, so that the files of a step stay where they are.

use crate::text::pathspec_word;

/// With more paths than this, the command would be too long to read.
const NAMED: usize = 20;

/// The command that stashes only these paths, for messages.
pub(crate) fn stash<'p>(paths: impl Iterator<Item = &'p [u8]>) -> String {
    let mut words: Vec<String> = paths.map(|path| pathspec_word(&String::from_utf8_lossy(path))).collect();
    words.sort();
    if words.len() > NAMED {
        words = vec!["PATH...".to_owned()];
    }
    format!("`git stash push -u -- {}`", words.join(" "))
}

#[cfg(test)]
mod tests {
    use super::stash;

    #[test]
    fn paths_are_quoted_for_git_and_the_shell_and_too_many_are_left_out() {
        let paths: [&[u8]; 3] = [b"src/b.rs", b"a b", b"x[1]"];
        let expected = "`git stash push -u -- ':(top,literal)x[1]' ':/a b' :/src/b.rs`";
        assert_eq!(stash(paths.into_iter()), expected);
        assert_eq!(stash(std::iter::repeat_n(&b"a"[..], 21)), "`git stash push -u -- PATH...`");
    }
}
