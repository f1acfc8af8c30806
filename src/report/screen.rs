//! Decides once how output may look: colour, symbols and width.

use std::io::IsTerminal;
use std::os::fd::AsFd;

use rustix::termios::tcgetwinsize;

/// The characters that draw the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Symbols {
    /// `├──`, `✓`, `●`
    Unicode,
    /// `|--`, `OK`, `...`
    Ascii,
}

/// The few styles that are used, by their meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Done.
    Green,
    /// In progress, or a warning.
    Yellow,
    /// Failed, or an error.
    Red,
    /// Ids.
    Cyan,
    /// Less important text.
    Dim,
    /// Headings.
    Bold,
}

impl Style {
    fn code(self) -> &'static str {
        match self {
            Self::Green => "32",
            Self::Yellow => "33",
            Self::Red => "31",
            Self::Cyan => "36",
            Self::Dim => "2",
            Self::Bold => "1",
        }
    }
}

/// Whether a stream takes colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paint {
    /// It does.
    Colored,
    /// It does not.
    Plain,
}

impl Paint {
    /// `text` in a style, or as it is.
    #[must_use]
    pub fn paint(self, style: Style, text: &str) -> String {
        match self {
            Self::Colored if !text.is_empty() => format!("\x1b[{}m{text}\x1b[0m", style.code()),
            _ => text.to_owned(),
        }
    }
}

/// How output may look in this call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Standard output.
    pub out: Paint,
    /// Standard error.
    pub err: Paint,
    /// Characters of the tree.
    pub symbols: Symbols,
    /// The width of the terminal on standard output in columns; `None` if there is none, so that nothing is cut to fit.
    pub width: Option<usize>,
    /// Whether standard error is a terminal on which a line may be redrawn.
    pub live: bool,
}

impl Screen {
    /// Looks at the streams. `dumb` means that the environment wants no escapes (`NO_COLOR`, `TERM=dumb`), `ascii` that
    /// its locale has no UTF-8.
    #[must_use]
    pub fn detect(environment: DisplayEnvironment) -> Self {
        let out_is_terminal = std::io::stdout().is_terminal();
        let out_is_seen = out_is_terminal || environment.pager_columns.is_some();
        let err_is_terminal = std::io::stderr().is_terminal();
        let paint =
            |terminal: bool| if terminal && !environment.plain { Paint::Colored } else { Paint::Plain };
        Self {
            out: paint(out_is_seen),
            err: paint(err_is_terminal),
            symbols: if environment.ascii { Symbols::Ascii } else { Symbols::Unicode },
            width: match environment.pager_columns {
                Some(columns) if !out_is_terminal => Some(columns),
                _ => columns_of(&std::io::stdout()),
            },
            live: err_is_terminal && !environment.dumb,
        }
    }
}

/// How many columns the terminal has to which a stream goes; `None` if it goes elsewhere, or that is not known.
pub(super) fn columns_of(stream: &(impl AsFd + IsTerminal)) -> Option<usize> {
    let size = tcgetwinsize(stream).ok().filter(|_| stream.is_terminal())?;
    Some(usize::from(size.ws_col)).filter(|columns| *columns > 0)
}

/// Whether standard output is a terminal, on which a person reads.
#[must_use]
pub fn out_is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Whether somebody can be asked: questions go to standard error, and answers come from standard input.
#[must_use]
pub fn can_ask() -> bool {
    std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
}

/// The size of a terminal, in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TerminalSize {
    /// How many columns it has.
    pub columns: usize,
    /// How many lines it has.
    pub rows: usize,
}

impl TerminalSize {
    /// The present size of the terminal on standard output.
    #[must_use]
    pub fn of_output() -> Self {
        Self::of(&std::io::stdout())
    }

    /// The present size of the terminal on standard error.
    pub(super) fn of_error_output() -> Self {
        Self::of(&std::io::stderr())
    }

    /// The present size of a terminal; 80 columns and 24 rows if it is unknown.
    fn of(stream: &impl AsFd) -> Self {
        let known = |number: u16, usual: usize| if number == 0 { usual } else { usize::from(number) };
        let (columns, rows) = tcgetwinsize(stream).map_or((0, 0), |size| (size.ws_col, size.ws_row));
        Self { columns: known(columns, 80), rows: known(rows, 24) }
    }
}

impl Screen {
    /// The same without colours.
    #[must_use]
    pub fn without_colors(self) -> Self {
        Self { out: Paint::Plain, err: Paint::Plain, ..self }
    }

    /// The sign before what is done.
    #[must_use]
    pub fn arrow(&self) -> &'static str {
        match self.symbols {
            Symbols::Unicode => "→",
            Symbols::Ascii => "->",
        }
    }

    /// The same where no line may be redrawn.
    #[must_use]
    pub fn without_redraw(self) -> Self {
        Self { live: false, ..self }
    }

    /// The same in plain ASCII, without colours.
    #[must_use]
    pub fn plain(self) -> Self {
        Self { symbols: Symbols::Ascii, ..self.without_colors() }
    }

    /// The same with colours.
    #[must_use]
    pub fn with_colors(self) -> Self {
        Self { out: Paint::Colored, err: Paint::Colored, ..self }
    }
}

/// What the environment says about how output may be displayed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DisplayEnvironment {
    /// No colours: `NO_COLOR` is set, or the terminal is dumb.
    pub plain: bool,
    /// The terminal cannot redraw a line.
    pub dumb: bool,
    /// The locale has no UTF-8.
    pub ascii: bool,
    /// How many columns the terminal has whose pager reads our output, because git has started it.
    pub pager_columns: Option<usize>,
}
