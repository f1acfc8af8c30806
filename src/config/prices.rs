//! What git config says about the prices of models: `arborist.price.<model>.dollars`.

use super::{Config, Origin, unknown_key};
use crate::error::{Error, Kind, Result};
use crate::git::ConfigEntry;

impl Config {
    /// Takes a key without `arborist.` if it is the price of a model. Returns whether it is.
    pub(super) fn take_price(&mut self, key: &str, entry: &ConfigEntry) -> Result<bool> {
        let Some((model, field)) = key.strip_prefix("price.").and_then(|rest| rest.rsplit_once('.')) else {
            return Ok(false);
        };
        if field != "dollars" {
            return Err(unknown_key(&entry.key, &Origin::of_git(entry)));
        }
        let Some(price) = parse(&entry.value) else {
            let what = format!(
                "{} is `{}`, which is not a price ({})",
                entry.key,
                entry.value,
                Origin::of_git(entry)
            );
            let advice = "It must be the US dollars for a million tokens that are read, that are written, and that are read from a \
                          cache, for example `1.25 10 0.125`.";
            return Err(Error::new(Kind::Input, what, advice));
        };
        self.prices.insert(model.to_owned(), price);
        Ok(true)
    }

    /// The price of a model in US dollars for a million tokens that are read, written, and read from a cache.
    #[must_use]
    pub fn price_of(&self, model: &str) -> Option<[f64; 3]> {
        self.prices.get(model).copied()
    }
}

/// Three amounts, or two: then what comes from a cache costs as much as what does not.
fn parse(text: &str) -> Option<[f64; 3]> {
    let amount = |word: &str| word.parse().ok().filter(|dollars| (0.0..1e6).contains(dollars));
    let amounts: Vec<f64> = text.split_whitespace().map(amount).collect::<Option<_>>()?;
    match amounts[..] {
        [read, written] => Some([read, written, read]),
        [read, written, cached] => Some([read, written, cached]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_price_has_two_or_three_amounts() {
        assert_eq!(parse("1.25 10 0.125"), Some([1.25, 10.0, 0.125]));
        assert_eq!(parse(" 2  16 "), Some([2.0, 16.0, 2.0]));
        for wrong in ["", "1", "1 2 3 4", "$1 2", "-1 2", "1,2", "nan 1", "inf 1"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
