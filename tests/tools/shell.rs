//! A shell in the work tree of a garden, on a terminal that tmux provides.

use std::process::{Command, Output};

use crate::support::garden::Garden;
use crate::support::skip::has;

/// The number of columns and lines of a terminal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) columns: u32,
    pub(super) rows: u32,
}

/// A shell on a terminal, which is closed when this is dropped.
pub(super) struct Shell<'g> {
    garden: &'g Garden,
}

impl<'g> Shell<'g> {
    /// Opens a terminal; `None` if there is no tmux, which is said.
    pub(super) fn open(garden: &'g Garden, size: Size) -> Option<Self> {
        if !has("tmux") {
            return None;
        }
        let shell = garden.command("sh");
        let env = shell.get_envs().filter_map(|(name, value)| {
            Some(format!("export {}='{}'\n", name.to_str()?, value?.to_str()?.replace('\'', "'\\''")))
        });
        let folder = garden.top();
        let script = garden.root().join("terminal.sh");
        let setup = format!("{}cd '{}'\nPS1='$ ' exec sh -i\n", env.collect::<String>(), folder.display());
        // The variables of whoever runs the tests must not decide.
        let clean = "for name in $(env | sed -n 's/^\\([A-Za-z_]*\\)=.*/\\1/p'); do case $name in TERM|TMUX*|PWD) ;; *) unset $name;; esac; done\n";
        std::fs::write(&script, format!("{clean}{setup}")).unwrap();
        let terminal = Self { garden };
        let (columns, rows) = (size.columns.to_string(), size.rows.to_string());
        let start = format!("sh '{}'", script.display());
        let made =
            terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &rows, &start]);
        assert!(made.status.success(), "{made:?}");
        terminal.wait_for("$");
        Some(terminal)
    }

    fn tmux(&self, args: &[&str]) -> Output {
        let socket = self.garden.root().join("tmux");
        Command::new("tmux")
            .arg("-S")
            .arg(socket)
            .args(args)
            .env("LC_ALL", "C.UTF-8")
            .env_remove("TMUX")
            .output()
            .unwrap()
    }

    /// Types a line.
    pub(super) fn line(&self, text: &str) {
        self.tmux(&["send-keys", "-l", text]);
        self.key("Enter");
    }

    /// Presses a key, by its name in tmux.
    pub(super) fn key(&self, name: &str) {
        assert!(self.tmux(&["send-keys", name]).status.success());
    }

    pub(super) fn resize(&self, size: Size) {
        let (columns, rows) = (size.columns.to_string(), size.rows.to_string());
        assert!(self.tmux(&["resize-window", "-x", &columns, "-y", &rows]).status.success());
    }

    /// What is on the screen.
    pub(super) fn screen(&self) -> String {
        String::from_utf8(self.tmux(&["capture-pane", "-p"]).stdout).unwrap()
    }

    /// Waits until something is on the screen, and gives the screen.
    #[track_caller]
    pub(super) fn wait_for(&self, text: &str) -> String {
        self.wait_until(text, |screen| screen.contains(text))
    }

    /// Waits until the screen is so, and gives it.
    #[track_caller]
    pub(super) fn wait_until(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        let mut screen = String::new();
        self.garden.wait_until(&format!("{what} did not appear"), || {
            screen = self.screen();
            is_so(&screen)
        });
        screen
    }
}

impl Drop for Shell<'_> {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
