//! Tests prompts and outputs.

use super::*;
use git_arborist::process::{Captured, ExitReason, Limits, LiveLine, Secrets};
use std::thread;

#[test]
fn standard_input_is_the_prompt_and_then_ends() {
    let place = Place::new();
    let ended = place.sh("cat; echo end").prompt("do it\n").run();
    assert_eq!(ended.stdout.to_bytes_with_note(), b"do it\nend\n");
    let ended = place.sh("cat; echo end").run();
    assert_eq!(ended.stdout.to_bytes_with_note(), b"end\n");
}

#[test]
fn a_prompt_of_megabytes_goes_through_while_output_comes() {
    let place = Place::new();
    let prompt: Vec<u8> = (0..5_000_000_u32).map(|at| (at % 251) as u8).collect();
    let limits = Limits { head: 1 << 20, tail: 8 << 20, ..Limits::default() };
    let ended = place.sh("cat").prompt(prompt.clone()).limits(limits).run();
    assert!(ended.stdout.to_bytes_with_note() == prompt, "the prompt came back changed");
}

#[test]
fn an_unread_prompt_is_not_an_error() {
    let place = Place::new();
    for script in ["exit 6", "exec <&-; sleep 0.1; exit 6", "sleep 0.2; exit 6"] {
        let ended = place.sh(script).prompt(vec![b'x'; 5_000_000]).run();
        assert!(matches!(ended.exit_reason, ExitReason::Exited(6)), "{script}: {:?}", ended.exit_reason);
        assert_eq!((ended.stderr.total(), ended.leaked.len()), (0, 0));
    }
}

#[test]
fn both_outputs_are_kept_byte_for_byte_and_separate() {
    let place = Place::new();
    let ended = place.sh(r"printf 'a\000\377b'; printf '\033[1m' >&2").run();
    assert_eq!(ended.stdout.to_bytes_with_note(), b"a\0\xffb");
    assert_eq!(ended.stderr.to_bytes_with_note(), b"\x1b[1m");
}

#[test]
fn a_line_of_a_gigabyte_is_cut() {
    let place = Place::new();
    let ended = place.sh("head -c 1000000000 /dev/zero").run();
    assert!(matches!(ended.exit_reason, ExitReason::Exited(0)), "{:?}", ended.exit_reason);
    let limits = Limits::default();
    assert_eq!(ended.stdout.total(), 1_000_000_000);
    assert_eq!((ended.stdout.head().len(), ended.stdout.tail().len()), (limits.head, limits.tail));
}

#[test]
fn a_program_that_closes_its_outputs_is_waited_for() {
    let place = Place::new();
    let ended = place.sh("exec >&- 2>&-; sleep 0.4; exit 7").run();
    assert!(matches!(ended.exit_reason, ExitReason::Exited(7)), "{:?}", ended.exit_reason);
    assert!(ended.duration >= ms(400), "{:?}", ended.duration);
}

#[test]
fn the_last_line_can_be_seen_while_the_program_runs() {
    let place = Place::new();
    let live = LiveLine::new();
    let job = place.sh("printf 'one\\ntwo'; echo > ready; sleep 0.4; echo; echo three").live(&live);
    let running = thread::spawn(|| job.run());
    place.wait_for("ready");
    thread::sleep(ms(100));
    assert_eq!(live.get(), "two");
    running.join().unwrap();
    assert_eq!(live.get(), "three");
}

#[test]
fn no_part_of_a_secret_reaches_what_is_kept_or_shown() {
    let mut place = Place::new();
    let secret = "s3cr3t-0123456789";
    place.launch.secrets = Some(Secrets::of([(&"API_KEY".into(), &secret.into())]));
    // Written in two pieces, across the borders of head and tail, and broken off at the end.
    let script = format!(
        "printf 'begin s3cr3t-01'; sleep 0.1; printf '23456789 end\\n'
         printf '%3000s{secret}%3000s{secret}\\n' x x; echo {secret} >&2; printf 's3cr3t-0123' >&2"
    );
    for border in [9, 14, 25, 3020] {
        let limits = Limits { head: border, tail: border, ..Limits::default() };
        let live = LiveLine::new();
        let ended = place.sh(&script).limits(limits).live(&live).run();
        let kept = [&ended.stdout, &ended.stderr].map(Captured::to_bytes_with_note).concat();
        for seen in [kept, live.get().into_bytes()] {
            let seen = String::from_utf8(seen).unwrap();
            assert!(!seen.contains("s3c") && !seen.contains("789"), "{border}: {seen}");
        }
        assert!(ended.stdout.head().starts_with(b"begin ***"), "{:?}", ended.stdout);
    }
}
