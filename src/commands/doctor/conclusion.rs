//! The end of `doctor`: how many problems it has found.

use crate::commands::Exit;
use crate::report::{self, Diagnosis, Health};

/// Says how many problems there are, and decides the exit status.
pub(super) fn of<'d>(diagnoses: impl IntoIterator<Item = &'d Diagnosis>) -> Exit {
    let problems = diagnoses.into_iter().filter(|diagnosis| diagnosis.health == Health::Bad).count();
    if problems == 0 {
        return Exit::Done;
    }
    report::eprint(&format!("{problems} problem{} found.", if problems == 1 { "" } else { "s" }));
    Exit::No
}
