//! A terminal with a screen of its own, which tmux provides.

use std::process::{Command, Stdio};

use crate::support::garden::Garden;
use crate::support::skip::has;

/// A terminal in which a command runs, or has run.
pub(super) struct Terminal<'g> {
    garden: &'g Garden,
    socket: String,
}

impl<'g> Terminal<'g> {
    /// Starts one of our own programs on a screen of this size; `None` if there is no tmux. When it has ended, the last
    /// line says with which status.
    pub(super) fn start(
        garden: &'g Garden,
        size: (u32, u32),
        args: &[&str],
        env: &[(&str, &str)],
    ) -> Option<Self> {
        if !has("tmux") {
            return None;
        }
        let terminal = Self { garden, socket: garden.root().join("tmux").display().to_string() };
        let (columns, rows) = (size.0.to_string(), size.1.to_string());
        let program = garden.arborist(&[]);
        let mut words = vec![program.get_program().to_str().unwrap().to_owned()];
        words.extend(args.iter().map(|word| (*word).to_owned()));
        let script = format!("trap : INT; '{}'; echo \"ended with $?\"; sleep 60", words.join("' '"));
        let mut command =
            terminal.tmux(&["-f", "/dev/null", "new-session", "-d", "-x", &columns, "-y", &rows]);
        command.args(["sh", "-c", &script]).envs(env.iter().copied());
        assert!(command.env("LC_ALL", "C.UTF-8").status().unwrap().success());
        Some(terminal)
    }

    fn tmux(&self, args: &[&str]) -> Command {
        let mut command = self.garden.command("tmux");
        command.args(["-S", &self.socket]).args(args);
        command
    }

    /// What is on the screen now.
    pub(super) fn screen(&self) -> String {
        let output = self.tmux(&["capture-pane", "-p"]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    }

    /// Waits until these words are on the screen, and returns it.
    pub(super) fn wait_for(&self, words: &str) -> String {
        let mut screen = String::new();
        self.garden.wait_until(words, || {
            screen = self.screen();
            screen.contains(words)
        });
        screen
    }

    /// Gives the terminal another size.
    pub(super) fn resize(&self, columns: u32, rows: u32) {
        let size = [columns.to_string(), rows.to_string()];
        let mut command = self.tmux(&["resize-window", "-x", &size[0], "-y", &size[1]]);
        assert!(command.status().unwrap().success());
    }

    /// Presses keys, as tmux names them.
    pub(super) fn press(&self, keys: &[&str]) {
        assert!(self.tmux(&["send-keys"]).args(keys).status().unwrap().success());
    }
}

impl Drop for Terminal<'_> {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.tmux(&["kill-server"]).stderr(Stdio::null()).status();
    }
}
