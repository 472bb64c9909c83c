/// Identifies one UTF-16 unit, value or type by its client and that client's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Id {
    pub(super) client: u64,
    pub(super) clock: u32,
}

impl Id {
    /// The id of the element `distance` places later.
    pub(super) fn plus(self, distance: u32) -> Self {
        Self {
            client: self.client,
            clock: self.clock + distance,
        }
    }
}
