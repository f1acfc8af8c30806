//! Shows a text in the user's pager.

use std::io::{self, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

use signal_hook::consts::{SIGINT, SIGQUIT};

/// The settings of pagers that git sets as well, unless the user has set them: `less` ends if everything fits on the
/// screen, shows colours, and leaves the text there.
const DEFAULTS: [(&str, &str); 2] = [("LESS", "FRX"), ("LV", "-c")];
/// How the shell says that a program cannot be run, or does not exist.
const NOT_RUN: [i32; 2] = [126, 127];

/// Shows `text` with this command of the shell and waits until the user has left it. `is_set` says which variables the
/// user has set. Returns whether there was such a program; if not, nothing was shown.
///
/// It is no error if the user leaves before everything was read.
///
/// # Errors
/// If no program can be started.
pub fn page(command: &str, text: &str, is_set: impl Fn(&str) -> bool) -> io::Result<bool> {
    let defaults = DEFAULTS.into_iter().filter(|(name, _)| !is_set(name));
    let mut child = Command::new("/bin/sh")
        .args(["-c", command])
        .env("GIT_PAGER_IN_USE", "1")
        .envs(defaults)
        .stdin(Stdio::piped())
        .spawn()?;
    // Ctrl-C is for the pager. If we ended first, it would read keys together with the shell.
    let handlers = [SIGINT, SIGQUIT].map(|signal| signal_hook::flag::register(signal, Arc::default()));
    if let Some(mut input) = child.stdin.take() {
        // A pager that was left early does not want the rest.
        let _ = input.write_all(text.as_bytes());
    }
    let ended = child.wait();
    for handler in handlers.into_iter().flatten() {
        signal_hook::low_level::unregister(handler);
    }
    Ok(!ended?.code().is_some_and(|code| NOT_RUN.contains(&code)))
}
