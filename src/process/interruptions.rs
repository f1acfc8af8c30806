//! The signals that reach a command which shows something until the user leaves it.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGWINCH};
use signal_hook::flag;

/// The signals that were received. Each of them also ends a wait for input.
#[derive(Clone, Debug, Default)]
pub struct Interruptions {
    last: Arc<AtomicUsize>,
    suspend: Arc<AtomicBool>,
}

impl Interruptions {
    /// From now on, the signals by which users leave a program are only noted, and so is Ctrl-Z.
    ///
    /// # Errors
    /// If the system does not allow it.
    pub fn watch() -> io::Result<Self> {
        let noted = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            flag::register_usize(signal, noted.last.clone(), usize::from(signal.unsigned_abs() as u8))?;
        }
        flag::register(SIGTSTP, noted.suspend.clone())?;
        // A terminal that has another size is drawn again.
        flag::register(SIGWINCH, Arc::default())?;
        Ok(noted)
    }

    /// The number of the signal that asks for the end, if there was one.
    #[must_use]
    pub fn end(&self) -> Option<u8> {
        u8::try_from(self.last.load(Ordering::SeqCst)).ok().filter(|number| *number > 0)
    }

    /// Whether Ctrl-Z was pressed since the last question.
    #[must_use]
    pub fn wants_pause(&self) -> bool {
        self.suspend.swap(false, Ordering::SeqCst)
    }

    /// Suspends this process until it is continued.
    pub fn pause() {
        // If it cannot be suspended, it simply goes on.
        let _ = signal_hook::low_level::emulate_default_handler(SIGTSTP);
    }
}
