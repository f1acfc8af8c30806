//! The table of tokens: the prefix of each, and what follows it.
//!
//! Lengths and alphabets come from the documentation of the services, or are common to public lists of rules such as
//! that of gitleaks. The table leaves out tokens that can be recognised only by the words around them, such as 32
//! hexadecimal digits, and tokens that are meant to be public.

/// The form of one kind of token.
pub(super) struct Rule {
    /// Its name, with an article.
    pub(super) kind: &'static str,
    /// Its prefixes.
    pub(super) prefixes: &'static [&'static str],
    /// What follows the prefix.
    pub(super) then: &'static [Piece],
    /// How varied the rest must be, in bits per character.
    pub(super) least_bits: f64,
    /// Another condition on the rest.
    pub(super) also: fn(&str) -> bool,
}

/// A part of a token.
#[derive(Clone, Copy)]
pub(super) enum Piece {
    /// This text.
    Text(&'static str),
    /// Characters of an alphabet, as many as there are.
    Run {
        /// The alphabet.
        of: Alphabet,
        /// The least number.
        from: usize,
        /// The greatest.
        to: usize,
    },
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
    /// Capital letters and the digits from 2 to 7.
    Base32,
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
            Self::Base32 => return byte.is_ascii_uppercase() || (b'2'..=b'7').contains(&byte),
            Self::Capital => return byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => return byte.is_ascii_hexdigit(),
        };
        byte.is_ascii_alphanumeric() || more.contains(&byte)
    }
}

use Alphabet::{Alphanumeric, Base32, Base64, Capital, Dashed, Dotted, Hex, Url};

const fn run(of: Alphabet, from: usize, to: usize) -> Piece {
    Piece::Run { of, from, to }
}

/// A rule for prefixes that only tokens have.
const fn rule(kind: &'static str, prefixes: &'static [&'static str], then: &'static [Piece]) -> Rule {
    Rule { kind, prefixes, then, least_bits: 3.0, also: |_| true }
}

/// All rules.
pub(super) const RULES: &[Rule] = &[
    rule("a GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], &[run(Alphanumeric, 36, 255)]),
    rule(
        "a GitHub token",
        &["github_pat_"],
        &[run(Alphanumeric, 22, 22), Piece::Text("_"), run(Alphanumeric, 59, 59)],
    ),
    rule("a GitLab token", &["glpat-", "gldt-", "glrt-", "glptt-", "glsoat-"], &[run(Dotted, 20, 320)]),
    Rule {
        also: |body| body.ends_with("AA"),
        ..rule("an Anthropic key", &["sk-ant-api03-", "sk-ant-admin01-"], &[run(Url, 95, 95)])
    },
    Rule { also: |body| body.contains("T3BlbkFJ"), ..rule("an OpenAI key", &["sk-"], &[run(Url, 40, 300)]) },
    rule("a Perplexity key", &["pplx-"], &[run(Alphanumeric, 48, 48)]),
    rule("a Hugging Face token", &["hf_"], &[run(Alphanumeric, 34, 34)]),
    Rule {
        least_bits: 2.7,
        also: |body| !body.ends_with("EXAMPLE"),
        ..rule("an AWS key id", &["AKIA", "ASIA", "ABIA", "ACCA"], &[run(Base32, 16, 16)])
    },
    rule("a Google key", &["AIza"], &[run(Url, 35, 35)]),
    rule("a Google client secret", &["GOCSPX-"], &[run(Url, 28, 28)]),
    rule("a Google access token", &["ya29."], &[run(Url, 60, 400)]),
    rule("a DigitalOcean token", &["dop_v1_", "doo_v1_", "dor_v1_"], &[run(Hex, 64, 64)]),
    Rule {
        also: |body| body.starts_with(|c: char| c.is_ascii_digit()),
        ..rule(
            "a Slack token",
            &["xoxb-", "xoxp-", "xoxe-", "xoxa-", "xoxr-", "xoxs-", "xoxo-", "xapp-"],
            &[run(Dashed, 24, 300)],
        )
    },
    rule(
        "a Slack webhook",
        &["hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"],
        &[run(Base64, 40, 80)],
    ),
    Rule {
        least_bits: 2.7,
        also: |body| body.contains(|c: char| c.is_ascii_digit()),
        ..rule(
            "a Stripe key",
            &["sk_test_", "sk_live_", "sk_prod_", "rk_test_", "rk_live_", "rk_prod_"],
            &[run(Alphanumeric, 10, 99)],
        )
    },
    Rule {
        also: |body| body.contains(|c: char| c.is_ascii_digit()),
        ..rule("a Stripe webhook secret", &["whsec_"], &[run(Base64, 32, 64)])
    },
    rule("a SendGrid key", &["SG."], &[run(Dotted, 66, 66)]),
    rule("a Shopify token", &["shpat_", "shpca_", "shppa_", "shpss_"], &[run(Hex, 32, 32)]),
    rule("a Square token", &["sq0atp-", "sq0csp-"], &[run(Url, 22, 60)]),
    rule("a Brevo key", &["xkeysib-"], &[run(Hex, 64, 64), Piece::Text("-"), run(Alphanumeric, 16, 16)]),
    rule("an npm token", &["npm_"], &[run(Alphanumeric, 36, 36)]),
    rule("a PyPI token", &["pypi-AgEIcHlwaS5vcmc"], &[run(Url, 50, 1000)]),
    rule("a RubyGems key", &["rubygems_"], &[run(Hex, 48, 48)]),
    rule("a Docker Hub token", &["dckr_pat_"], &[run(Url, 27, 27)]),
    rule("a Linear key", &["lin_api_"], &[run(Alphanumeric, 40, 40)]),
    rule("a Pulumi token", &["pul-"], &[run(Hex, 40, 40)]),
    rule("a Postman key", &["PMAK-"], &[run(Hex, 24, 24), Piece::Text("-"), run(Hex, 34, 34)]),
    rule("a Doppler token", &["dp.pt.", "dp.st.", "dp.sa."], &[run(Dotted, 40, 60)]),
    rule("a Vault token", &["hvs."], &[run(Url, 90, 120)]),
    rule("a Vault token", &["hvb."], &[run(Url, 138, 300)]),
    rule("an Atlassian token", &["ATATT3"], &[run(Dotted, 186, 186)]),
    rule("an age key", &["AGE-SECRET-KEY-1"], &[run(Capital, 58, 58)]),
];
