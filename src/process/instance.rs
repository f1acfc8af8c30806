//! Identifies a process uniquely: later processes with the same id, and those of other containers or before a reboot,
//! are different.

use super::{proc_files, processes};
use rustix::process::{Pid, test_kill_process};
use serde::{Deserialize, Serialize};

/// The identity of a process, which it writes down so that others can find out whether it is alive.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instance {
    /// Its process id.
    pub pid: i32,
    /// When it started, in clock ticks since boot.
    start: Option<u64>,
    /// The id of that boot.
    boot: Option<String>,
    /// The namespace of process ids in which it has its id.
    namespace: Option<String>,
}

impl Instance {
    /// This process.
    #[must_use]
    pub fn own() -> Self {
        let pid = processes::own_pid();
        let start = if processes::are_visible() { processes::start_of(pid) } else { None };
        Self::at(pid, start)
    }

    /// The process with this id, if it is visible.
    #[must_use]
    pub fn of(pid: i32) -> Option<Self> {
        let start = processes::start_of(pid).filter(|_| processes::are_visible())?;
        Some(Self::at(pid, Some(start)))
    }

    fn at(pid: i32, start: Option<u64>) -> Self {
        let boot = proc_files::read("sys/kernel/random/boot_id");
        let namespace = proc_files::link("self/ns/pid").ok();
        Self {
            pid,
            start,
            boot: boot.map(|id| String::from_utf8_lossy(&id).trim().to_owned()),
            namespace: namespace.map(|id| id.to_string_lossy().into_owned()),
        }
    }

    /// Whether it has certainly ended. A process of another system or container may be alive without our being able to
    /// see it.
    #[must_use]
    pub fn is_provably_gone(&self) -> bool {
        let own = Self::own();
        if (&self.boot, &self.namespace) != (&own.boot, &own.namespace)
            || self.start.is_some() != own.start.is_some()
        {
            return false;
        }
        match self.start {
            Some(start) => processes::start_of(self.pid) != Some(start),
            None => Pid::from_raw(self.pid)
                .is_some_and(|pid| test_kill_process(pid) == Err(rustix::io::Errno::SRCH)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_process_of_this_system_and_this_container_can_be_known_to_be_gone() {
        let own = Instance::own();
        assert!(!own.is_provably_gone());
        let mut ended = std::process::Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let gone = Instance { pid: i32::try_from(ended.id()).unwrap(), ..own.clone() };
        assert!(gone.is_provably_gone());
        if own.start.is_some() {
            // The id is used again.
            assert!(Instance { start: Some(1), ..own.clone() }.is_provably_gone());
            let elsewhere = Some("elsewhere".to_owned());
            assert!(!Instance { boot: elsewhere.clone(), ..gone.clone() }.is_provably_gone());
            assert!(!Instance { namespace: elsewhere, ..gone }.is_provably_gone());
        }
    }
}
