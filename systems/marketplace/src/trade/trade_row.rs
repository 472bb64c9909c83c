use crate::refusal::Refusal;
use crate::state::{OfferAction, OfferState, Party, RequestAction, Stateful};
use crate::store::deliveries::{self, DeliveryRow};
use crate::store::offers::{self, OfferRow};
use crate::store::payments::{self, PaymentRow};
use crate::store::requests::{self, RequestRow};
use crate::store::users::Role;
use crate::types::Id;
use crate::work::{Actor, Work};

/// A trade that is locked until the transaction ends.
#[derive(Debug)]
pub(super) struct Trade {
    pub(super) request: RequestRow,
    /// The selected offer, if there is one.
    pub(super) selected: Option<OfferRow>,
}

impl Trade {
    /// Finds and locks a trade. All other steps of the trade wait until this transaction ends.
    pub(super) async fn lock(work: &mut Work<'_>, id: &Id) -> Result<Self, Refusal> {
        let now = work.now;
        let request = requests::lock(work.db(), id, now).await?;
        let request = request.ok_or(Refusal::NotFound("request"))?;
        let selected = match &request.selected_offer {
            Some(offer) => offers::find(work.db(), id, offer).await?,
            None => None,
        };
        Ok(Self { request, selected })
    }

    /// The actor's role in this trade. Actors without a role get 404, as if the trade did not exist. While the request
    /// is open they get 403, because everyone can see open requests.
    pub(super) fn party(&self, actor: &Actor) -> Result<Party, Refusal> {
        let holder = match actor {
            Actor::Clock => return Ok(Party::Clock),
            Actor::Provider => return Ok(Party::Provider),
            Actor::Nobody => return Err(Refusal::Unauthenticated),
            Actor::User(holder) => holder,
        };
        if holder.id == self.request.buyer_id {
            return Ok(Party::Buyer);
        }
        if self
            .selected
            .as_ref()
            .is_some_and(|offer| offer.seller_id == holder.id)
        {
            return Ok(Party::Seller);
        }
        if holder.role == Role::Admin {
            return Ok(Party::Admin);
        }
        if self.request.state == crate::state::RequestState::Open {
            return Err(Refusal::Forbidden("the parties of the trade"));
        }
        Err(Refusal::NotFound("request"))
    }

    /// Moves the request to its next state. The caller saves it.
    pub(super) fn step(&mut self, action: RequestAction, party: Party) -> Result<(), Refusal> {
        self.request.state = self.request.state.step(action, party)?;
        Ok(())
    }

    /// The selected offer. Refuses the step if none was selected.
    pub(super) fn selected(&self) -> Result<&OfferRow, Refusal> {
        self.selected
            .as_ref()
            .ok_or(Refusal::NotFound("selected offer"))
    }

    pub(super) async fn save(&self, work: &mut Work<'_>) -> Result<(), Refusal> {
        Ok(requests::update(work.db(), &self.request).await?)
    }

    /// An offer for this request, and the actor's side of it. Other users get 404, as if the offer did not exist.
    pub(super) async fn offer(
        &self,
        work: &mut Work<'_>,
        id: &Id,
    ) -> Result<(OfferRow, Party), Refusal> {
        let offer = offers::find(work.db(), &self.request.id, id).await?;
        let offer = offer.ok_or(Refusal::NotFound("offer"))?;
        let holder = work.actor.user()?;
        if holder.id == self.request.buyer_id {
            return Ok((offer, Party::Buyer));
        }
        if holder.id == offer.seller_id {
            return Ok((offer, Party::Seller));
        }
        Err(Refusal::NotFound("offer"))
    }

    /// The valid payment, or else the newest payment (see [`payments::of_request`]).
    pub(super) async fn payment(&self, work: &mut Work<'_>) -> Result<Option<PaymentRow>, Refusal> {
        Ok(payments::of_request(work.db(), &self.request.id).await?)
    }

    pub(super) async fn delivery(&self, work: &mut Work<'_>) -> Result<DeliveryRow, Refusal> {
        let delivery = deliveries::find(work.db(), &self.request.id).await?;
        delivery.ok_or(Refusal::NotFound("delivery"))
    }

    /// Performs `action` on every offer whose state allows it, except the offer `but`. Returns the changed offers.
    pub(super) async fn end_offers(
        &self,
        work: &mut Work<'_>,
        action: OfferAction,
        but: Option<&Id>,
    ) -> Result<Vec<OfferRow>, Refusal> {
        let all = offers::of_request(work.db(), &self.request.id, None).await?;
        let mut ended = Vec::new();
        for mut offer in all {
            if Some(&offer.id) == but {
                continue;
            }
            let Ok(state) = offer.state.step(action, Party::Market) else {
                continue;
            };
            take(&mut offer, state, work);
            offers::update(work.db(), &offer).await?;
            ended.push(offer);
        }
        Ok(ended)
    }
}

/// Sets the state of an offer. The caller saves it.
pub(super) fn take(offer: &mut OfferRow, state: OfferState, work: &Work<'_>) {
    offer.state = state;
    offer.updated_at = work.now;
}
