//! Reads the format of lcov: records of one line each, those of a file between `SF:` and `end_of_record`.
//!
//! The records are those of geninfo(1), in the versions 1 and 2. Sums (`LF`, `BRH` ...) are left out: they say again
//! what the other records say, and several tools write wrong ones.

use std::collections::BTreeMap;

use super::report::{CoverageReport, FileCoverage, Ratio, has_run, line_number, tidy};

/// All records, also those that say nothing new.
const RECORDS: &str =
    "TN SF VER FN FNDA FNF FNH FNL FNA BRDA BRF BRH DA LF LH MCDC MCF MCH BRL end_of_record";

pub(super) fn read(text: &str) -> Result<CoverageReport, String> {
    let mut sections: BTreeMap<String, Section> = BTreeMap::new();
    let mut open: Option<String> = None;
    let mut is_known = text.is_empty();
    for record in text.lines().map(str::trim) {
        let (key, value) = record.split_once(':').unwrap_or((record, ""));
        is_known = is_known || RECORDS.split(' ').any(|record| record == key);
        match (key, &open) {
            // A file may have several sections, one for each test.
            ("SF", _) => {
                open = tidy(value);
                if let Some(name) = &open {
                    sections.entry(name.clone()).or_default();
                }
            }
            ("end_of_record", _) => open = None,
            (key, Some(name)) => {
                // A record that is not understood says nothing.
                let _understood = sections.get_mut(name).and_then(|section| section.read(key, value));
            }
            _ => {}
        }
    }
    if !is_known {
        return Err("has no record of lcov's format, such as SF: or DA:".to_owned());
    }
    let files = sections.into_iter().map(|(name, section)| (name, section.file)).collect();
    Ok(CoverageReport { sources: Vec::new(), files })
}

/// The records of one file.
#[derive(Default)]
struct Section {
    file: FileCoverage,
    /// The lines of functions by their names (`FN`) and by their numbers (`FNL`), until it is known whether they have run.
    functions: BTreeMap<(bool, String), u32>,
}

impl Section {
    fn read(&mut self, key: &str, value: &str) -> Option<()> {
        let (first, rest) = value.split_once(',')?;
        match key {
            // LINE,RUNS[,CHECKSUM]
            "DA" => self.file.add_line(line_number(first)?, has_run(rest.split(',').next()?)?),
            // LINE,BLOCK,BRANCH,TAKEN, where the branch may be a text with commas, and `-` means that it was not reached.
            "BRDA" => {
                let (name, taken) = rest.rsplit_once(',')?;
                let is_taken = has_run(taken).unwrap_or_default();
                self.file.branches.add(line_number(first)?, name, Ratio::one(is_taken));
            }
            // LINE,[LAST LINE,]NAME
            "FN" => {
                let name = match rest.split_once(',') {
                    Some((last, name)) if line_number(last).is_some() => name,
                    _ => rest,
                };
                self.function(false, name, line_number(first)?);
            }
            // NUMBER,LINE[,LAST LINE]
            "FNL" => self.function(true, first, line_number(rest.split(',').next()?)?),
            // RUNS,NAME
            "FNDA" => self.function_ran(false, rest, first)?,
            // NUMBER,RUNS,NAME: one of the names of a function
            "FNA" => self.function_ran(true, first, rest.split(',').next()?)?,
            _ => {}
        }
        Some(())
    }

    fn function(&mut self, is_number: bool, name: &str, line: u32) {
        self.functions.insert((is_number, name.to_owned()), line);
        self.file.functions.add(line, name, Ratio::one(false));
    }

    fn function_ran(&mut self, is_number: bool, name: &str, runs: &str) -> Option<()> {
        let line = *self.functions.get(&(is_number, name.to_owned()))?;
        self.file.functions.add(line, name, Ratio::one(has_run(runs)?));
        Some(())
    }
}
