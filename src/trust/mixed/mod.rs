//! Puts files together that are source and decide how tests run, such as `package.json`: the keys that judge come from one
//! version, and everything else from another.

mod json;
mod sections;
mod tables;
#[cfg(test)]
mod tests;

/// What the old run does with a mixed file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OldMixed {
    /// It uses this: the file as the task left it, with what judges as it was before the task.
    File(Vec<u8>),
    /// It uses the file as it was before the task. If that cannot load, it uses the file as the task left it, and a pass is
    /// the warning `mixed-file`.
    BaseThenHead,
    /// Nothing that judges differs, so the file stays as the task left it.
    Same,
}

/// The file at `path` for the old run. A version is `None` if there was no file.
#[must_use]
pub fn old_mixed(path: &str, base: Option<&[u8]>, head: Option<&[u8]>) -> OldMixed {
    if base == head {
        return OldMixed::Same;
    }
    let (Some(format), Some(head)) = (MixedFormat::of(path), head) else { return OldMixed::BaseThenHead };
    match format.combined(base, head) {
        Some(bytes) if bytes == head => OldMixed::Same,
        Some(bytes) => OldMixed::File(bytes),
        None => OldMixed::BaseThenHead,
    }
}

/// The file at `path` for the red run: as it was before the task, with what judges as the task left it. None if the file
/// stays as the task left it, because the two cannot be told apart.
#[must_use]
pub fn red_mixed(path: &str, base: Option<&[u8]>, head: Option<&[u8]>) -> Option<Vec<u8>> {
    let (base, head) = (base?, head?);
    MixedFormat::of(path)?.combined(Some(head), base)
}

/// The formats whose keys are known.
enum MixedFormat {
    /// JSON, with the keys at the top that judge.
    Json(&'static [&'static str]),
    Pyproject,
    Cargo,
    SetupCfg,
}

impl MixedFormat {
    fn of(path: &str) -> Option<Self> {
        Some(match path.rsplit('/').next().unwrap_or(path) {
            "package.json" => Self::Json(json::PACKAGE),
            "composer.json" => Self::Json(&["scripts"]),
            "deno.json" => Self::Json(&["tasks", "test"]),
            "turbo.json" => Self::Json(&["tasks", "pipeline"]),
            "pyproject.toml" => Self::Pyproject,
            "Cargo.toml" => Self::Cargo,
            "setup.cfg" => Self::SetupCfg,
            _ => return None,
        })
    }

    /// The file with the source keys of one version and the judging keys of another: `source` itself, to the byte, if both
    /// have the same judging keys. None if one of them cannot be read.
    fn combined(&self, judging: Option<&[u8]>, source: &[u8]) -> Option<Vec<u8>> {
        let text = |bytes| std::str::from_utf8(bytes).ok();
        let source = text(source)?;
        let judging = judging.map(|judging| text(judging).ok_or(())).transpose().ok()?;
        match self {
            Self::Json(keys) => json::combined(keys, judging, source),
            Self::Pyproject => tables::combined(tables::judging_of_pyproject, judging, source),
            Self::Cargo => tables::combined(tables::judging_of_cargo, judging, source),
            Self::SetupCfg => sections::combined(judging, source),
        }
    }
}
