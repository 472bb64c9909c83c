use schemars::JsonSchema;
use serde::Deserialize;
use sqlx::AnyConnection;

use super::path::{OfferPath, RequestPath};
use super::view::{
    DeliveryView, DisputeView, NegotiationView, OfferView, PaymentView, RequestView, TradeView,
};
use crate::operation::{Access, NoQuery, Read, Route};
use crate::refusal::Refusal;
use crate::state::{Party, RequestState, Stateful};
use crate::store::offers::{self, OfferRow};
use crate::store::requests::{self, RequestRow, Search};
use crate::store::sessions::Holder;
use crate::store::users::Role;
use crate::store::{deliveries, disputes, payments};
use crate::types::words::words;
use crate::types::{Id, Listing, PageSize, Text};
use crate::work::Actor;

words! {
    /// Selects requests by their relation to the caller.
    Whose {
        /// All requests that the caller may see.
        All = "all",
        /// The requests that the caller posted or, for sellers, for which the caller has made an offer.
        Mine = "mine",
    }
}

/// The query parameters of a search for requests.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct RequestQuery {
    /// Text that must occur in the title or description, which are joined for the search. Case is ignored.
    search: Option<Text<1, 200>>,
    state: Option<RequestState>,
    whose: Option<Whose>,
    limit: Option<PageSize>,
    after: Option<Id>,
}

/// Searches purchase requests, newest first.
#[derive(Debug)]
pub(crate) struct SearchRequests;

impl Read for SearchRequests {
    const ROUTE: Route = Route::get(
        "marketplace.purchaseRequests.list",
        "/api/marketplace/purchase-requests",
    )
    .says("Purchase requests that the caller may see, newest first")
    .by(Access::SignedIn);
    type Path = ();
    type Query = RequestQuery;
    type Answer = Listing<RequestView>;

    async fn answer(
        (): (),
        query: RequestQuery,
        actor: &Actor,
        db: &mut AnyConnection,
    ) -> Result<Self::Answer, Refusal> {
        let holder = actor.user()?;
        let size = query.limit.unwrap_or_default();
        let mine = query.whose == Some(Whose::Mine);
        let search = Search {
            buyer: Some(&holder.id).filter(|_| mine && holder.role != Role::Seller),
            seller: Some(&holder.id).filter(|_| mine && holder.role == Role::Seller),
            seen_by: Some(&holder.id).filter(|_| holder.role != Role::Admin),
            state: query.state,
            text: query.search.as_ref().map(Text::as_str),
            after: query.after.as_ref(),
            rows: size.rows() + 1,
        };
        let rows = requests::search(db, &search).await?;
        let items = rows.iter().map(RequestView::from).collect();
        Ok(Listing::of(items, size, |request: &RequestView| {
            request.id.clone()
        }))
    }
}

/// A request as the caller sees it.
struct Seen {
    request: RequestRow,
    /// The offers that the caller may see.
    offers: Vec<OfferRow>,
    /// The caller's role in the trade, if any.
    party: Option<Party>,
}

/// Finds a request if the caller may see it. Everyone may see an open request. Later, only its buyer, admins and the
/// sellers who made an offer may see it.
async fn see(db: &mut AnyConnection, id: &Id, holder: &Holder) -> Result<Seen, Refusal> {
    let hidden = Refusal::NotFound("request");
    let request = requests::find(db, id)
        .await?
        .ok_or(Refusal::NotFound("request"))?;
    let sees_all = holder.id == request.buyer_id || holder.role == Role::Admin;
    let only = Some(&holder.id).filter(|_| !sees_all);
    let offers = offers::of_request(db, id, only).await?;
    let selected = |offer: &OfferRow| {
        offer.seller_id == holder.id && request.selected_offer.as_ref() == Some(&offer.id)
    };
    let party = if holder.id == request.buyer_id {
        Some(Party::Buyer)
    } else if offers.iter().any(selected) {
        Some(Party::Seller)
    } else if holder.role == Role::Admin {
        Some(Party::Admin)
    } else {
        None
    };
    if party.is_none() && offers.is_empty() && request.state != RequestState::Open {
        return Err(hidden);
    }
    Ok(Seen {
        request,
        offers,
        party,
    })
}

