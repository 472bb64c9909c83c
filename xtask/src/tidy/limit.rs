//! The limits of this repository, and the parts of the code that exceed one.

use std::collections::BTreeMap;

/// What a limit applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// The lines of a file.
    File,
    /// The lines of a function.
    Function,
    /// The fields of a struct.
    Struct,
    /// The files with inherent methods of a type.
    Type,
    /// An import that is part of a cycle. None is allowed.
    Import,
}

/// A part of the code that exceeds a limit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Subject {
    pub(super) kind: Kind,
    pub(super) path: String,
    /// Name of the function or type, or path of the imported file. Empty for a file.
    pub(super) name: String,
}

/// By how much, and where.
#[derive(Clone, Debug)]
pub(super) struct Excess {
    pub(super) size: usize,
    /// File and line of the complaint.
    pub(super) at: (String, usize),
    pub(super) remedy: String,
}

pub(super) type Excesses = BTreeMap<Subject, Excess>;

impl Kind {
    pub(super) const ALL: [Self; 5] = [
        Self::File,
        Self::Function,
        Self::Struct,
        Self::Type,
        Self::Import,
    ];

    /// The first word of a line in the ratchet.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Function => "function",
            Self::Struct => "struct",
            Self::Type => "type",
            Self::Import => "import",
        }
    }

    pub(super) fn unit(self) -> &'static str {
        match self {
            Self::File | Self::Function => "lines",
            Self::Struct => "fields",
            Self::Type => "files with methods",
            Self::Import => "imports",
        }
    }

    pub(super) fn limit(self) -> usize {
        match self {
            Self::File => 400,
            Self::Function => 70,
            Self::Struct => 12,
            Self::Type => 3,
            Self::Import => 0,
        }
    }
}

impl Subject {
    /// How a complaint in the subject's file names it.
    pub(super) fn what(&self) -> String {
        match self.kind {
            Kind::File => "the file".to_owned(),
            Kind::Function | Kind::Struct | Kind::Type => format!("`{}`", self.name),
            Kind::Import => format!("the import of `{}`", self.name),
        }
    }
}
