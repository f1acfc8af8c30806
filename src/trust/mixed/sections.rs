//! `setup.cfg`.

use std::collections::BTreeSet;

/// The file `source` with the judging sections of `judging`, which come last.
pub(super) fn combined(judging: Option<&str>, source: &str) -> Option<Vec<u8>> {
    let (judging, all) = (sections(judging.unwrap_or_default())?, sections(source)?);
    let judges = |section: &&Section<'_>| section.judges();
    let (old, new): (Vec<_>, Vec<_>) =
        (judging.iter().filter(judges).collect(), all.iter().filter(judges).collect());
    if old == new {
        return Some(source.as_bytes().to_vec());
    }
    let kept = all.iter().filter(|section| !section.judges()).chain(old);
    let mut text = String::new();
    for section in kept {
        text.push_str(&format!("[{}]\n", section.name));
        section.lines.iter().for_each(|line| text.extend([line, "\n"]));
    }
    Some(text.into_bytes())
}

#[derive(Debug, PartialEq, Eq)]
struct Section<'t> {
    name: &'t str,
    /// Without blank lines and comments.
    lines: Vec<&'t str>,
}

impl Section<'_> {
    fn judges(&self) -> bool {
        ["tool:pytest", "pytest", "coverage:", "tox", "testenv", "nosetests", "aliases", "unittest"]
            .iter()
            .any(|start| self.name.starts_with(start))
    }
}

/// The sections of a file; none if Python could not read it.
fn sections(text: &str) -> Option<Vec<Section<'_>>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut names = BTreeSet::new();
    for line in text.lines() {
        let line = line.trim_end();
        if line.is_empty() || line.trim_start().starts_with(['#', ';']) {
            continue;
        }
        if let Some(name) = line.strip_prefix('[') {
            let name = name.split(']').next().filter(|_| name.contains(']'))?;
            names.insert(name).then_some(())?;
            sections.push(Section { name, lines: Vec::new() });
        } else {
            sections.last_mut()?.lines.push(line);
        }
    }
    Some(sections)
}
