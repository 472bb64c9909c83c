use std::collections::HashMap;
use std::sync::Arc;

use yrs::block::ClientID;
use yrs::sync::{AwarenessUpdate, awareness::AwarenessUpdateEntry};

/// The awareness state, as JSON, of a client that has disconnected.
const GONE: &str = "null";
/// Maximum number of Yjs clients per connection.
const MOST: usize = 8;
/// Maximum size of one awareness state, in bytes.
pub(crate) const MOST_BYTES: usize = 16_384;

/// The awareness states of Yjs clients, such as names, colours and carets. They are not saved.
#[derive(Debug, Default)]
pub(crate) struct Presence {
    clients: HashMap<ClientID, Client>,
}

/// The source from which a Yjs client's state arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Speaker {
    /// A connection to this node.
    Visit(u64),
    /// Another node.
    Node(u64),
}

#[derive(Debug)]
struct Client {
    clock: u32,
    json: Arc<str>,
    /// The source of the latest state.
    speaker: Speaker,
}

impl Client {
    /// Whether `entry` supersedes this state. Another node can remove only its own clients.
    fn gives_way(&self, entry: &AwarenessUpdateEntry, goes: bool, speaker: Speaker) -> bool {
        if goes && self.speaker != speaker && matches!(speaker, Speaker::Node(_)) {
            return false;
        }
        self.clock < entry.clock || (self.clock == entry.clock && goes)
    }

    /// Whether the client has reconnected to another source. Reconnecting does not advance its clock, so the entry does
    /// not count as newer.
    fn moves_to(&self, entry: &AwarenessUpdateEntry, goes: bool, speaker: Speaker) -> bool {
        !goes && self.clock == entry.clock && self.speaker != speaker
    }
}

impl Presence {
    /// Applies awareness states. Returns the states that were new.
    pub(crate) fn take(
        &mut self,
        update: AwarenessUpdate,
        speaker: Speaker,
    ) -> Option<AwarenessUpdate> {
        let most = match speaker {
            Speaker::Visit(_) => MOST,
            Speaker::Node(_) => usize::MAX,
        };
        let mut spoken = self
            .clients
            .values()
            .filter(|client| client.speaker == speaker)
            .count();
        let mut news = HashMap::new();
        for (id, entry) in update.clients {
            let (known, goes) = (self.clients.get(&id), &*entry.json == GONE);
            // The first client that a connection sends is its own. Later, the connection also repeats the states of
            // other clients.
            let own = spoken == 0 || matches!(speaker, Speaker::Node(_));
            let newer = known.map_or(!goes, |known| {
                known.gives_way(&entry, goes, speaker)
                    || own && known.moves_to(&entry, goes, speaker)
            });
            if !newer || (known.is_none() && spoken >= most) {
                continue;
            }
            if goes {
                self.clients.remove(&id);
            } else {
                spoken += usize::from(known.is_none());
                let client = Client {
                    clock: entry.clock,
                    json: entry.json.clone(),
                    speaker,
                };
                self.clients.insert(id, client);
            }
            news.insert(id, entry);
        }
        (!news.is_empty()).then_some(AwarenessUpdate { clients: news })
    }

    /// Removes all clients of a source. Returns the update that removes them.
    pub(crate) fn leave(&mut self, speaker: Speaker) -> Option<AwarenessUpdate> {
        self.keep(speaker, |_| false)
    }

    /// Removes the clients of a source that are not in `named`. Returns the update that removes them.
    pub(crate) fn keep(
        &mut self,
        speaker: Speaker,
        named: impl Fn(ClientID) -> bool,
    ) -> Option<AwarenessUpdate> {
        let gone = self
            .clients
            .extract_if(|id, client| client.speaker == speaker && !named(*id));
        let entry = |client: &Client| AwarenessUpdateEntry {
            clock: client.clock,
            json: GONE.into(),
        };
        let clients: HashMap<_, _> = gone.map(|(id, client)| (id, entry(&client))).collect();
        (!clients.is_empty()).then_some(AwarenessUpdate { clients })
    }

    /// Returns all states, for a new client.
    pub(crate) fn all(&self) -> Option<AwarenessUpdate> {
        let all = self.those(|_| true);
        (!all.clients.is_empty()).then_some(all)
    }

    /// Returns the states of the clients that are connected to this node.
    pub(crate) fn own(&self) -> AwarenessUpdate {
        self.those(|speaker| matches!(speaker, Speaker::Visit(_)))
    }

    fn those(&self, wanted: impl Fn(Speaker) -> bool) -> AwarenessUpdate {
        let entry = |client: &Client| AwarenessUpdateEntry {
            clock: client.clock,
            json: client.json.clone(),
        };
        let wanted = self.clients.iter().filter(|(_, c)| wanted(c.speaker));
        let clients = wanted.map(|(id, client)| (*id, entry(client))).collect();
        AwarenessUpdate { clients }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Speaker = Speaker::Visit(1);
    const THERE: Speaker = Speaker::Node(2);

    fn says(clock: u32, json: &str) -> AwarenessUpdate {
        let json = json.into();
        let entry = AwarenessUpdateEntry { clock, json };
        AwarenessUpdate {
            clients: HashMap::from([(ClientID::new(7), entry)]),
        }
    }

    #[test]
    fn one_who_comes_back_at_another_node_is_not_gone_with_the_first() {
        let mut presence = Presence::default();
        assert!(presence.take(says(3, "{}"), THERE).is_some());
        assert_eq!(presence.take(says(3, "{}"), HERE), Some(says(3, "{}")));
        assert_eq!(presence.take(says(3, GONE), THERE), None);
        assert_eq!(presence.leave(THERE), None);
        assert_eq!(presence.own(), says(3, "{}"));
        assert_eq!(presence.leave(HERE), Some(says(3, GONE)));
    }

    #[test]
    fn who_repeats_what_it_heard_of_another_does_not_speak_for_it() {
        let mut presence = Presence::default();
        let mut own = says(1, "{}");
        let entry = own.clients.remove(&ClientID::new(7)).unwrap();
        own.clients.insert(ClientID::new(8), entry);
        assert!(presence.take(own, HERE).is_some());
        assert!(presence.take(says(3, "{}"), THERE).is_some());
        assert_eq!(presence.take(says(3, "{}"), HERE), None);
        assert_eq!(presence.take(says(3, GONE), THERE), Some(says(3, GONE)));
    }

    #[test]
    fn whom_a_node_does_not_name_any_more_is_gone() {
        let mut presence = Presence::default();
        assert!(presence.take(says(3, "{}"), THERE).is_some());
        assert_eq!(presence.own().clients.len(), 0, "of others nothing is told");
        assert_eq!(presence.keep(THERE, |id| id == ClientID::new(7)), None);
        assert_eq!(presence.keep(HERE, |_| false), None);
        assert_eq!(presence.keep(THERE, |_| false), Some(says(3, GONE)));
        assert_eq!(presence.all(), None);
    }
}
