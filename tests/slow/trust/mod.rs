//! Tests of proofs: what a finished run has proven, and what of that is still proven where its work has been landed.

mod awaited;
mod landed;
mod prove;
mod scenarios;
mod shell_library;
