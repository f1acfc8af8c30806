//! Asks the forge what a squash merge keeps of the trailers by which a run is known.

use crate::error::Result;
use crate::forge::{ChosenRemotes, ForgeKind, ForgePlace, SquashMessage, logged_in, squash_setting};
use crate::report::Diagnosis;
use crate::session::{Call, Forges, Session};
use crate::text::{advice, shell_word};

const FORGE: &str = "forge";
const SQUASH: &str = "squash merge";

/// What the forge says. A repository without one needs nothing.
pub(crate) fn diagnose(session: &Session, call: &Call) -> Result<Vec<Diagnosis>> {
    let forges = Forges::new(call, session);
    let branch = session.repository.branch().map(|head| head.branch_name().to_owned()).unwrap_or_default();
    let remotes = match ChosenRemotes::of(&session.git, &branch, None, forges.stated) {
        Ok(remotes) => remotes,
        Err(error) => return Ok(vec![Diagnosis::note(FORGE, error.what(), error.remedy())]),
    };
    let place = remotes.base.place.as_ref();
    let (program, place) = match (logged_in(place, &|kind| forges.program(kind))?, place) {
        (Ok(program), Some(place)) => (program, place),
        (Err(obstacle), _) => {
            return Ok(vec![Diagnosis::note(FORGE, &obstacle.words(), &obstacle.remedy())]);
        }
        (Ok(_), None) => return Ok(Vec::new()),
    };
    let words = format!("{} ({})", place.page(), program.name());
    let squash = match squash_setting(&program, place) {
        Ok(squash) => diagnosis(squash, program.kind, place),
        Err(error) => Diagnosis::note(SQUASH, error.what(), error.remedy()),
    };
    Ok(vec![Diagnosis::good(FORGE, &words), squash])
}

fn diagnosis(squash: SquashMessage, kind: ForgeKind, place: &ForgePlace) -> Diagnosis {
    let instead = "Or merge with a merge commit, or give the squash merge the text of the request by hand.";
    let remedy = match setting_command(kind, place) {
        Some(command) => format!(
            "`{command}` makes it the text of the request, which {} ends in trailers. {instead}",
            advice::pr()
        ),
        None => instead.to_owned(),
    };
    let note = |words: &str| Diagnosis::note(SQUASH, words, &remedy);
    match squash {
        SquashMessage::Off => Diagnosis::good(SQUASH, "not allowed there, so merges keep all trailers"),
        SquashMessage::RequestBody => Diagnosis::good(
            SQUASH,
            "its message is the text of the request, so it keeps which tasks are complete, also if the forge adds authors below it",
        ),
        SquashMessage::AllMessages => note(
            "its message has the messages of all commits, of which git reads only the trailers of the last, so nearly all tasks \
             would look as if nobody had worked on them",
        ),
        SquashMessage::TitleOnly => {
            note("its message is only a title, so all tasks would look as if nobody had worked on them")
        }
        SquashMessage::Template => note(
            "its message comes from a template without the text of the request, so all tasks would look as if nobody had worked on them",
        ),
        SquashMessage::Unknown => note("what its message will be is told only to those who may push"),
    }
}

/// The command that changes the setting.
fn setting_command(kind: ForgeKind, place: &ForgePlace) -> Option<String> {
    let host = shell_word(&place.host);
    match kind {
        ForgeKind::GitHub => Some(format!(
            "gh api --hostname {host} --method PATCH {} -f squash_merge_commit_title=PR_TITLE -f squash_merge_commit_message=PR_BODY",
            shell_word(&format!("repos/{}/{}", place.owner, place.name))
        )),
        ForgeKind::GitLab => Some(format!(
            "glab api --hostname {host} --method PUT {} -f {}",
            shell_word(&format!(
                "projects/{}",
                format!("{}/{}", place.owner, place.name).replace('/', "%2F")
            )),
            "squash_commit_template=$'%{title}\\n\\n%{description}'"
        )),
        ForgeKind::Gitea => None,
    }
}
