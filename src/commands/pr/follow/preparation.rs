//! What comes before a round: where it is read what is on the request, what is refused before anybody works, and what the base has by
//! now.

use super::Follow;
use super::source::Source;
use crate::engine::check_clean;
use crate::error::{Error, Kind, Result};
use crate::forge::{ChosenRemotes, Publication, WantedRequest, needs_push};
use crate::git::{BranchesToFetch, Fetching};
use crate::record::CommitId;
use crate::report;
use crate::run::{DefaultBranch, run_of_landed};
use crate::session::plan_state::PlanState;
use crate::session::take_lock::lock;
use crate::session::{Forges, Session};
use crate::text::{one_line, shell_word};

impl Follow<'_> {
    /// Refuses what could only be refused at the end, before anybody is asked for anything. Returns what the branch has in the remote
    /// repository if it is the one that is checked out, and has everything there.
    pub(super) fn refuse_early(&self, session: &Session) -> Result<Option<CommitId>> {
        let Session { git, work_tree, repository, .. } = session;
        check_clean(git, work_tree)?;
        drop(lock(session, "pr")?);
        let head = repository.branch()?;
        if let Some(run) = run_of_landed(head.branch_name())
            && repository.tip_of(run)?.is_some()
        {
            return Err(Error::new(
                Kind::Input,
                format!(
                    "{} has what is landed of {}, where the tasks are done",
                    one_line(head.branch_name()),
                    one_line(run)
                ),
                format!(
                    "Nothing was done. `git switch {}` goes there; then run the same command again.",
                    shell_word(run)
                ),
            ));
        }
        if head.branch_name() == self.branch {
            // Nobody can add commits here but by hand.
            let forges = Forges::new(self.call, session);
            let remotes = ChosenRemotes::of(git, self.branch, self.remote, forges.stated)?;
            let git = git.clone().with_limit(forges.limit);
            let needs_push = needs_push(&git, &remotes.push, self.branch, head.commit)?;
            return Ok((!needs_push).then_some(head.commit));
        }
        match git.work_tree_of_branch(self.branch)? {
            None => Ok(None),
            Some(folder) => Err(Error::new(
                Kind::Repository,
                format!(
                    "the branch {} is checked out in {}, so it cannot be moved",
                    one_line(self.branch),
                    folder.display()
                ),
                "Nothing was done. Switch that work tree to another branch, then run the same command again.",
            )),
        }
    }

    /// Fetches the branch with this name, or the default branch: without what the base has by now, no conflict is seen.
    pub(super) fn fetch_base(&self, session: &Session, named: Option<&str>) -> Result<()> {
        let Session { git, work_tree, repository, .. } = session;
        let default = DefaultBranch::find(git, work_tree, repository)?.map(|default| default.name);
        let Some(base) = named.map(str::to_owned).or(default) else { return Ok(()) };
        let forges = Forges::new(self.call, session);
        let remotes = ChosenRemotes::of(git, self.branch, self.remote, forges.stated)?;
        let remote = &remotes.base.name;
        let wanted = BranchesToFetch { branch: Some(&base), below: &[] };
        match git.clone().with_limit(forges.limit).fetch_tips(remote, wanted)? {
            Fetching::Tips(_) | Fetching::Missing(_) => {}
            Fetching::Silent(said) | Fetching::Refused(said) => {
                let (base, remote, said) = (one_line(&base), one_line(remote), one_line(&said));
                report::warn(
                    &session.screen,
                    &format!("it is not known what {remote} has on {base}: {said}"),
                );
            }
        }
        Ok(())
    }

    pub(super) fn source(&self, state: &PlanState) -> Result<Source> {
        let file = self.options.follow.as_deref().unwrap_or_default();
        let session = &state.session;
        let Self { branch, base, remote, .. } = *self;
        let forges = Forges::new(self.call, session);
        if !file.is_empty() {
            // What can only be refused at the end is refused before anything is done.
            ChosenRemotes::of(&session.git, branch, remote, forges.stated)?;
            let default = DefaultBranch::find(&session.git, &session.work_tree, &session.repository)?;
            if base == Some(branch) || base.is_none() && default.is_some_and(|default| default.name == branch)
            {
                return Err(Error::new(
                    Kind::Input,
                    format!("{} is the branch into which requests are merged", one_line(branch)),
                    "Nothing was done. Switch to the branch of the run.",
                ));
            }
            return Ok(Source::File(self.call.environment.folder()?.join(file)));
        }
        let git = session.git.clone().with_limit(forges.limit.clone());
        let tip = session.repository.branch()?.commit;
        let wanted = WantedRequest { branch, tip, base, remote, forge: forges.stated };
        let publication = Publication::of_open(&git, wanted, &|kind| forges.program(kind))?;
        Ok(Source::Forge(Box::new(publication)))
    }
}
