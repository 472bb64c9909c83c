use model::Fault;

use super::error::Redirect;
use super::slot::SLOTS;
use super::value::Value;
use crate::fault::protocol;

/// Maximum number of nodes. Redis is made for clusters of up to 1,000 nodes.
pub const MOST_NODES: usize = 1000;

/// The address of a node of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The host. Empty if it is the host of the node that was asked.
    pub host: String,
    /// The port.
    pub port: u16,
}

/// The node of every slot of a cluster.
#[derive(Clone, Debug)]
pub struct SlotMap {
    nodes: Vec<Node>,
    /// For each slot, the place of its node in `nodes` plus one; 0 if no node serves the slot.
    owners: Vec<u16>,
}

impl Default for SlotMap {
    fn default() -> Self {
        Self {
            nodes: Vec::new(),
            owners: vec![0; usize::from(SLOTS)],
        }
    }
}

impl SlotMap {
    /// Reads the reply to `CLUSTER SLOTS`: ranges of slots, each with its primary node and then its replicas, which are
    /// not used.
    pub fn parse(reply: &Value<'_>) -> Result<Self, Fault> {
        let unfit =
            || protocol("the reply to CLUSTER SLOTS is not a list of slots with their nodes");
        let mut map = Self::default();
        let ranges = reply.items().ok_or_else(unfit)?;
        for (count, range) in ranges.values().enumerate() {
            // No slot can be in two ranges, so there are not more ranges than slots.
            if count == usize::from(SLOTS) {
                return Err(unfit());
            }
            let (first, last, node) = range_of(&range).ok_or_else(unfit)?;
            map.assign(first, last, node)?;
        }
        Ok(map)
    }

    /// The node that serves a slot. `None` if no node does.
    pub fn node(&self, slot: u16) -> Option<&Node> {
        let place = self.owners.get(usize::from(slot))?.checked_sub(1)?;
        self.nodes.get(usize::from(place))
    }

    /// All nodes that serve slots or have served one.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Learns from a redirect of the kind [`Moved`](super::RedirectKind::Moved).
    pub fn moved(&mut self, redirect: &Redirect<'_>) -> Result<(), Fault> {
        let node = Node {
            host: redirect.host.to_owned(),
            port: redirect.port,
        };
        self.assign(redirect.slot, redirect.slot, node)
    }

    fn assign(&mut self, first: u16, last: u16, node: Node) -> Result<(), Fault> {
        let known = self.nodes.iter().position(|known| *known == node);
        let place = known.unwrap_or(self.nodes.len());
        if place == MOST_NODES {
            return Err(too_many_nodes());
        }
        if known.is_none() {
            self.nodes.push(node);
        }
        // There are fewer nodes than numbers.
        let owner = u16::try_from(place + 1).unwrap_or(0);
        self.owners[usize::from(first)..=usize::from(last)].fill(owner);
        Ok(())
    }
}

/// The fault of a server that names more than [`MOST_NODES`] nodes.
pub fn too_many_nodes() -> Fault {
    protocol(format!(
        "the Redis cluster names more than {MOST_NODES} nodes"
    ))
}

fn range_of(range: &Value<'_>) -> Option<(u16, u16, Node)> {
    let mut parts = range.items()?.values();
    let mut slot = || {
        u16::try_from(parts.next()?.integer()?)
            .ok()
            .filter(|&slot| slot < SLOTS)
    };
    let (first, last) = (slot()?, slot()?);
    let mut address = parts.next()?.items()?.values();
    let host = address.next()?;
    let node = Node {
        // The server sends null if it does not know its own address.
        host: host
            .text()
            .filter(|&host| host != "?")
            .unwrap_or_default()
            .to_owned(),
        port: u16::try_from(address.next()?.integer()?).ok()?,
    };
    (first <= last).then_some((first, last, node))
}

#[cfg(test)]
mod tests {
    use super::super::{Parser, RedirectKind};
    use super::*;

