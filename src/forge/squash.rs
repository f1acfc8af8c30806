//! What a squash merge on a forge keeps of the trailers by which a run is known.

use super::api::Api;
use super::place::{ForgeKind, ForgePlace};
use super::program::ForgeProgram;
use crate::error::Result;

/// What becomes the message of a squash merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SquashMessage {
    /// Squash merges are not allowed there.
    Off,
    /// The text of the request, which ends in our trailers.
    RequestBody,
    /// The messages of all commits, of which git reads only the trailers of the last.
    AllMessages,
    /// Only a title, so that nothing is kept.
    TitleOnly,
    /// A template that keeps nothing.
    Template,
    /// It is not known.
    Unknown,
}

/// Asks the forge.
///
/// # Errors
/// If it cannot be asked.
pub(crate) fn squash_setting(
    program: &ForgeProgram,
    login: Option<&str>,
    place: &ForgePlace,
) -> Result<SquashMessage> {
    let answer = Api { program, place, login }.get(&place.endpoint(program.kind))?;
    Ok(match program.kind {
        ForgeKind::GitHub => {
            match (answer["allow_squash_merge"].as_bool(), answer["squash_merge_commit_message"].as_str()) {
                (Some(false), _) => SquashMessage::Off,
                (_, Some("PR_BODY")) => SquashMessage::RequestBody,
                (_, Some("COMMIT_MESSAGES")) => SquashMessage::AllMessages,
                (_, Some("BLANK")) => SquashMessage::TitleOnly,
                // Only those who may push are told.
                _ => SquashMessage::Unknown,
            }
        }
        ForgeKind::GitLab => {
            match (answer["squash_option"].as_str(), answer["squash_commit_template"].as_str()) {
                (Some("never"), _) => SquashMessage::Off,
                (_, Some(template)) if template.contains("%{description}") => SquashMessage::RequestBody,
                (_, Some(template)) if template.contains("%{all_commits}") => SquashMessage::AllMessages,
                (_, Some(template)) if !template.trim().is_empty() => SquashMessage::Template,
                (Some(_), _) => SquashMessage::TitleOnly,
                (None, _) => SquashMessage::Unknown,
            }
        }
        ForgeKind::Gitea => {
            match answer["allow_squash_merge"].as_bool() {
                Some(false) => SquashMessage::Off,
                // It offers the text of the request, below which it lists authors.
                Some(true) => SquashMessage::RequestBody,
                None => SquashMessage::Unknown,
            }
        }
    })
}
