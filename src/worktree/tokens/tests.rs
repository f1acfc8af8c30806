//! Tests the search for tokens. Tokens are put together here from pieces, so that none is in the source.

use super::*;

const ALPHANUMERIC: &str = "Zq7Rk2Vd9Xw4Nf8Tb3Hs6Lm1Pc5Jg0YyAuEiOoWt";
const HEX: &str = "9f3ac1e07b52d846";

/// A text of this length from these characters that is as varied as random text.
fn varied(characters: &str, length: usize) -> String {
    let characters: Vec<char> = characters.chars().collect();
    (0..length).map(|n| characters[(n * 7 + n / characters.len() * 3) % characters.len()]).collect()
}

fn alphanumeric(length: usize) -> String {
    varied(ALPHANUMERIC, length)
}

fn hex(length: usize) -> String {
    varied(HEX, length)
}

/// Every kind of token with an example of it.
fn examples() -> Vec<(&'static str, String)> {
    let a = alphanumeric;
    vec![
        ("a GitHub token", format!("ghp_{}", a(36))),
        ("a GitHub token", format!("gho_{}", a(36))),
        ("a GitHub token", format!("ghu_{}", a(36))),
        ("a GitHub token", format!("ghs_{}", a(36))),
        ("a GitHub token", format!("ghr_{}", a(36))),
        ("a GitHub token", format!("github_pat_{}_{}", a(22), a(59))),
        ("a GitLab token", format!("glpat-{}", a(20))),
        ("a GitLab token", format!("glpat-{}.01.{}", a(40), a(9))),
        ("an Anthropic key", format!("sk-ant-api03-{}AA", a(93))),
        ("an Anthropic key", format!("sk-ant-admin01-{}-{}AA", a(46), a(46))),
        ("an OpenAI key", format!("sk-{}T3BlbkFJ{}", a(20), a(20))),
        ("an OpenAI key", format!("sk-proj-{}T3BlbkFJ{}", a(74), a(74))),
        ("a Perplexity key", format!("pplx-{}", a(48))),
        ("a Hugging Face token", format!("hf_{}", a(34))),
        ("an AWS key id", format!("AKIA{}", varied("QZ7RK2VD4XWN6FTB", 16))),
        ("an AWS key id", format!("ASIA{}", varied("QZ7RK2VD4XWN6FTB", 16))),
        ("a Google key", format!("AIza{}", a(35))),
        ("a DigitalOcean token", format!("dop_v1_{}", hex(64))),
        ("a Slack token", format!("xoxb-{}-{}-{}", "2718281828459", "3141592653589", a(24))),
        ("a Slack token", format!("xoxp-{0}-{0}-{0}-{1}", "2718281828459", hex(32))),
        ("a Slack token", format!("xapp-1-{}-{}-{}", "A02QZ7RK2VD", "2718281828459", hex(64))),
        ("a Slack webhook", format!("hooks.slack.com/services/T0{}/B0{}/{}", a(9), a(9), a(24))),
        ("a Stripe key", format!("sk_live_{}", a(24))),
        ("a Stripe key", format!("rk_test_{}", a(99))),
        ("a SendGrid key", format!("SG.{}.{}", a(22), a(43))),
        ("a Shopify token", format!("shpat_{}", hex(32))),
        ("an npm token", format!("npm_{}", a(36))),
        ("a PyPI token", format!("pypi-AgEIcHlwaS5vcmc{}", a(60))),
        ("a RubyGems key", format!("rubygems_{}", hex(48))),
        ("a Docker Hub token", format!("dckr_pat_{}", a(27))),
        ("a Pulumi token", format!("pul-{}", hex(40))),
        ("a Google client secret", format!("GOCSPX-{}", a(28))),
        ("a Google access token", format!("ya29.{}", a(100))),
        ("a Stripe webhook secret", format!("whsec_{}", a(32))),
        ("a Vault token", format!("hvs.{}", a(95))),
        ("a Vault token", format!("hvb.{}", a(160))),
        ("an Atlassian token", format!("ATATT3{}", a(186))),
        ("an age key", format!("AGE-SECRET-KEY-1{}", varied("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58))),
    ]
}

fn kinds(text: &str) -> Vec<String> {
    tokens(text.as_bytes()).into_iter().map(|token| token.kind.into_owned()).collect()
}

/// A private key as OpenSSL writes it, which opens nothing.
fn pem(label: &str, fields: &str) -> String {
    let line = alphanumeric(64);
    format!("-----BEGIN {label}-----\n{fields}{line}\n{line}\n-----END {label}-----\n")
}

#[test]
fn every_kind_of_token_is_found_in_any_context() {
    for (kind, token) in examples() {
        for text in [
            token.clone(),
            format!("first line\nTOKEN={token}\n"),
            format!("{{\"token\": \"{token}\"}}"),
            format!("curl -H 'Authorization: Bearer {token}' https://example.com"),
            format!("(`{token}`), and so on"),
        ] {
            assert_eq!(kinds(&text), [kind], "{text}");
        }
        let text = format!("one\ntwo\nkey = {token}\n");
        assert_eq!(tokens(text.as_bytes())[0].line(text.as_bytes()), 3);
        assert!(!format!("{:?}", tokens(text.as_bytes())).contains(&token[token.len() - 12..]));
    }
    for between in [" ", "\n", "\nsk-learn ghp_x\n"] {
        let (all, tokens): (Vec<&str>, Vec<String>) = examples().into_iter().unzip();
        assert_eq!(kinds(&tokens.join(between)), all, "each is found beside the others");
    }
    let named: std::collections::HashSet<_> = examples().iter().map(|(kind, _)| *kind).collect();
    let all: std::collections::HashSet<_> = RULES.iter().map(|rule| rule.kind).collect();
    assert_eq!(named, all, "every rule has an example");
}

#[test]
fn short_texts_parts_of_words_and_examples_are_not_tokens() {
    for (_, token) in examples() {
        assert_eq!(kinds(&format!("x{token}")), [""; 0], "{token}");
        let head = &token[..token.len() / 2];
        let shorter = kinds(&format!("{head} "));
        // These have no certain length.
        assert!(
            shorter
                .iter()
                .all(|kind| ["a Stripe key", "a Slack token", "a GitLab token"].contains(&kind.as_str())),
            "{head}: {shorter:?}"
        );
    }
    let none = [
        format!("ghp_{}", "x".repeat(36)),
        format!("ghp_{}", "0".repeat(36)),
        format!("ghp_1234567890{}", "abcdefghijklmnopqrstuvwxyz"),
        format!("ghp_{}_{}", alphanumeric(18), alphanumeric(18)),
        format!("AKIA{}EXAMPLE", "IOSFODNN7"),
        format!("AKIA{}", "A".repeat(16)),
        format!("sk_live_{}", "yourStripeKey12"),
        format!("sk_test_{}", "handles_errors"),
        format!("sk_test_{}", "reconnectsAfterFailure"),
        format!("sk-ant-api03-{}AA", "x".repeat(93)),
        format!("sk-{}", "learn-style-kebab-case-name-that-is-very-long"),
        format!("https://hooks.slack.com/services/T{0}/B{0}/{1}", "0".repeat(8), "X".repeat(24)),
        "xoxb-your-token-goes-here-and-nowhere-else".to_owned(),
        format!("glpat-{}", alphanumeric(19)),
        format!("npm_{}", "config_registry_is_an_environment_variable"),
        format!("hf_{}", "hub_download"),
        format!("pul-{}", "request-template"),
    ];
    for text in none {
        assert_eq!(kinds(&text), [""; 0], "{text}");
    }
}

#[test]
fn private_keys_are_found_in_every_form_and_their_headers_alone_are_not() {
    let labels = [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "DSA PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ];
    for label in labels {
        let key = pem(label, "");
        let forms = [
            key.clone(),
            key.replace('\n', "\r\n"),
            format!("{{\"private_key\": \"{}\"}}", key.replace('\n', "\\n")),
            key.lines().map(|line| format!("    \"{line}\\n\"\n")).collect(),
            pem(label, "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0123\n\n"),
        ];
        for form in forms {
            assert_eq!(kinds(&form), ["a private key"], "{form}");
        }
    }
    let none = [
        pem("CERTIFICATE", ""),
        pem("PUBLIC KEY", ""),
        pem("PGP PUBLIC KEY BLOCK", ""),
        format!("if text.contains(\"-----BEGIN {}-----\") {{ return Kind::Key }}\n", "PRIVATE KEY"),
        format!("-----BEGIN {0}-----\nMIIEvQIBADANBg...\n-----END {0}-----\n", "RSA PRIVATE KEY"),
        format!("-----BEGIN {0}-----\n{1}\n-----END {0}-----\n", "RSA PRIVATE KEY", "x".repeat(64)),
        format!("-----BEGIN {0}-----\n-----END {0}-----\n{1}\n", "RSA PRIVATE KEY", alphanumeric(64)),
    ];
    for text in none {
        assert_eq!(kinds(&text), [""; 0], "{text}");
    }
}

#[test]
fn a_token_is_recognised_in_another_text() {
    let token = format!("ghp_{}", alphanumeric(36));
    let (new, old) = (format!("a\nb {token}"), format!("{token} was here"));
    let found = tokens(new.as_bytes());
    assert!(found[0].is_in(old.as_bytes()));
    assert!(!found[0].is_in(b"nothing"));
    let key = pem("PRIVATE KEY", "");
    assert!(tokens(format!("\n\n{key}").as_bytes())[0].is_in(key.as_bytes()));
}

#[test]
fn tokens_and_whole_keys_are_masked_and_everything_else_stays() {
    for (_, token) in examples() {
        assert_eq!(*without_tokens(format!("a {token} b\n{token}").as_bytes()), *b"a *** b\n***");
    }
    let key = pem("RSA PRIVATE KEY", "");
    assert_eq!(
        *without_tokens(format!("before\n{key}after\n{key}").as_bytes()),
        *b"before\n***\nafter\n***\n"
    );
    let cut = &key[..key.len() - 60];
    assert_eq!(*without_tokens(format!("before\n{cut}").as_bytes()), *b"before\n***");
    assert_eq!(*without_tokens(b"nothing here \xff"), *b"nothing here \xff");
}

#[test]
fn ordinary_source_code_contains_no_token() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("src"), root.join("tests"), root.join("docs")];
    let mut files = vec![root.join("Cargo.lock"), root.join("README.md"), root.join("CHANGELOG.md")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    assert!(files.len() > 300);
    for file in files {
        let content = std::fs::read(&file).unwrap();
        assert!(tokens(&content).is_empty(), "{}: {:?}", file.display(), tokens(&content));
    }
}

proptest::proptest! {
    #[test]
    fn no_content_makes_the_search_panic(
        pieces in proptest::collection::vec(
            proptest::prop_oneof![
                proptest::sample::select(RULES.iter().flat_map(|rule| rule.prefixes).map(|prefix| prefix.as_bytes().to_vec()).collect::<Vec<_>>()),
                proptest::sample::select(vec![b"-----BEGIN ".to_vec(), b"PRIVATE KEY-----".to_vec(), b"\xff\n".to_vec()]),
                proptest::collection::vec(proptest::prelude::any::<u8>(), 0..120),
            ],
            0..12,
        ),
    ) {
        let content = pieces.concat();
        for token in tokens(&content) {
            proptest::prop_assert!(token.line(&content) >= 1 && token.is_in(&content));
        }
    }
}