    fn parsed(text: &str) -> Result<SlotMap, Fault> {
        let mut outcome = None;
        let mut parser = Parser::new(16_000_000);
        let mut sink = |reply: super::super::Reply<'_>| {
            outcome = Some(SlotMap::parse(&reply.value));
            Ok(())
        };
        parser.on_bytes(text.as_bytes(), &mut sink).unwrap();
        outcome.unwrap()
    }

    fn node(host: &str, port: u16) -> Node {
        Node {
            host: host.into(),
            port,
        }
    }

    #[test]
    fn each_slot_has_its_primary_node() {
        let mut map = parsed(
            "*2\r\n*4\r\n:0\r\n:8191\r\n*4\r\n$1\r\na\r\n:7000\r\n$2\r\nid\r\n*0\r\n*3\r\n$1\r\nr\r\n:7005\r\n$2\r\nid\r\n\
             *3\r\n:8192\r\n:16382\r\n*3\r\n_\r\n:7001\r\n$2\r\nid\r\n",
        )
        .unwrap();
        assert_eq!(map.node(0), Some(&node("a", 7000)));
        assert_eq!(map.node(8191), Some(&node("a", 7000)));
        assert_eq!(map.node(8192), Some(&node("", 7001)));
        assert_eq!(map.node(16382), Some(&node("", 7001)));
        assert_eq!((map.node(16383), map.node(u16::MAX)), (None, None));
        map.moved(&Redirect {
            kind: RedirectKind::Moved,
            slot: 5,
            host: "b",
            port: 1,
        })
        .unwrap();
        assert_eq!(map.node(4), Some(&node("a", 7000)));
        assert_eq!(map.node(5), Some(&node("b", 1)));
        assert_eq!(map.nodes().len(), 3);
    }

    /// The cost of each range grows with the number of nodes.
    #[test]
    fn a_server_cannot_name_nodes_and_ranges_without_end() {
        let reply = |ranges: usize, nodes: usize| {
            let range = |n: usize| format!("*3\r\n:0\r\n:0\r\n*2\r\n+{:x}\r\n:1\r\n", n % nodes);
            let ranges: String = (0..ranges).map(range).collect();
            ranges
        };
        let of = |ranges, nodes| {
            let text = format!("*{ranges}\r\n{}", reply(ranges, nodes));
            parsed(&text).map(|map| map.nodes().len())
        };
        assert_eq!(of(1000, 1000), Ok(1000));
        let fault = of(1001, 1001).unwrap_err();
        assert!(fault.detail.contains("more than 1000 nodes"), "{fault:?}");
        assert_eq!(of(16384, 3), Ok(3));
        assert!(of(16385, 3).is_err());
        let mut full = parsed(&format!("*1000\r\n{}", reply(1000, 1000))).unwrap();
        let moved = |host| Redirect {
            kind: RedirectKind::Moved,
            slot: 5,
            host,
            port: 1,
        };
        assert!(full.moved(&moved("new")).is_err());
        assert_eq!(full.moved(&moved("7")), Ok(()));
    }

    #[test]
    fn other_replies_are_refused() {
        for bad in [
            "+OK\r\n",
            "*1\r\n:1\r\n",
            "*1\r\n*2\r\n:0\r\n:1\r\n",
            "*1\r\n*3\r\n:0\r\n:16384\r\n*2\r\n$1\r\na\r\n:1\r\n",
            "*1\r\n*3\r\n:2\r\n:1\r\n*2\r\n$1\r\na\r\n:1\r\n",
            "*1\r\n*3\r\n:-1\r\n:1\r\n*2\r\n$1\r\na\r\n:1\r\n",
            "*1\r\n*3\r\n:0\r\n:1\r\n*2\r\n$1\r\na\r\n:65536\r\n",
        ] {
            assert!(parsed(bad).is_err(), "{bad:?}");
        }
    }
}
