//! Asks, pushes, and opens or updates the request.

use super::content::RequestContent;
use crate::error::{Error, Kind, Result};
use crate::files::Folder;
use crate::forge::{ForgeKind, Obstacle, OpenRequest, Publication, Requests, fill, update};
use crate::git::Git;
use crate::report::{self, PushAction, RequestAction, RequestView};
use crate::session::{Call, Exit, Session};
use crate::text::{advice, one_line};

/// When a branch is pushed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::commands) enum PushWhen {
    /// If a request can be opened for it.
    #[default]
    WithRequest,
    /// Whether or not a request can be opened for it.
    InAnyCase,
    /// Without a request.
    Alone,
}

/// A branch that is about to be pushed, and its request.
pub(super) struct Delivery<'a> {
    pub(super) call: &'a Call,
    pub(super) session: &'a Session,
    pub(super) git: &'a Git,
    /// Whether nothing is asked.
    pub(super) yes: bool,
    pub(super) dry_run: bool,
    pub(super) json: bool,
    pub(super) push: PushWhen,
    pub(super) publication: Publication,
    pub(super) content: RequestContent,
    pub(super) draft: bool,
}

/// What has become of a delivery.
pub(in crate::commands) struct Delivered {
    pub(in crate::commands) exit: Exit,
    /// The address of the request, if there is one.
    pub(in crate::commands) request: Option<String>,
}

impl Delivered {
    fn without_request(exit: Exit) -> Self {
        Self { exit, request: None }
    }
}

