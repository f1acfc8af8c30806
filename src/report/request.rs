//! A request on a forge, as `pr` tells about it.

use serde::Serialize;

/// What was done about a request, or would be done.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RequestView {
    /// Whether nothing was done, because it is a dry run.
    pub dry_run: bool,
    /// The branch.
    pub branch: String,
    /// The branch into which it is to be merged.
    pub base: String,
    /// The remote repository to which it is pushed.
    pub remote: String,
    /// Its address, without a password.
    pub address: String,
    /// How many commits the branch has that its base has not.
    pub commits: Option<usize>,
    /// The kind of forge.
    #[cfg_attr(test, schemars(extend("enum" = ["github", "gitlab", "gitea", null])))]
    pub forge: Option<&'static str>,
    /// The program that talks to it.
    #[cfg_attr(test, schemars(extend("enum" = ["gh", "glab", "tea", null])))]
    pub program: Option<&'static str>,
    /// The title of a new request.
    pub title: String,
    /// Whether a new request is a draft.
    pub draft: bool,
    /// What happens to the branch.
    pub push: PushAction,
    /// The command that pushes it.
    pub push_command: String,
    /// What happens to the request.
    pub request: RequestAction,
    /// Its number.
    pub number: Option<u64>,
    /// Its page.
    pub url: Option<String>,
    /// The page on which a person opens it.
    pub compare_url: Option<String>,
    /// Why no request can be opened from here.
    pub obstacle: Option<String>,
    /// Its text.
    pub body: String,
    /// What the user should know.
    pub warnings: Vec<String>,
}

/// What happens to the branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum PushAction {
    /// It is pushed.
    Push,
    /// It is there already.
    UpToDate,
    /// It is left to the user.
    None,
}

/// What happens to the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum RequestAction {
    /// It is opened.
    Open,
    /// Its text is replaced.
    Update,
    /// Its text is as it should be.
    UpToDate,
    /// It is left to the user.
    None,
}

impl RequestView {
    /// What would be done besides its text.
    #[must_use]
    pub fn plan(&self) -> String {
        let push = match self.push {
            PushAction::Push => format!("push {} to {} ({})\n", self.branch, self.remote, self.address),
            PushAction::UpToDate => {
                format!("{} is already on {} ({})\n", self.branch, self.remote, self.address)
            }
            PushAction::None => format!("nothing is pushed; the command is: {}\n", self.push_command),
        };
        let draft = if self.draft { "a draft" } else { "a request" };
        let request = match (self.request, &self.url) {
            (RequestAction::Open, _) => format!("open {draft} into {}: {}\n", self.base, self.title),
            (RequestAction::Update, Some(url)) => format!("update the text of {url}\n"),
            (RequestAction::UpToDate, Some(url)) => format!("{url} is up to date\n"),
            _ => {
                let why = self.obstacle.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
                let page = self.compare_url.as_ref().map(|page| format!("the page is: {page}\n"));
                format!("no request is opened{why}\n{}", page.unwrap_or_default())
            }
        };
        format!("{push}{request}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<RequestView>("pr", "git arborist pr --json");
    }
}
