//! The table of tokens: the prefix of each, and what follows it.
//!
//! Lengths and alphabets come from the documentation of the services, or are common to public lists of rules such as
//! that of gitleaks. The table leaves out tokens that can be recognised only by the words around them, such as 32
//! hexadecimal digits, and tokens that are meant to be public.

use std::ops::RangeInclusive;

/// The form of one kind of token.
pub(super) struct TokenForm {
    /// Its name, with an article.
    pub(super) kind: &'static str,
    /// Its prefixes.
    pub(super) prefixes: &'static [&'static str],
    /// What follows the prefix: as many characters of this alphabet as there are.
    pub(super) alphabet: Alphabet,
    /// How many characters these must be.
    pub(super) length: RangeInclusive<usize>,
    /// How varied they must be, in bits per character.
    pub(super) least_bits: f64,
    /// Another condition on them.
    pub(super) also: fn(&str) -> bool,
}

/// Characters that a token is made of.
#[derive(Clone, Copy)]
pub(super) enum Alphabet {
    /// Letters and digits.
    Alphanumeric,
    /// Letters, digits, `-` and `_`.
    Url,
    /// Letters, digits, `-`, `_`, `.` and `=`.
    Dotted,
    /// Letters, digits and `-`.
    Dashed,
    /// Letters, digits, `+` and `/`.
    Base64,
    /// Capital letters and digits.
    Capital,
    /// Hexadecimal digits.
    Hex,
}

impl Alphabet {
    /// Whether a character belongs to it.
    pub(super) fn holds(self, byte: u8) -> bool {
        let more: &[u8] = match self {
            Self::Alphanumeric => b"",
            Self::Url => b"-_",
            Self::Dotted => b"-_.=",
            Self::Dashed => b"-",
            Self::Base64 => b"+/",
            Self::Capital => return byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => return byte.is_ascii_hexdigit(),
        };
        byte.is_ascii_alphanumeric() || more.contains(&byte)
    }
}

use Alphabet::{Alphanumeric, Base64, Capital, Dashed, Dotted, Hex, Url};

/// A rule for prefixes that only tokens have.
const fn rule(
    kind: &'static str,
    prefixes: &'static [&'static str],
    alphabet: Alphabet,
    length: RangeInclusive<usize>,
) -> TokenForm {
    TokenForm { kind, prefixes, alphabet, length, least_bits: 3.0, also: |_| true }
}

fn has_digit(body: &str) -> bool {
    body.contains(|c: char| c.is_ascii_digit())
}

/// All rules.
pub(super) const RULES: &[TokenForm] = &[
    rule("a GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], Alphanumeric, 36..=255),
    rule("a GitHub token", &["github_pat_"], Url, 82..=82),
    rule("a GitLab token", &["glpat-", "gldt-", "glrt-", "glptt-", "glsoat-"], Dotted, 20..=320),
    rule("an Anthropic key", &["sk-ant-api03-", "sk-ant-admin01-"], Url, 95..=95),
    TokenForm { also: |body| body.contains("T3BlbkFJ"), ..rule("an OpenAI key", &["sk-"], Url, 40..=300) },
    rule("a Perplexity key", &["pplx-"], Alphanumeric, 48..=48),
    rule("a Hugging Face token", &["hf_"], Alphanumeric, 34..=34),
    TokenForm {
        least_bits: 2.7,
        also: |body| !body.ends_with("EXAMPLE"),
        ..rule("an AWS key id", &["AKIA", "ASIA", "ABIA", "ACCA"], Capital, 16..=16)
    },
    rule("a Google key", &["AIza"], Url, 35..=35),
    rule("a Google client secret", &["GOCSPX-"], Url, 28..=28),
    rule("a Google access token", &["ya29."], Url, 60..=400),
    rule("a DigitalOcean token", &["dop_v1_", "doo_v1_", "dor_v1_"], Hex, 64..=64),
    TokenForm {
        also: |body| body.starts_with(|c: char| c.is_ascii_digit()),
        ..rule(
            "a Slack token",
            &["xoxb-", "xoxp-", "xoxe-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xapp-"],
            Dashed,
            24..=300,
        )
    },
    rule(
        "a Slack webhook",
        &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"],
        Base64,
        40..=80,
    ),
    TokenForm {
        least_bits: 2.7,
        also: has_digit,
        ..rule(
            "a Stripe key",
            &["sk_test_", "sk_live_", "sk_prod_", "rk_test_", "rk_live_", "rk_prod_"],
            Alphanumeric,
            10..=99,
        )
    },
    TokenForm { also: has_digit, ..rule("a Stripe webhook secret", &["whsec_"], Base64, 32..=64) },
    rule("a SendGrid key", &["SG."], Dotted, 66..=66),
    rule("a Shopify token", &["shpat_", "shpca_", "shppa_", "shpss_"], Hex, 32..=32),
    rule("an npm token", &["npm_"], Alphanumeric, 36..=36),
    rule("a PyPI token", &["pypi-AgEIcHlwaS5vcmc"], Url, 50..=1000),
    rule("a RubyGems key", &["rubygems_"], Hex, 48..=48),
    rule("a Docker Hub token", &["dckr_pat_"], Url, 27..=27),
    rule("a Pulumi token", &["pul-"], Hex, 40..=40),
    rule("a Vault token", &["hvs."], Url, 90..=120),
    rule("a Vault token", &["hvb."], Url, 138..=300),
    rule("an Atlassian token", &["ATATT3"], Dotted, 186..=186),
    rule("an age key", &["AGE-SECRET-KEY-1"], Capital, 58..=58),
];
