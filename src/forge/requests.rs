//! Finds, opens and updates the requests of a branch.

use serde_json::{Value, json};

use super::address::percent_encoded_whole;
use super::api::Api;
use super::place::{ForgeKind, ForgePlace};
use super::program::ForgeProgram;
use crate::error::{Error, Kind, Result};

/// A request that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OpenRequest {
    pub(crate) number: u64,
    /// Its page.
    pub(crate) url: String,
    /// Its text.
    pub(crate) body: String,
    /// The branch into which it is to be merged.
    pub(crate) base: String,
}

/// A request that is to be opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewRequest<'a> {
    pub(crate) title: &'a str,
    /// Its text.
    pub(crate) body: &'a str,
    /// The branch into which it is to be merged.
    pub(crate) base: &'a str,
    /// Whether it is a draft.
    pub(crate) draft: bool,
}

/// The requests of a branch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Requests<'a> {
    /// The program that is asked.
    pub(crate) program: &'a ForgeProgram,
    /// Its login, if it has several.
    pub(crate) login: Option<&'a str>,
    /// The repository into which requests are merged.
    pub(crate) place: &'a ForgePlace,
    /// The repository to which the branch is pushed.
    pub(crate) from: &'a ForgePlace,
    pub(crate) branch: &'a str,
}

/// How many pages of open requests of Gitea are looked through, of 50 each.
const PAGES: u32 = 20;

impl Requests<'_> {
    fn api(&self) -> Api<'_> {
        Api { program: self.program, place: self.place, login: self.login }
    }

    fn is_fork(&self) -> bool {
        self.from.differs_from(self.place)
    }

    /// The requests of a repository, for GitHub and Gitea.
    fn pulls(&self) -> String {
        format!("{}/pulls", self.place.endpoint(self.program.kind))
    }

    /// The branch as the forge names it in the other repository.
    fn head(&self) -> String {
        if self.is_fork() { format!("{}:{}", self.from.owner, self.branch) } else { self.branch.to_owned() }
    }

    /// The open request of the branch into this base; if there is none, one into another.
    ///
    /// # Errors
    /// If the forge cannot be asked.
    pub(crate) fn open(&self, base: &str) -> Result<Option<OpenRequest>> {
        let mut found = match self.program.kind {
            ForgeKind::GitHub => {
                let head = percent_encoded_whole(&format!("{}:{}", self.from.owner, self.branch));
                let answer =
                    self.api().get(&format!("{}?state=open&per_page=100&head={head}", self.pulls()))?;
                list(&answer)
                    .filter(|one| one["head"]["ref"] == self.branch)
                    .map(request)
                    .collect::<Result<Vec<_>>>()?
            }
            ForgeKind::GitLab => self.open_on_gitlab()?,
            ForgeKind::Gitea => self.open_on_gitea()?,
        };
        found.sort_by_key(|request| request.base != base);
        Ok(found.into_iter().next())
    }

    fn open_on_gitlab(&self) -> Result<Vec<OpenRequest>> {
        let source = if self.is_fork() { Some(self.project_id(self.from)?) } else { None };
        let query = format!("state=opened&per_page=100&source_branch={}", percent_encoded_whole(self.branch));
        let answer =
            self.api().get(&format!("{}/merge_requests?{query}", self.place.endpoint(ForgeKind::GitLab)))?;
        let is_ours = |one: &&Value| match source {
            Some(id) => one["source_project_id"] == id,
            None => one["source_project_id"] == one["target_project_id"],
        };
        list(&answer).filter(is_ours).map(request).collect()
    }

    fn open_on_gitea(&self) -> Result<Vec<OpenRequest>> {
        let from = format!("{}/{}", self.from.owner, self.from.name);
        let mut found = Vec::new();
        for page in 1..=PAGES {
            let answer = self.api().get(&format!("{}?state=open&limit=50&page={page}", self.pulls()))?;
            let is_ours = |one: &&Value| {
                let repository = one["head"]["repo"]["full_name"].as_str();
                one["head"]["ref"] == self.branch
                    && repository.is_none_or(|name| name.eq_ignore_ascii_case(&from))
            };
            for one in list(&answer).filter(is_ours) {
                found.push(request(one)?);
            }
            if list(&answer).count() < 50 || !found.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    /// Opens a request.
    ///
    /// # Errors
    /// If the forge refuses it.
    pub(crate) fn create(&self, new: NewRequest<'_>) -> Result<OpenRequest> {
        let NewRequest { title, body, base, draft } = new;
        let answer = match self.program.kind {
            ForgeKind::GitHub => self.api().send(
                "POST",
                &self.pulls(),
                &json!({"title": title, "head": self.head(), "base": base, "body": body, "draft": draft}),
            )?,
            ForgeKind::GitLab => {
                let title = if draft { format!("Draft: {title}") } else { title.to_owned() };
                let mut fields = json!({
                    "title": title, "source_branch": self.branch, "target_branch": base, "description": body,
                });
                if self.is_fork() {
                    fields["target_project_id"] = json!(self.project_id(self.place)?);
                }
                self.api().send(
                    "POST",
                    &format!("{}/merge_requests", self.from.endpoint(ForgeKind::GitLab)),
                    &fields,
                )?
            }
            ForgeKind::Gitea => {
                let title = if draft { format!("WIP: {title}") } else { title.to_owned() };
                let fields = json!({"title": title, "head": self.head(), "base": base, "body": body});
                self.api().send("POST", &self.pulls(), &fields)?
            }
        };
        request(&answer)
    }

    /// Replaces the text of a request.
    ///
    /// # Errors
    /// If the forge refuses it.
    pub(crate) fn replace_body(&self, number: u64, body: &str) -> Result<()> {
        let (method, endpoint, fields) = match self.program.kind {
            ForgeKind::GitHub | ForgeKind::Gitea => {
                ("PATCH", format!("{}/{number}", self.pulls()), json!({"body": body}))
            }
            ForgeKind::GitLab => {
                let endpoint = format!("{}/merge_requests/{number}", self.place.endpoint(ForgeKind::GitLab));
                ("PUT", endpoint, json!({"description": body}))
            }
        };
        request(&self.api().send(method, &endpoint, &fields)?).map(drop)
    }

    fn project_id(&self, place: &ForgePlace) -> Result<u64> {
        self.api().get(&place.endpoint(ForgeKind::GitLab))?["id"].as_u64().ok_or_else(not_understood)
    }
}

fn list(answer: &Value) -> impl Iterator<Item = &Value> {
    answer.as_array().into_iter().flatten()
}

/// Reads a request; the forges name the same things differently.
fn request(answer: &Value) -> Result<OpenRequest> {
    let text = |names: [&str; 2]| names.iter().find_map(|name| answer[*name].as_str()).map(str::to_owned);
    let number = answer["number"].as_u64().or_else(|| answer["iid"].as_u64()).ok_or_else(not_understood)?;
    let base = answer["base"]["ref"].as_str().map(str::to_owned).or_else(|| text(["target_branch", "base"]));
    Ok(OpenRequest {
        number,
        url: text(["html_url", "web_url"]).ok_or_else(not_understood)?,
        body: text(["body", "description"]).unwrap_or_default(),
        base: base.unwrap_or_default(),
    })
}

fn not_understood() -> Error {
    Error::new(
        Kind::Environment,
        "the answer of the forge could not be understood",
        "Look at the repository in a browser to see what has happened, then run the same command again.",
    )
}
