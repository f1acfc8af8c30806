//! Compares masking with a simple implementation, and with the output cut in all possible ways.

use proptest::prelude::*;

use super::*;
use crate::text::is_unprintable;

fn secrets(values: &[&str]) -> Secrets {
    masking(values.iter().map(|value| (*value).to_owned()).collect())
}

fn masking(values: Vec<String>) -> Secrets {
    let secret = |text| Secret { text, variable: String::new(), found: SecretMatch::Anywhere };
    Secrets { known: Matcher::new(values.into_iter().map(secret).collect()).map(Arc::new) }
}

/// The output for these `pieces` of input.
fn through(secrets: &Secrets, pieces: &[&[u8]]) -> Vec<u8> {
    let mut redaction = secrets.stream();
    let mut out = Vec::new();
    for piece in pieces {
        out.extend_from_slice(redaction.push(piece));
    }
    out.extend(redaction.finish());
    out
}

fn environment(pairs: &[(&str, &str)]) -> Secrets {
    let pairs: Vec<(OsString, OsString)> = pairs.iter().map(|(n, v)| (n.into(), v.into())).collect();
    Secrets::of(pairs.iter().map(|(name, value)| (name, value)))
}

#[test]
fn secrets_are_masked_everywhere_in_a_text() {
    let known = secrets(&["hunter2-hunter2", "abcdefgh", "efghijkl", "abcdefghij"]);
    let cases = [
        ("nothing here", "nothing here"),
        ("hunter2-hunter2", "***"),
        ("a hunter2-hunter2, and hunter2-hunter2!", "a ***, and ***!"),
        ("hunter2-hunter", "***"),
        ("hunter2-hunter3", "hunter2-hunter3"),
        ("hunter2-hunter2-hunter2", "***"),
        ("xabcdefghijklx", "x***x"),
        ("abcdefghefghijkl", "***"),
        ("abcdefgabcdefgh", "abcdefg***"),
        ("it ends in abc", "it ends in abc"),
        ("it ends in abcd", "it ends in ***"),
        ("größe abcdefgh größe", "größe *** größe"),
    ];
    for (text, expected) in cases {
        assert_eq!(known.redact(text), expected, "{text}");
    }
}

#[test]
fn without_secrets_everything_passes() {
    assert_eq!(secrets(&[]).redact("password"), "password");
    assert_eq!(through(&Secrets::default(), &[b"a\xff", b"b"]), "a\u{fffd}b".as_bytes());
}

#[test]
fn the_names_of_variables_decide_and_short_values_do_not_count() {
    let known = environment(&[
        ("GITHUB_TOKEN", "ghp_0123456789"),
        ("my_api_key", "sk-lower-case"),
        ("DB_PASSWORD", "correct horse battery"),
        ("CLIENT_SECRET_2", " padded-secret \n"),
        ("KEY_SHORT", "1234567"),
        ("EMPTY_KEY", ""),
        ("STARS_KEY", "**********"),
        ("HOME", "/home/somebody"),
        ("GREETING", "hello-hello"),
        ("GIT_CONFIG_KEY_0", "arborist.runner.mine.command"),
    ]);
    let text = "ghp_0123456789 sk-lower-case correct horse battery padded-secret 1234567 ********** /home/somebody \
                hello-hello arborist.runner.mine.command";
    assert_eq!(
        known.redact(text),
        "*** *** *** *** 1234567 ********** /home/somebody hello-hello arborist.runner.mine.command"
    );
}

#[test]
fn a_path_that_exists_is_no_secret_and_every_line_of_a_key_is_one() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("id_ed25519");
    std::fs::write(&file, "").unwrap();
    let file = file.to_str().unwrap();
    let known = environment(&[
        ("SSH_KEY_PATH", file),
        ("OTHER_KEY", "/no/such/file/here"),
        ("PRIVATE_KEY", "-----BEGIN KEY-----\r\nMIIEvQIBADANBg\nshort\n-----END KEY-----\n"),
    ]);
    assert_eq!(known.redact(file), file);
    assert_eq!(known.redact("/no/such/file/here"), "***");
    assert_eq!(known.redact("> MIIEvQIBADANBg\n> short"), "> ***\n> short");
}

#[test]
fn every_masked_secret_is_found_with_its_variable_except_for_lines_that_all_keys_share() {
    let known = environment(&[
        ("DB_PASSWORD", "correct horse battery"),
        ("DATABASE_URL", "postgres://app:correcthorse@h/db"),
        ("KEY_SHORT", "1234567"),
        ("PRIVATE_KEY", "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n"),
        ("GOOGLE_CREDENTIALS", "{\n  \"type\": \"service_account\",\n  \"key_id\": \"9f2c71ab04de\"\n}"),
    ]);
    let found = |text: &str| -> Vec<String> {
        known.find(text.as_bytes()).iter().map(|found| found.variable.to_owned()).collect()
    };
    assert_eq!(found("a: correct horse battery\n"), ["DB_PASSWORD"]);
    assert_eq!(found("correcthorse, correcthorses"), ["DATABASE_URL"]);
    assert_eq!(found("xMIIEvQIBADANBgx \"9f2c71ab04de\""), ["PRIVATE_KEY", "GOOGLE_CREDENTIALS"]);
    assert_eq!(found("1234567 -----BEGIN PRIVATE KEY-----\n \"type\": \"service_account\",\n"), [""; 0]);
    assert_eq!(Secrets::default().find(b"correct horse battery"), []);
    assert!(!format!("{:?}", known.find(b"correct horse battery")).contains("horse"));
}

