//! Reads the format of lcov: records of one line each, those of a file between `SF:` and `end_of_record`.
//!
//! The records are those of geninfo(1), in the versions 1 and 2. Sums (`LF`, `BRH` ...) are left out: they say again
//! what the other records say, and several tools write wrong ones.

use std::collections::BTreeMap;

use super::budget::{LineBudget, ReadError};
use super::budget::{count, line};
use crate::suite::coverage::measured::Ratio;
use crate::suite::coverage::name::{FileName, tidy};
use crate::suite::coverage::report::FileCoverage;

/// All records, also those that say nothing new.
const RECORDS: &str =
    "TN SF VER FN FNDA FNF FNH FNL FNA BRDA BRF BRH DA LF LH MCDC MCF MCH BRL end_of_record";

pub(super) fn read(text: &str, budget: &mut LineBudget) -> Result<Vec<FileCoverage>, ReadError> {
    let mut files: BTreeMap<FileName, Section> = BTreeMap::new();
    let mut open: Option<FileName> = None;
    let mut known = false;
    for record in text.lines().map(str::trim) {
        let (key, value) = record.split_once(':').unwrap_or((record, ""));
        known = known || RECORDS.split(' ').any(|record| record == key);
        match key {
            // A file may have several sections, one for each test.
            "SF" => {
                open = tidy(value).map(FileName::Path);
                if let Some(name) = &open {
                    files.entry(name.clone()).or_insert_with(|| Section::new(name.clone()));
                }
            }
            "end_of_record" => open = None,
            _ => {
                if let Some(section) = open.as_ref().and_then(|name| files.get_mut(name)) {
                    section.read(key, value, budget)?;
                }
            }
        }
    }
    if !known && !text.is_empty() {
        return Err(ReadError::new("has no record of lcov's format, such as SF: or DA:"));
    }
    Ok(files.into_values().map(|section| section.file).collect())
}

/// The records of one file.
struct Section {
    file: FileCoverage,
    /// The lines of functions by their names (`FN`), until it is known how often they have run (`FNDA`).
    functions: BTreeMap<String, u32>,
    /// The same by numbers (`FNL`, then `FNA`).
    numbered: BTreeMap<String, u32>,
}

impl Section {
    fn new(name: FileName) -> Self {
        Self { file: FileCoverage::new(name), functions: BTreeMap::new(), numbered: BTreeMap::new() }
    }

    /// Reads one record; one that is not understood says nothing.
    fn read(&mut self, key: &str, value: &str, budget: &mut LineBudget) -> Result<(), ReadError> {
        if key == "DA" {
            budget.take(1)?;
        }
        let _understood: Option<()> = match key {
            "DA" => self.line(value),
            "BRDA" => self.branch(value),
            "FN" => self.function(value),
            "FNDA" => self.function_runs(value),
            "FNL" => self.numbered_function(value),
            "FNA" => self.alias(value),
            _ => None,
        };
        Ok(())
    }

    /// `LINE,RUNS[,CHECKSUM]`
    fn line(&mut self, value: &str) -> Option<()> {
        let mut fields = value.splitn(3, ',');
        self.file.lines.add(line(fields.next()?)?, count(fields.next()?)?);
        Some(())
    }

    /// `LINE,BLOCK,BRANCH,TAKEN`, where the branch may be a text with commas, and `-` means that it was not reached.
    fn branch(&mut self, value: &str) -> Option<()> {
        let (at, rest) = value.split_once(',')?;
        let (name, taken) = rest.rsplit_once(',')?;
        let taken = count(taken).is_some_and(|taken| taken > 0);
        self.file.branches.add(line(at)?, name, Ratio::one(taken));
        Some(())
    }

    /// `LINE,[LAST LINE,]NAME`
    fn function(&mut self, value: &str) -> Option<()> {
        let (at, rest) = value.split_once(',')?;
        let at = line(at)?;
        let name = match rest.split_once(',') {
            Some((last, name)) if line(last).is_some() => name,
            _ => rest,
        };
        self.functions.insert(name.to_owned(), at);
        self.file.functions.add(at, name, Ratio::one(false));
        Some(())
    }

    /// `RUNS,NAME`
    fn function_runs(&mut self, value: &str) -> Option<()> {
        let (runs, name) = value.split_once(',')?;
        let at = *self.functions.get(name)?;
        self.file.functions.add(at, name, Ratio::one(count(runs)? > 0));
        Some(())
    }

    /// `NUMBER,LINE[,LAST LINE]`
    fn numbered_function(&mut self, value: &str) -> Option<()> {
        let mut fields = value.splitn(3, ',');
        let number = fields.next()?;
        let at = line(fields.next()?)?;
        self.numbered.insert(number.to_owned(), at);
        self.file.functions.add(at, number, Ratio::one(false));
        Some(())
    }

    /// `NUMBER,RUNS,NAME`: one of the names of a function.
    fn alias(&mut self, value: &str) -> Option<()> {
        let mut fields = value.splitn(3, ',');
        let (number, runs) = (fields.next()?, count(fields.next()?)?);
        let at = *self.numbered.get(number)?;
        self.file.functions.add(at, number, Ratio::one(runs > 0));
        Some(())
    }
}
