//! The same changes without git arborist: each must pass by itself. Otherwise it would be no wonder that a dishonest one
//! fails, and no honest one could be accepted.

use std::sync::Mutex;

use super::rows::{Row, rows};
use super::{Base, FUNCTIONS, Shelf, surroundings};
use crate::support::garden::{Garden, side_by_side};

/// Makes all changes of a kind and runs the test command, which must succeed after the last attempt, and only then.
#[track_caller]
pub(in crate::trust) fn pass_by_themselves(kind: &str) {
    let shelf = Shelf::default();
    let wrong = Mutex::new(Vec::new());
    side_by_side(rows(kind), |row| {
        let Some(garden) = shelf.copy(&row) else { return };
        for number in 0..row.attempts() {
            let agent = format!("set -e\n{FUNCTIONS}{}", row.script);
            let (made, said) = shell(&garden, &agent, number);
            let (passed, printed) = shell(&garden, command_of(&row).as_str(), number);
            if !made || passed != (number + 1 == row.attempts()) {
                wrong.lock().unwrap().push(format!("{}: {}:\n{said}\n{printed}", row.base, row.name));
            }
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn command_of(row: &Row) -> String {
    let own = Some(row.value("command")).filter(|command| !command.is_empty());
    own.map_or_else(|| Base::named(&row.base).value("command").to_owned(), str::to_owned)
}

/// Whether a script succeeds in the work tree, and what it printed.
fn shell(garden: &Garden, script: &str, attempt: u32) -> (bool, String) {
    let mut command = garden.command("sh");
    surroundings(&mut command);
    command.env("ARBORIST_STEP", "implement").env("ARBORIST_ATTEMPT", attempt.to_string());
    let output = command.args(["-c", script]).output().unwrap();
    let said = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&said).into_owned())
}
