//! The findings that a step can carry in its `Arborist-Findings` trailer, and the sentences about the files that they
//! name.

/// Something that did not fail a step but that a person should look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Finding {
    /// The implement step changed nothing: the agent said that nothing was left to do.
    EmptyChange,
    /// The implement step left new files that git ignores, so they are in no commit.
    IgnoredFiles,
    /// Git is told to overlook changes to tracked files, so they are in no commit.
    OverlookedChanges,
    /// The implement step changed files that were open in an editor.
    OpenInEditor,
    /// Files were staged while the implement step was at work.
    StagedFiles,
    /// The implement step changed files that the plan does not expect it to change.
    OutsideTouches,
    /// The implement step committed something that looks like a secret.
    PossibleSecret,
}

/// How long a finding of an implement step applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lifetime {
    /// Until the next implement step, which looks again.
    UntilNextLook,
    /// For as long as the step's commit counts.
    WithCommit,
}

/// A row of the table of findings.
struct Row {
    name: &'static str,
    /// The sentence about the files, without a full stop; `None` if the finding names no files.
    files: Option<(&'static str, Lifetime)>,
}

impl Finding {
    /// All findings, in the order in which they are named.
    pub const ALL: [Self; 7] = [
        Self::EmptyChange,
        Self::IgnoredFiles,
        Self::OverlookedChanges,
        Self::OpenInEditor,
        Self::StagedFiles,
        Self::OutsideTouches,
        Self::PossibleSecret,
    ];

    fn row(self) -> Row {
        let row = |name, files| Row { name, files };
        match self {
            Self::EmptyChange => row("empty-change", None),
            Self::IgnoredFiles => row(
                "ignored-files",
                Some(("Git ignores these new files, so they are in no commit", Lifetime::UntilNextLook)),
            ),
            Self::OverlookedChanges => row(
                "overlooked-changes",
                Some((
                    "Git is told to overlook changes to these files, so they are in no commit",
                    Lifetime::UntilNextLook,
                )),
            ),
            Self::OpenInEditor => row(
                "open-in-editor",
                Some((
                    "These files were open in an editor, so a person may have changed them during this step",
                    Lifetime::WithCommit,
                )),
            ),
            Self::StagedFiles => row(
                "staged-files",
                Some((
                    "These files were staged during this step, by the runner or by a person",
                    Lifetime::WithCommit,
                )),
            ),
            Self::OutsideTouches => row(
                "outside-touches",
                Some((
                    "These files were changed, but the plan does not say that this task touches them",
                    Lifetime::WithCommit,
                )),
            ),
            Self::PossibleSecret => {
                row("possible-secret", Some(("These files may contain a secret", Lifetime::WithCommit)))
            }
        }
    }

    /// The name in the trailer.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// The sentence about the files that it names, without a full stop; `None` if it names none.
    #[must_use]
    pub fn about_files(self) -> Option<&'static str> {
        self.row().files.map(|(about, _)| about)
    }

    /// How long the files that a step has recorded for it matter.
    #[must_use]
    pub fn lasting(self) -> Lifetime {
        self.row().files.map_or(Lifetime::UntilNextLook, |(_, lasting)| lasting)
    }
}
