//! The commands that a helper receives while its job is running.

use std::io::Write;
use std::os::unix::net::UnixStream;

/// The commands that a helper receives while its job is running, one byte each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::process) enum HelperCommand {
    /// Ask all processes to end.
    End,
    /// Kill all processes.
    Kill,
    /// Stop all processes.
    Suspend,
    /// Continue the stopped processes.
    Resume,
}

impl HelperCommand {
    const ALL: [Self; 4] = [Self::End, Self::Kill, Self::Suspend, Self::Resume];

    fn byte(self) -> u8 {
        match self {
            Self::End => b'e',
            Self::Kill => b'k',
            Self::Suspend => b's',
            Self::Resume => b'r',
        }
    }

    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|command| command.byte() == byte)
    }
}

/// The connection to a helper.
#[derive(Debug)]
pub(in crate::process) struct Control(pub(super) UnixStream);

impl Control {
    /// Sends a command. Returns whether the helper was still there to receive it.
    pub(in crate::process) fn send(&self, command: HelperCommand) -> bool {
        (&self.0).write_all(&[command.byte()]).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_arrives_unchanged() {
        for command in HelperCommand::ALL {
            assert_eq!(HelperCommand::from_byte(command.byte()), Some(command));
        }
        assert_eq!(HelperCommand::from_byte(0), None);
    }
}
