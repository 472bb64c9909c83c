use std::collections::HashMap;
use std::sync::Arc;

use yrs::block::ClientID;
use yrs::sync::{AwarenessUpdate, awareness::AwarenessUpdateEntry};

/// The state of a client that is gone.
const GONE: &str = "null";
/// Clients of Yjs that one connection may speak for.
const MOST: usize = 8;
/// Bytes of what one of them says of itself, at most.
pub(crate) const MOST_BYTES: usize = 16_384;

/// What the clients of Yjs say of themselves: names, colours, carets. Nothing of it is saved.
#[derive(Debug, Default)]
pub(crate) struct Presence {
    clients: HashMap<ClientID, Client>,
}

#[derive(Debug)]
struct Client {
    clock: u32,
    json: Arc<str>,
    /// The connection that spoke for it last; `None`: one at another node.
    visit: Option<u64>,
}

impl Presence {
    /// Takes news in; what of it is new.
    pub(crate) fn take(
        &mut self,
        update: AwarenessUpdate,
        visit: Option<u64>,
    ) -> Option<AwarenessUpdate> {
        let mut spoken = self
            .clients
            .values()
            .filter(|client| visit.is_some() && client.visit == visit)
            .count();
        let mut news = HashMap::new();
        for (id, entry) in update.clients {
            let known = self.clients.get(&id);
            let newer = known.map_or(&*entry.json != GONE, |known| {
                known.clock < entry.clock || (known.clock == entry.clock && &*entry.json == GONE)
            });
            if !newer || (known.is_none() && spoken >= MOST) {
                continue;
            }
            if &*entry.json == GONE {
                self.clients.remove(&id);
            } else {
                spoken += usize::from(known.is_none());
                let client = Client {
                    clock: entry.clock,
                    json: entry.json.clone(),
                    visit,
                };
                self.clients.insert(id, client);
            }
            news.insert(id, entry);
        }
        (!news.is_empty()).then_some(AwarenessUpdate { clients: news })
    }

    /// A connection is gone, and with it those that it spoke for.
    pub(crate) fn leave(&mut self, visit: u64) -> Option<AwarenessUpdate> {
        let gone = self
            .clients
            .extract_if(|_, client| client.visit == Some(visit));
        let entry = |client: &Client| AwarenessUpdateEntry {
            clock: client.clock,
            json: GONE.into(),
        };
        let clients: HashMap<_, _> = gone.map(|(id, client)| (id, entry(&client))).collect();
        (!clients.is_empty()).then_some(AwarenessUpdate { clients })
    }

    /// Everything, for one who comes.
    pub(crate) fn all(&self) -> Option<AwarenessUpdate> {
        let entry = |client: &Client| AwarenessUpdateEntry {
            clock: client.clock,
            json: client.json.clone(),
        };
        let clients: HashMap<_, _> = self
            .clients
            .iter()
            .map(|(id, client)| (*id, entry(client)))
            .collect();
        (!clients.is_empty()).then_some(AwarenessUpdate { clients })
    }
}
