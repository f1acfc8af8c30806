//! Prepares slots beside everything else, one after the other: package managers that install at the same time would race
//! for their caches.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use super::work::Setup;
use crate::error::{Error, Result};

/// A thread that prepares slots.
#[derive(Debug)]
pub(super) struct Setups {
    queue: Option<Sender<Queued>>,
    /// Whether no further one begins, because one has failed or the run ends.
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// A slot that waits for its turn.
struct Queued {
    setup: Setup,
    done: Box<dyn FnOnce(Result<()>) + Send>,
}

impl Setups {
    /// # Errors
    /// If no thread can be made.
    pub(super) fn new() -> Result<Self> {
        let (queue, waiting) = channel::<Queued>();
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let thread = std::thread::Builder::new().spawn(move || {
            for Queued { setup, done } in waiting {
                let prepared = if ends.load(Ordering::Relaxed) {
                    Err(Error::stopped(None, ""))
                } else {
                    setup.live.show("");
                    setup.preparation.run(&setup.live)
                };
                ends.fetch_or(prepared.is_err(), Ordering::Relaxed);
                done(prepared);
            }
        });
        let thread = thread.map_err(|error| Error::short_of("a thread", &error))?;
        Ok(Self { queue: Some(queue), is_over, thread: Some(thread) })
    }

    /// Prepares a slot when its turn has come. `done` hears from another thread how that ended.
    pub(super) fn add(&self, setup: Setup, done: impl FnOnce(Result<()>) + Send + 'static) {
        let queue = self.queue.as_ref().expect("the queue is open until this is dropped");
        setup.live.show("waits until another slot is prepared");
        // The thread takes everything until the queue is closed.
        let _ = queue.send(Queued { setup, done: Box::new(done) });
    }

    /// Lets no further one begin.
    pub(super) fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

impl Drop for Setups {
    /// Waits until the one that runs has ended.
    fn drop(&mut self) {
        self.end();
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}
