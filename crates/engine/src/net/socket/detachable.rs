/// A part of a link that is taken out while its received bytes are handled, because handling them changes the link.
#[derive(Debug)]
pub(crate) struct Detachable<T>(Option<Box<T>>);

impl<T> Detachable<T> {
    pub(crate) fn new(part: T) -> Self {
        Self(Some(Box::new(part)))
    }

    /// Takes the part. `None` if it is taken already.
    pub(crate) fn take(&mut self) -> Option<Box<T>> {
        self.0.take()
    }

    pub(crate) fn put_back(&mut self, part: Box<T>) {
        self.0 = Some(part);
    }

    /// The part, unless it is taken.
    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_deref()
    }

    /// The part, unless it is taken.
    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }
}