impl Delivery<'_> {
    pub(super) fn carry_out(self) -> Result<Delivered> {
        let mut view = self.view();
        self.check_length(&view.body)?;
        if !self.json {
            view.warnings.iter().for_each(|warning| report::warn(&self.session.screen, warning));
        }
        if self.push == PushWhen::Alone && !self.dry_run {
            return self.push(&view).map(|()| Delivered::without_request(Exit::Done));
        }
        let Some(requests) = self.publication.requests() else {
            return self.left_to_user(&view).map(Delivered::without_request);
        };
        if self.dry_run {
            self.print(&view)?;
            return Ok(Delivered::without_request(Exit::Done));
        }
        let done = self.push(&view).and_then(|()| self.request(&requests, &view));
        let request = done.map_err(|error| match error.kind() {
            Kind::No => error,
            _ => self.leaving_body(&error, &view.body),
        })?;
        (view.number, view.url) = (Some(request.number), Some(request.url.clone()));
        if self.json {
            self.print(&view)?;
        } else {
            report::print(&format!("{}\n", request.url))?;
        }
        Ok(Delivered { exit: Exit::Done, request: Some(request.url) })
    }

    /// What will be done.
    fn view(&self) -> RequestView {
        let Self { publication, content, .. } = self;
        let body = match &publication.open {
            Some(open) => update(&open.body, &content.report),
            None => fill(content.template.as_deref(), &content.report),
        };
        let body = self.call.mask(&body);
        let program = publication.program.as_ref().ok().map(|program| program.kind);
        let can_ask = program.is_some();
        let request = match &publication.open {
            _ if !can_ask => RequestAction::None,
            Some(open) if open.body.replace("\r\n", "\n").trim() == body.trim() => RequestAction::UpToDate,
            Some(_) => RequestAction::Update,
            None => RequestAction::Open,
        };
        let push = match (publication.needs_push, can_ask || self.is_pushed_alone()) {
            (false, _) => PushAction::UpToDate,
            (true, true) => PushAction::Push,
            (true, false) => PushAction::None,
        };
        RequestView {
            dry_run: self.dry_run,
            branch: publication.branch.clone(),
            base: publication.base.clone(),
            remote: publication.remotes.push.name.clone(),
            address: one_line(&publication.remotes.push.address.shown),
            commits: publication.commits,
            forge: publication.place().and_then(|place| place.kind).map(ForgeKind::word),
            program: program.and_then(ForgeKind::program),
            title: self.call.mask(&content.title),
            draft: self.draft,
            push,
            push_command: publication.push_command(),
            request,
            number: publication.open.as_ref().map(|open| open.number),
            url: publication.open.as_ref().map(|open| open.url.clone()),
            compare_url: publication.compare_page(),
            obstacle: publication.program.as_ref().err().map(Obstacle::words),
            body,
            warnings: content.warnings.iter().chain(&publication.warnings).cloned().collect(),
        }
    }

    /// Whether the branch is pushed although no program can open a request for it.
    fn is_pushed_alone(&self) -> bool {
        let is_by_hand = matches!(self.publication.program, Err(Obstacle::ByHand(_)));
        is_by_hand || self.push != PushWhen::WithRequest
    }

    /// What people wrote around the report can make it too long for the forge.
    fn check_length(&self, body: &str) -> Result<()> {
        let Some(kind) = self.publication.place().and_then(|place| place.kind) else { return Ok(()) };
        let (length, longest) = (body.chars().count(), kind.longest_body());
        if length <= longest {
            return Ok(());
        }
        let error = Error::new(
            Kind::Input,
            format!("the text of the request has {length} characters, and the forge takes {longest}"),
            format!(
                "Nothing was done. Shorten the text around the report, or open a request for fewer tasks: {}.",
                advice::pr_of("TASK")
            ),
        );
        Err(self.leaving_body(&error, body))
    }

    /// There is no program that could open the request, so the user gets what is needed to open it.
    fn left_to_user(&self, view: &RequestView) -> Result<Exit> {
        let is_pushed = self.is_pushed_alone() && !self.dry_run;
        if is_pushed {
            self.push(view)?;
        }
        self.print(view)?;
        if self.dry_run {
            return Ok(Exit::Done);
        }
        let why = format!("{}, so no request was opened", view.obstacle.clone().unwrap_or_default());
        let page = view.compare_url.as_ref().map(|page| format!(" at {page}")).unwrap_or_default();
        if is_pushed {
            let branch = one_line(&view.branch);
            report::eprint(&format!(
                "Note: {why}. {branch} is pushed: open one by hand{page}, with the text above."
            ));
            return Ok(Exit::Done);
        }
        let page = if page.is_empty() { page } else { format!(", then open the request{page}") };
        let to_do = format!("Push with `{}`{page}.", view.push_command);
        match &self.publication.program {
            Err(obstacle) if *obstacle != Obstacle::NoForge => Err(Error::new(
                Kind::Environment,
                why,
                format!(
                    "Nothing was done. {} Then run the same command again, or do it by hand: the text is above. {to_do}",
                    obstacle.remedy()
                ),
            )),
            _ => {
                report::eprint(&format!("Note: {why}. {} {to_do}", Obstacle::NoForge.remedy()));
                Ok(Exit::No)
            }
        }
    }

    fn print(&self, view: &RequestView) -> Result<()> {
        if self.json {
            report::print_document("pr", view)
        } else if self.dry_run {
            report::print_sentences(&view.plan())?;
            report::print(&view.body)
        } else {
            report::print(&view.body)
        }
    }

    fn push(&self, view: &RequestView) -> Result<()> {
        if view.push != PushAction::Push {
            return Ok(());
        }
        let commits = match view.commits {
            Some(1) => " (1 commit)".to_owned(),
            Some(many) => format!(" ({many} commits)"),
            None => String::new(),
        };
        let (branch, remote) = (one_line(&view.branch), one_line(&view.remote));
        let about = format!("{branch}{commits} goes to {remote}, {}.", view.address);
        self.ask(&about, &format!("Push {branch}?"), "nothing was pushed, because you said no")?;
        self.publication.push(self.git)?;
        report::eprint(&format!("Pushed {branch} to {remote}."));
        Ok(())
    }

    fn request(&self, requests: &Requests<'_>, view: &RequestView) -> Result<OpenRequest> {
        let name = requests.name();
        let base = one_line(&view.base);
        match &self.publication.open {
            None => {
                let draft = if view.draft { " as a draft" } else { "" };
                let about = format!("A {name} into {base}{draft}: {}", view.title);
                self.ask(&about, "Open it?", "no request was opened, because you said no")?;
                let request = requests.create(&view.title, &view.body, &view.base, view.draft)?;
                report::eprint(&format!("Opened the {name} #{}.", request.number));
                Ok(request)
            }
            Some(open) => {
                let number = open.number;
                if open.base != view.base {
                    let other = one_line(&open.base);
                    report::warn(
                        &self.session.screen,
                        &format!("the {name} #{number} goes into {other}, not into {base}"),
                    );
                }
                if view.request == RequestAction::UpToDate {
                    report::eprint(&format!("The {name} #{number} is up to date."));
                    return Ok(open.clone());
                }
                let url = one_line(&open.url);
                let about =
                    format!("The {name} #{number} is open: {url}\nOnly the report in its text is replaced.");
                self.ask(&about, "Update it?", "the request was not updated, because you said no")?;
                requests.replace_body(number, &view.body)?;
                report::eprint(&format!("Updated the {name} #{number}."));
                Ok(open.clone())
            }
        }
    }

    /// Asks, unless everything is confirmed already. `without` is what is the case after a no.
    fn ask(&self, about: &str, question: &str, without: &str) -> Result<()> {
        if self.yes || report::confirm(about, question) == Some(true) {
            return Ok(());
        }
        Err(Error::new(Kind::No, without, "Run the same command again to be asked again."))
    }

    /// The error, and where the text of the request is now.
    fn leaving_body(&self, error: &Error, body: &str) -> Error {
        const NAME: &str = "pull-request.md";
        let written = Folder::make_own(&self.session.work_tree.git_dir, "").and_then(|own| {
            own.replace(NAME, body.as_bytes())?;
            Ok(own.path().join(NAME))
        });
        let place = match written {
            Ok(file) => format!(" The text of the request is in {}.", one_line(&file.to_string_lossy())),
            Err(_) => String::new(),
        };
        Error::new(error.kind(), error.what(), format!("{}{place}", error.remedy()))
    }
}
