//! Tests of whole runs in which something goes wrong at the worst moment: interrupted, refused by hooks, on branches of phases,
//! among ignored and secret files.

mod branches;
mod branches_and_git;
mod changed_plans;
mod hostile;
mod ignored;
mod interrupted;
mod paid_calls;
mod pending;
mod recorded;
mod refusals;
mod secret_files;
mod unfinished;
