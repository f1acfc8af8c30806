//! Changes to the environment of a program.

use std::ffi::OsString;

/// One change to the environment that the program inherits from us.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EnvChange {
    /// Sets a variable.
    Set(OsString, OsString),
    /// Takes a variable away.
    Remove(OsString),
}
