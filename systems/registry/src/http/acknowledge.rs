use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::task::yield_now;

use super::input;
use super::operation::Operation;
use crate::backend::Backend;
use crate::mailbox::UNACKNOWLEDGED;
use crate::message::MessageId;
use crate::name::Name;
use crate::refusal::Refusal;
use crate::registry::Registry;
use crate::tenant::Tenant;

/// Acknowledges messages without the connection that received them, which server-sent events need.
#[derive(Debug)]
pub(super) struct Acknowledge;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AcknowledgeBody {
    #[schemars(with = "Name")]
    identity: String,
    /// Ids of received messages.
    ids: Vec<String>,
}

/// The number of ids that were read. A message may be acknowledged more than once.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Acknowledged {
    acknowledged: usize,
}

impl Operation for Acknowledge {
    const ID: &'static str = "acknowledge";
    const SUMMARY: &'static str =
        "Acknowledges messages that an inbox has received; may be repeated";
    const REFUSALS: &'static [&'static str] = &[];
    type Body = AcknowledgeBody;
    type Answer = Acknowledged;

    async fn perform(
        registry: &Registry,
        tenant: &Arc<Tenant>,
        body: AcknowledgeBody,
    ) -> Result<Acknowledged, Refusal> {
        let identity = Name::new(&body.identity)?;
        input::few(&body.ids, "ids", UNACKNOWLEDGED)?;
        let ids: Vec<MessageId> = body
            .ids
            .iter()
            .filter_map(|id| MessageId::new(id))
            .collect();
        for mailbox in tenant.hub.of(&identity) {
            for id in &ids {
                if let Some((_, sent)) = mailbox.acknowledge(id.as_str()) {
                    registry.acknowledged(&sent).await;
                }
            }
            // An identity may have thousands of inboxes.
            yield_now().await;
        }
        // The inbox may be gone, or belong to another instance.
        let settled = registry.backend.settle(&tenant.name, &identity, &ids)?;
        if let Some(saved) = settled {
            saved.wait().await?;
        }
        if let Backend::Shared(shared) = &*registry.backend {
            shared.relay(&tenant.name, &identity, &ids).await;
        }
        let acknowledged = ids.len();
        Ok(Acknowledged { acknowledged })
    }
}
