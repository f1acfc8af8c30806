//! Masks the secrets in what is printed. A text that is cut is masked before, because half of a secret would not be found any more.

use std::borrow::Cow;
use std::sync::OnceLock;

type Mask = Box<dyn Fn(&str) -> String + Send + Sync>;

/// What masks the secrets in everything that is printed.
static MASK: OnceLock<Mask> = OnceLock::new();

/// Everything that is printed from now on is masked by this first. The first call decides.
pub fn mask_with(mask: impl Fn(&str) -> String + Send + Sync + 'static) {
    let _ = MASK.set(Box::new(mask));
}

/// The text as it may be seen.
#[must_use]
pub fn masked(text: &str) -> Cow<'_, str> {
    MASK.get().map_or(Cow::Borrowed(text), |mask| mask(text).into())
}
