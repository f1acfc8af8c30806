//! Decodes a source file of a plan, and refuses a file that cannot be one.

use super::super::problem::Problem;
use super::super::source::Source;

/// A file from which a plan is read.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Its path for messages and for `source_file`: from the top of the work tree if the file is inside.
    pub path: String,
    /// Its text: without a byte order mark, and with a line feed at the end of every line.
    pub text: String,
}

/// The largest source, in bytes.
pub const MAX_SOURCE: u64 = 16 << 20;

impl SourceFile {
    /// Decodes the content of a file.
    ///
    /// # Errors
    /// If it is empty, or not UTF-8, or not text at all.
    pub fn decode(path: String, bytes: &[u8]) -> Result<Self, Problem> {
        let source = Source::decode(bytes, "Write the tasks into it, or name another file.")?;
        let text = source.text;
        if let Some(at) = text.find('\0') {
            let what = "there is a NUL character here, so the file is not text";
            return Err(Problem::new(Some(source.line(at)), what, "Name a file with a plan."));
        }
        let text = if text.contains('\r') {
            text.replace("\r\n", "\n").replace('\r', "\n")
        } else {
            text.to_owned()
        };
        Ok(Self { path, text })
    }

    /// The name of the file in lower case.
    pub(super) fn name(&self) -> String {
        self.path.rsplit('/').next().unwrap_or_default().to_lowercase()
    }
}

/// The number of a line, or of lines, as places have it.
pub(super) fn line_number(count: usize) -> u32 {
    u32::try_from(count).expect("a source is smaller than 4 GiB")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_and_byte_order_marks_of_other_systems_are_removed() {
        let file = SourceFile::decode("a/b.md".into(), b"\xEF\xBB\xBF# A\r\n- x\rB\n").unwrap();
        assert_eq!(file.text, "# A\n- x\nB\n");
    }

    #[test]
    fn an_empty_file_and_another_encoding_are_refused() {
        for (bytes, what) in [(&b" \n"[..], "empty"), (b"\xFF\xFE-\0", "UTF-16"), (b"- \xE4", "UTF-8")] {
            let problem = SourceFile::decode("a.md".into(), bytes).unwrap_err();
            assert!(problem.what.contains(what), "{problem}");
        }
    }
}
