//! Finds the template for the text of a request: that of the settings, otherwise that of the forge.

use std::path::{Component, Path};

use crate::config::Setting;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::session::Session;
use crate::text::one_line;

/// Where forges look for one.
const OF_FORGES: [&str; 13] = [
    ".github/PULL_REQUEST_TEMPLATE.md",
    ".github/pull_request_template.md",
    "PULL_REQUEST_TEMPLATE.md",
    "pull_request_template.md",
    "docs/PULL_REQUEST_TEMPLATE.md",
    "docs/pull_request_template.md",
    ".gitlab/merge_request_templates/Default.md",
    ".gitlab/merge_request_templates/default.md",
    ".gitea/PULL_REQUEST_TEMPLATE.md",
    ".gitea/pull_request_template.md",
    ".forgejo/PULL_REQUEST_TEMPLATE.md",
    ".forgejo/pull_request_template.md",
    ".github/PULL_REQUEST_TEMPLATE/pull_request_template.md",
];

/// How long one may be, in bytes, so that the report fits too.
const LONGEST: u64 = 5_000;

/// The template, if there is one.
pub(super) fn read(session: &Session) -> Result<Option<String>> {
    let top = &session.work_tree.top;
    if let Some(named) = session.config.optional(Setting::PrTemplate) {
        let path = Path::new(&named);
        let is_inside =
            path.components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !is_inside {
            return Err(refused(&named, "it is outside of the work tree"));
        }
        return read_file(&top.join(path), &named).map(Some);
    }
    match OF_FORGES.iter().find(|path| top.join(path).is_file()) {
        Some(path) => read_file(&top.join(path), path).map(Some),
        None => Ok(None),
    }
}

fn read_file(path: &Path, named: &str) -> Result<String> {
    let bytes = files::read(path, LONGEST).map_err(|error| refused(named, &error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| refused(named, "it is not UTF-8"))
}

fn refused(named: &str, why: &str) -> Error {
    Error::new(
        Kind::Input,
        format!("the template {} cannot be used: {why}", one_line(named)),
        "Nothing was done. Change the file, or name another one in arborist.pr.template.",
    )
}
