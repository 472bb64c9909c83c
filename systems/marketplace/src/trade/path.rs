use serde::Deserialize;

use crate::types::Id;

/// The path parameters of a request.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct RequestPath {
    pub(crate) request: Id,
}

/// The path parameters of an offer.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct OfferPath {
    pub(crate) request: Id,
    pub(crate) offer: Id,
}
