use crate::host::AudienceSpec;
use crate::kept::Kept;

/// An audience that a module has declared.
pub(crate) struct DeclaredAudience {
    pub(crate) spec: AudienceSpec,
    /// The function that describes how a member connects.
    pub(crate) connect: Kept,
}
