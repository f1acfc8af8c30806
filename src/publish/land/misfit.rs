//! The errors for work that does not fit where it would be landed.

use crate::error::{Error, Kind};
use crate::text::{advice, show_path};

pub(super) fn does_not_fit(what: &str, paths: &[String]) -> Error {
    Error::new(
        Kind::No,
        format!(
            "{what} builds on work that is left out: its changes of {} do not fit without it",
            first_of(paths)
        ),
        format!(
            "Nothing was changed. Finish the tasks that are left out ({}), or land the rest as it is with `--style merge`.",
            advice::gardener_failed()
        ),
    )
}

pub(super) fn does_not_fit_base(what: &str, paths: &[String]) -> Error {
    Error::new(
        Kind::No,
        format!("{what} changes {} in the same place as the base", first_of(paths)),
        "Nothing was changed. Merge the base into this branch (`git merge`), and run the same command again.",
    )
}

fn first_of(paths: &[String]) -> String {
    paths.first().map_or_else(|| "a file".to_owned(), |path| show_path(path.as_bytes()))
}
