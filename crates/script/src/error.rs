use std::fmt;
use std::path::PathBuf;

use model::{Fault, UserId};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::frame::{Location, code_frame};

/// Why an iteration or a module failed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ScriptFault {
    /// Side, kind and a description in one line.
    pub fault: Fault,
    /// The innermost location in the scenario's own files, if any.
    pub location: Option<Location>,
    /// The source lines around that location, with a caret.
    pub frame: Option<String>,
    /// The stack of calls in the scenario's own files.
    pub stack: Option<String>,
    /// The user whose call failed, if known.
    pub user: Option<UserId>,
    /// The innermost `step` in which the failure occurred.
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

/// An error in the text of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The error in one line.
    pub message: String,
    /// Location of the error.
    pub location: Location,
    /// The source lines around the location, with a caret.
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

/// Why a scenario cannot be run. Its text includes the location and the source lines.
#[derive(Debug, Error)]
pub enum ScriptError {
    /// The file does not exist.
    #[error("no such file: {}", path.display())]
    NotFound {
        /// Path of the file.
        path: PathBuf,
    },
    /// The file could not be read.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The file is larger than a module may be.
    #[error("{} has {bytes} bytes; the limit is {limit}", path.display())]
    TooLarge {
        /// Path of the file.
        path: PathBuf,
        /// Size of the file in bytes.
        bytes: u64,
        /// The maximum size in bytes.
        limit: u64,
    },
    /// The text is neither JavaScript nor TypeScript that becomes JavaScript when its types are removed.
    #[error("{0}")]
    Syntax(Box<Problem>),
    /// An import cannot be resolved.
    #[error("{0}")]
    Import(Box<Problem>),
    /// The module threw while it was loaded, or lacks a required export.
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