#[test]
fn text_that_begins_no_secret_is_not_held_back() {
    let known = secrets(&["secret-secret-secret"]);
    let mut redaction = known.stream();
    assert_eq!(redaction.push(b"working on it"), b"working on it");
    assert_eq!(redaction.push(b" ... sec"), b" ... ");
    assert_eq!(redaction.push(b"ond"), b"second");
}

#[test]
fn secrets_never_show_in_debug_output() {
    assert_eq!(format!("{:?}", secrets(&["hunter2-hunter2"])), "Secrets { .. }");
}

/// Every byte that some secret covers, found in the simple way.
fn plainly(values: &[Vec<u8>], text: &[u8]) -> Vec<u8> {
    let mut covered = vec![false; text.len()];
    for value in values {
        for at in 0..text.len().saturating_sub(value.len() - 1) {
            if text[at..].starts_with(value) {
                covered[at..at + value.len()].fill(true);
            }
        }
    }
    let mut out = Vec::new();
    for (at, byte) in text.iter().enumerate() {
        match (covered[at], at > 0 && covered[at - 1]) {
            (false, _) => out.push(*byte),
            (true, false) => out.extend_from_slice(MASK.as_bytes()),
            (true, true) => {}
        }
    }
    out
}

/// Invisible parts of an output.
fn unseen() -> impl Strategy<Value = Vec<u8>> {
    let fixed = [
        "\x1b[m",
        "\x1b[01;31m\x1b[K",
        "\x1b]0;title\x07",
        "\x1b]8;;http://x\x1b\\",
        "\x1b(B",
        "\x1bM",
        "\x1bPdevice\x1b\\",
        "\u{9b}31m",
        "\u{9d}0;title\u{9c}",
        "\x08",
        "\0",
        "\x7f",
        "\u{85}",
    ];
    let sequences = ['\x1b', '\r', '\n', '\t', '\u{90}', '\u{98}', '\u{9b}', '\u{9d}', '\u{9e}', '\u{9f}'];
    let invisible: Vec<char> =
        ('\0'..=char::MAX).filter(|c| is_unprintable(*c) && !sequences.contains(c)).collect();
    let known = prop::sample::select(fixed.map(str::to_owned).to_vec());
    prop_oneof![known, prop::sample::select(invisible).prop_map(String::from)].prop_map(String::into_bytes)
}

/// Secrets of few letters, so that they overlap, and a text made of parts of them, cut anywhere.
fn outputs() -> impl Strategy<Value = (Vec<Vec<u8>>, Vec<Vec<u8>>)> {
    let letter = || prop::sample::select(b"ab\n".to_vec());
    let word = prop::collection::vec(prop::sample::select(b"ab".to_vec()), 8..14);
    prop::collection::vec(word, 1..5).prop_flat_map(move |values| {
        let whole = prop::sample::select(values.clone());
        let part = prop_oneof![
            whole.clone(),
            whole.prop_map(|value| value[..value.len() - 1].to_vec()),
            prop::collection::vec(letter(), 0..6),
        ];
        (Just(values), prop::collection::vec(part, 0..12))
    })
}

proptest! {
    #[test]
    fn no_secret_survives_however_the_output_is_cut(
        (values, pieces) in outputs(),
        cuts in prop::collection::vec(0_usize..100, 0..6),
    ) {
        let known = masking(values.iter().map(|value| String::from_utf8(value.clone()).unwrap()).collect());
        // A last byte that begins no secret makes sure that the end of the text plays no role here.
        let text = [pieces.concat(), b".".to_vec()].concat();
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        let clean = through(&known, &chunks);
        prop_assert_eq!(&clean, &plainly(&values, &text));
        for value in &values {
            prop_assert!(!clean.windows(value.len()).any(|window| window == value.as_slice()));
        }
        prop_assert_eq!(&through(&known, &[&clean]), &clean, "masking again changes nothing");
    }

    #[test]
    fn unseen_characters_between_the_letters_of_a_secret_hide_nothing(
        unseen in prop::collection::vec(prop::collection::vec(unseen(), 0..3), 15),
        cuts in prop::collection::vec(0_usize..400, 0..8),
    ) {
        let known = secrets(&["hunter2-hunter2"]);
        let mut text = b"<".to_vec();
        for (letter, unseen) in b"hunter2-hunter2".iter().zip(&unseen) {
            text.push(*letter);
            text.extend_from_slice(&unseen.concat());
        }
        text.push(b'>');
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(text.len())).collect();
        cuts.extend([0, text.len()]);
        cuts.sort_unstable();
        let chunks: Vec<&[u8]> = cuts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect();
        prop_assert_eq!(through(&known, &chunks), b"<***>".to_vec());
        prop_assert_eq!(known.redact(&String::from_utf8(text).unwrap()), "<***>");
    }

    #[test]
    fn an_output_that_breaks_off_within_a_secret_shows_little_of_it(length in 0_usize..20) {
        let known = secrets(&["0123456789abcdefghij"]);
        let clean = through(&known, &[&b"> 0123456789abcdefghij"[..2 + length]]);
        prop_assert!(clean.len() <= 5, "{:?}", clean);
    }
}
