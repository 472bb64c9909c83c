use std::fmt;
use std::path::PathBuf;

use model::{Fault, UserId};
use thiserror::Error;

use crate::frame::{Location, code_frame};

/// Why an iteration or a module failed, as far as the script can tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptFault {
    /// Side, kind and one line.
    pub fault: Fault,
    /// The innermost place in the scenario's own files, if there is one.
    pub location: Option<Location>,
    /// The code around that place, with a caret.
    pub frame: Option<String>,
    /// The calls that led there, in the scenario's own files.
    pub stack: Option<String>,
    /// Whose story it was, where that is known.
    pub user: Option<UserId>,
    /// The innermost `step` around it.
    pub step: Option<String>,
}

impl From<Fault> for ScriptFault {
    fn from(fault: Fault) -> Self {
        Self {
            fault,
            location: None,
            frame: None,
            stack: None,
            user: None,
            step: None,
        }
    }
}

impl fmt::Display for ScriptFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_located(
            f,
            self.location.as_ref(),
            &self.fault.detail,
            self.frame.as_deref(),
        )
    }
}

/// Something wrong in the text of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// What is wrong, in one line.
    pub message: String,
    /// Where.
    pub location: Location,
    /// The code around it, with a caret.
    pub frame: String,
}

impl Problem {
    pub(crate) fn new(message: impl Into<String>, location: Location, source: &str) -> Self {
        let frame = code_frame(source, location.line, location.column);
        Self {
            message: message.into(),
            location,
            frame,
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_located(f, Some(&self.location), &self.message, Some(&self.frame))
    }
}

fn write_located(
    f: &mut fmt::Formatter<'_>,
    location: Option<&Location>,
    message: &str,
    frame: Option<&str>,
) -> fmt::Result {
    if let Some(location) = location {
        write!(f, "{location}: ")?;
    }
    f.write_str(message)?;
    match frame {
        Some(frame) if !frame.is_empty() => write!(f, "\n\n{frame}"),
        _ => Ok(()),
    }
}

/// Why a scenario cannot be run. Displays as a message with place and code frame.
#[derive(Debug, Error)]
pub enum ScriptError {
    /// No such file.
    #[error("no such file: {}", path.display())]
    NotFound {
        /// What was asked for.
        path: PathBuf,
    },
    /// The file could not be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file is larger than a module may be.
    #[error("{} has {bytes} bytes, a module may have {limit}", path.display())]
    TooLarge {
        /// Which file.
        path: PathBuf,
        /// Its size.
        bytes: u64,
        /// The most allowed.
        limit: u64,
    },
    /// Not JavaScript, or TypeScript that cannot be made JavaScript by leaving out its types.
    #[error("{0}")]
    Syntax(Box<Problem>),
    /// An import that cannot be followed.
    #[error("{0}")]
    Import(Box<Problem>),
    /// The module threw while it was loaded, or does not export what it must.
    #[error("{0}")]
    Thrown(Box<ScriptFault>),
    /// The script engine itself failed.
    #[error("script engine: {0}")]
    Engine(String),
}

impl From<rquickjs::Error> for ScriptError {
    fn from(error: rquickjs::Error) -> Self {
        Self::Engine(error.to_string())
    }
}

impl From<ScriptFault> for ScriptError {
    fn from(fault: ScriptFault) -> Self {
        Self::Thrown(Box::new(fault))
    }
}
