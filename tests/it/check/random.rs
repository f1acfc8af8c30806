//! Generates random message files from parts of good ones, bad ones and templates, and from random bytes.

use crate::support::dice::Dice;

/// An endless supply of message files.
pub(crate) struct Messages(Dice);

const SUBJECTS: &[&str] = &[
    "task(T1): implement \"x\"\n",
    "task(T1): tests fail for \"x\" (attempt 1/5)\n",
    "phase(p1): complete\n",
    "Task(T1): x\n",
    "  task (T1):x\n",
    " Phase(p1):complete\n",
    "task(): x\n",
    "fixup! task(T1): x\n",
    "Revert \"task(T1): x\"\n",
    "Merge branch 'x'\n",
    "An ordinary change\n",
    "\n",
];

const PIECES: &[&str] = &[
    "\n",
    "\n",
    "\n",
    " \n",
    "words and words\n",
    "Arborist-Step: implement\n",
    "Arborist-Step: test\n",
    "Arborist-Result: pass\n",
    "Arborist-Retry: 0\n",
    "Arborist-Test: Fail\n",
    "Arborist-Test-Log: spec/logs/T1.log\n",
    "arborist-review: approved\n",
    "Arborist_Retry: 1\n",
    "- Arborist-Result: pass\n",
    "  Arborist-Retry: 0\n",
    "**Arborist-Step:** review\n",
    "`Arborist-Report: a/b.json`\n",
    "Arborist-Report:\n",
    "Arborist-Report: a\n  b\n",
    "Arborist-Retry: 0\u{a0}\n",
    "\u{410}rborist-Step: implement\n",
    "Signed-off-by: A <a@b>\n",
    "Co-authored-by: B <a@b>\n",
    "(cherry picked from commit 0123)\n",
    "Note: well\n",
    "```\n",
    "# a comment\n",
    "--- FAIL\n",
    "# ------------------------ >8 ------------------------\n",
    "# ------------------------ >8 ------------------------\n# Do not\n# Everything\ndiff --git a b\n",
    "Conflicts:\n\tfile\n",
    "\tfolded\n",
    "task(T2): quoted\n",
    "no line end",
];

impl Messages {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1))
    }
}

impl Iterator for Messages {
    type Item = Vec<u8>;

    fn next(&mut self) -> Option<Vec<u8>> {
        let subject = self.0.below(SUBJECTS.len() * 2) % SUBJECTS.len();
        let mut file = SUBJECTS[if self.0.below(2) == 0 { 0 } else { subject }].as_bytes().to_vec();
        for _ in 0..self.0.below(14) {
            let piece = self.0.below(PIECES.len());
            file.extend_from_slice(PIECES[piece].as_bytes());
        }
        for _ in 0..self.0.below(12).saturating_sub(9) {
            let at = self.0.below(file.len());
            file[at] = u8::try_from(self.0.below(256)).unwrap();
        }
        Some(file)
    }
}