/// Returns a purchase request with its payment, delivery and dispute.
#[derive(Debug)]
pub(crate) struct GetRequest;

impl Read for GetRequest {
    const ROUTE: Route = Route::get(
        "marketplace.purchaseRequests.get",
        "/api/marketplace/purchase-requests/{request}",
    )
    .says("A purchase request with its payment, delivery and dispute")
    .by(Access::SignedIn);
    type Path = RequestPath;
    type Query = NoQuery;
    type Answer = TradeView;

    async fn answer(
        path: RequestPath,
        _: NoQuery,
        actor: &Actor,
        db: &mut AnyConnection,
    ) -> Result<TradeView, Refusal> {
        let seen = see(db, &path.request, actor.user()?).await?;
        let allowed = TradeView::allowed(&seen.request, seen.party);
        let mut view = TradeView {
            request: RequestView::from(&seen.request),
            payment: None,
            delivery: None,
            dispute: None,
            allowed,
        };
        if seen.party.is_none() {
            return Ok(view);
        }
        let id = &seen.request.id;
        view.payment = payments::of_request(db, id)
            .await?
            .as_ref()
            .map(PaymentView::from);
        view.delivery = deliveries::find(db, id)
            .await?
            .as_ref()
            .map(DeliveryView::from);
        view.dispute = disputes::find(db, id)
            .await?
            .as_ref()
            .map(DisputeView::from);
        Ok(view)
    }
}

/// Lists the offers for a request. The buyer and admins see all offers; sellers see only their own.
#[derive(Debug)]
pub(crate) struct ListOffers;

impl Read for ListOffers {
    const ROUTE: Route = Route::get(
        "marketplace.offers.list",
        "/api/marketplace/purchase-requests/{request}/offers",
    )
    .says("The offers for a request: buyer and admins see all, sellers see their own")
    .by(Access::SignedIn);
    type Path = RequestPath;
    type Query = NoQuery;
    type Answer = Vec<OfferView>;

    async fn answer(
        path: RequestPath,
        _: NoQuery,
        actor: &Actor,
        db: &mut AnyConnection,
    ) -> Result<Vec<OfferView>, Refusal> {
        let seen = see(db, &path.request, actor.user()?).await?;
        let view = |offer| OfferView::new(offer, &seen.request.currency);
        Ok(seen.offers.iter().map(view).collect())
    }
}

/// Returns an offer with all prices that were proposed for it.
#[derive(Debug)]
pub(crate) struct GetOffer;

impl Read for GetOffer {
    const ROUTE: Route = Route::get(
        "marketplace.offers.get",
        "/api/marketplace/purchase-requests/{request}/offers/{offer}",
    )
    .says("An offer with every price that was proposed for it")
    .by(Access::SignedIn);
    type Path = OfferPath;
    type Query = NoQuery;
    type Answer = NegotiationView;

    async fn answer(
        path: OfferPath,
        _: NoQuery,
        actor: &Actor,
        db: &mut AnyConnection,
    ) -> Result<NegotiationView, Refusal> {
        let holder = actor.user()?;
        let seen = see(db, &path.request, holder).await?;
        let offer = seen.offers.iter().find(|offer| offer.id == path.offer);
        let offer = offer.ok_or(Refusal::NotFound("offer"))?;
        let rounds = offers::rounds(db, &offer.id).await?;
        let party = if offer.seller_id == holder.id {
            Some(Party::Seller)
        } else {
            seen.party
        };
        Ok(NegotiationView {
            offer: OfferView::new(offer, &seen.request.currency),
            rounds: rounds.into_iter().map(Into::into).collect(),
            allowed: party
                .map(|party| offer.state.allowed(party))
                .unwrap_or_default(),
        })
    }
}
