//! Settings that a command has unless the user has set them.

use crate::config::{Origin, Override, Setting};
use crate::error::Result;
use crate::session::{Call, Session};

/// What a command sets unless the user has set it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DefaultOf {
    pub(crate) setting: Setting,
    pub(crate) text: &'static str,
}

/// Opens the repository with these options, and with these defaults for what nobody has set.
///
/// # Errors
/// As for [`Session::open`].
pub(crate) fn open_with_defaults(
    call: &Call,
    mut overrides: Vec<Override>,
    defaults: &[DefaultOf],
) -> Result<Session> {
    if defaults.is_empty() {
        return Session::open(call, overrides);
    }
    let session = Session::open(call, overrides.clone())?;
    let is_open = |default: &&DefaultOf| {
        session.config.value(default.setting).is_none_or(|value| value.origin == Origin::Default)
    };
    let missing = defaults.iter().filter(is_open);
    overrides.extend(missing.map(|default| Override::new(default.setting, "autopilot", default.text)));
    Session::open(call, overrides)
}
