use crate::refusal::Refusal;
use crate::store::users::Role;
use crate::work::Actor;

/// Who may call an operation. The module `trade` decides whether the caller may change a certain trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    /// Anybody, without login.
    Anyone,
    /// Any user who has logged in.
    SignedIn,
    Buyer,
    Seller,
    SellerOrAdmin,
    Admin,
}

impl Access {
    /// Refuses callers without access.
    pub(crate) fn check(self, actor: &Actor) -> Result<(), Refusal> {
        if self == Self::Anyone {
            return Ok(());
        }
        let role = actor.user()?.role;
        let (may, whom) = match self {
            Self::Anyone | Self::SignedIn => (true, ""),
            Self::Buyer => (role == Role::Buyer, "a buyer"),
            Self::Seller => (role == Role::Seller, "a seller"),
            Self::SellerOrAdmin => (role != Role::Buyer, "a seller or an admin"),
            Self::Admin => (role == Role::Admin, "an admin"),
        };
        if may {
            Ok(())
        } else {
            Err(Refusal::Forbidden(whom))
        }
    }
}

/// The HTTP method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verb {
    Get,
    Post,
    Put,
}

/// The declaration of an operation.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    /// The operation's name, in the form that the field report uses.
    pub(crate) id: &'static str,
    pub(crate) verb: Verb,
    pub(crate) path: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) access: Access,
    /// The status of a successful response is 201 instead of 200.
    pub(crate) creates: bool,
    /// The operation hashes a password. It is refused if too many requests wait for a hash.
    pub(crate) hashes: bool,
    /// The response contains secrets. Therefore it is never stored, and idempotency keys are ignored.
    pub(crate) secret: bool,
}

impl Route {
    const fn new(verb: Verb, id: &'static str, path: &'static str) -> Self {
        Self {
            id,
            verb,
            path,
            summary: "",
            access: Access::SignedIn,
            creates: false,
            hashes: false,
            secret: false,
        }
    }

    pub(crate) const fn get(id: &'static str, path: &'static str) -> Self {
        Self::new(Verb::Get, id, path)
    }

    pub(crate) const fn post(id: &'static str, path: &'static str) -> Self {
        Self::new(Verb::Post, id, path)
    }

    pub(crate) const fn put(id: &'static str, path: &'static str) -> Self {
        Self::new(Verb::Put, id, path)
    }

    pub(crate) const fn says(mut self, summary: &'static str) -> Self {
        self.summary = summary;
        self
    }

    pub(crate) const fn by(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    pub(crate) const fn creates(mut self) -> Self {
        self.creates = true;
        self
    }

    pub(crate) const fn hashes(mut self) -> Self {
        self.hashes = true;
        self
    }

    pub(crate) const fn secret(mut self) -> Self {
        self.secret = true;
        self
    }

    /// The status of a successful response.
    pub(crate) fn status(&self) -> u16 {
        if self.creates { 201 } else { 200 }
    }
}
