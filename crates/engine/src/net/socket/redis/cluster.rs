use model::{Fault, FaultKind};
use url::Url;
use wire::resp::{
    Hello, Login, MOST_NODES, Node, Redirect, RedirectKind, SlotMap, slot, too_many_nodes,
};

/// A cluster of Redis servers, as one user sees it. It has no connection of its own: each node that is needed gets one.
#[derive(Debug)]
pub(crate) struct Cluster {
    pub(crate) login: Login,
    /// The address of the node that is asked first: `redis://host:port`, like all addresses here.
    seed: String,
    /// The node of each slot.
    slots: SlotMap,
    /// What the first node says about itself.
    pub(crate) server: Hello,
    nodes: Vec<Member>,
    /// Commands that wait for the connection to their node, in order.
    queued: Vec<QueuedCommand>,
    /// Whether a connection to a node has been open.
    pub(crate) reached: bool,
    /// The number of the next command.
    next: u64,
}

/// A node to which there is a connection.
#[derive(Debug)]
struct Member {
    address: String,
    /// The key of the connection; `None` while it is being opened.
    key: Option<u32>,
}

/// A command that waits for the connection to its node.
#[derive(Debug)]
pub(crate) struct QueuedCommand {
    /// The number of the command.
    pub(crate) number: u64,
    address: String,
    /// Whether `ASKING` precedes the command.
    pub(crate) asks: bool,
}

/// The connection to a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// The connection with this key is open.
    Open(u32),
    /// The connection is being opened.
    Opening,
    /// There is none.
    None,
}

impl Cluster {
    pub(crate) fn new(login: Login, seed: String) -> Self {
        Self {
            login,
            seed,
            slots: SlotMap::default(),
            server: Hello::default(),
            nodes: Vec::new(),
            queued: Vec::new(),
            reached: false,
            next: 0,
        }
    }

    /// A new number for a command.
    pub(crate) fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// Learns the node of each slot.
    pub(crate) fn knows(&mut self, slots: SlotMap) {
        self.slots = slots;
    }

    /// The address of the node that serves a key; the first node if that is unknown.
    pub(crate) fn node_for(&self, key: Option<&[u8]>) -> Result<String, Fault> {
        match key.and_then(|key| self.slots.node(slot(key))) {
            Some(node) => address_of(node, &self.seed),
            None => Ok(self.seed.clone()),
        }
    }

    /// Learns from a redirect of the node at `from`. Returns the address of the other node.
    pub(crate) fn redirected(
        &mut self,
        redirect: &Redirect<'_>,
        from: &str,
    ) -> Result<String, Fault> {
        let node = Node {
            host: redirect.host.to_owned(),
            port: redirect.port,
        };
        let address = address_of(&node, from)?;
        if self.way_to(&address) == Way::None && self.nodes.len() >= MOST_NODES {
            return Err(too_many_nodes());
        }
        if redirect.kind == RedirectKind::Moved {
            // An empty host means that of the node that sent the redirect, which may not be the first node.
            let url = Url::parse(&address).ok();
            let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
            let host = host.trim_matches(['[', ']']);
            self.slots.moved(&Redirect { host, ..*redirect })?;
        }
        Ok(address)
    }

    pub(crate) fn way_to(&self, address: &str) -> Way {
        match self.nodes.iter().find(|node| node.address == address) {
            Some(Member { key: Some(key), .. }) => Way::Open(*key),
            Some(_) => Way::Opening,
            None => Way::None,
        }
    }

    /// Notes that the connection to a node is being opened.
    pub(crate) fn opens(&mut self, address: String) {
        self.nodes.push(Member { address, key: None });
    }

    /// Notes that the connection to a node is open. Returns the commands that waited for it.
    pub(crate) fn opened(&mut self, address: &str, key: u32) -> Vec<QueuedCommand> {
        self.reached = true;
        if let Some(node) = self.nodes.iter_mut().find(|node| node.address == address) {
            node.key = Some(key);
        }
        self.take_queued(address)
    }

    /// Notes that there is no connection to a node any more. Returns the commands that waited for it.
    pub(crate) fn lost(&mut self, address: &str) -> Vec<QueuedCommand> {
        self.nodes.retain(|node| node.address != address);
        self.take_queued(address)
    }

    /// Queues a command until the connection to its node is open.
    pub(crate) fn queue(&mut self, number: u64, address: String, asks: bool) {
        self.queued.push(QueuedCommand {
            number,
            address,
            asks,
        });
    }

    /// The keys of the open connections.
    pub(crate) fn keys(&self) -> impl Iterator<Item = u32> {
        self.nodes.iter().filter_map(|node| node.key)
    }

    fn take_queued(&mut self, address: &str) -> Vec<QueuedCommand> {
        let (its, others) = self
            .queued
            .drain(..)
            .partition(|one| one.address == address);
        self.queued = others;
        its
    }
}

/// The address of a node that the node at `from` has named.
fn address_of(node: &Node, from: &str) -> Result<String, Fault> {
    let Node { host, port } = node;
    let named = if host.contains(':') {
        format!("[{host}]")
    } else {
        host.clone()
    };
    let address = Url::parse(from).ok().and_then(|from| {
        let host = if host.is_empty() {
            from.host_str()?
        } else {
            &named
        };
        let address = format!("{}://{host}:{port}", from.scheme());
        Url::parse(&address)
            .is_ok_and(|url| url.has_host() && url.path().is_empty() && url.username().is_empty())
            .then_some(address)
    });
    address.ok_or_else(|| {
        let detail = format!("the Redis cluster names a node `{host}:{port}`, which is no address");
        Fault::target(FaultKind::Protocol, detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cluster() -> Cluster {
        Cluster::new(Login::default(), "rediss://10.0.0.1:7000".to_owned())
    }

    fn redirected(cluster: &mut Cluster, kind: RedirectKind, host: &str) -> Result<String, Fault> {
        let redirect = Redirect {
            kind,
            slot: slot(b"a"),
            host,
            port: 7001,
        };
        cluster.redirected(&redirect, "rediss://10.0.0.2:7002")
    }

    #[test]
    fn a_redirect_names_the_node_for_good_or_once() {
        let mut cluster = cluster();
        let first = "rediss://10.0.0.1:7000";
        assert_eq!(cluster.node_for(Some(b"a")).unwrap(), first);
        let asked = redirected(&mut cluster, RedirectKind::Ask, "::1").unwrap();
        assert_eq!(asked, "rediss://[::1]:7001");
        assert_eq!(cluster.node_for(Some(b"a")).unwrap(), first);
        for (host, address) in [
            ("", "rediss://10.0.0.2:7001"),
            ("node.test", "rediss://node.test:7001"),
            ("::1", "rediss://[::1]:7001"),
        ] {
            let moved = redirected(&mut cluster, RedirectKind::Moved, host).unwrap();
            assert_eq!(moved, address);
            assert_eq!(cluster.node_for(Some(b"a")).unwrap(), address);
        }
        assert_eq!(cluster.node_for(None).unwrap(), first);
        assert_eq!(cluster.node_for(Some(b"b")).unwrap(), first);
        for bad in ["a/b", "a@b", "a b"] {
            assert!(
                redirected(&mut cluster, RedirectKind::Moved, bad).is_err(),
                "{bad}"
            );
        }
    }

    /// Each node would get a connection.
    #[test]
    fn a_server_cannot_name_nodes_without_end() {
        let mut cluster = cluster();
        let named = |n: usize| format!("node{n}.test");
        for n in 0..MOST_NODES {
            let address = redirected(&mut cluster, RedirectKind::Ask, &named(n)).unwrap();
            cluster.opens(address);
        }
        for kind in [RedirectKind::Ask, RedirectKind::Moved] {
            let fault = redirected(&mut cluster, kind, "new.test").unwrap_err();
            assert!(fault.detail.contains("more than 1000 nodes"), "{fault:?}");
        }
        assert!(redirected(&mut cluster, RedirectKind::Moved, &named(7)).is_ok());
    }

    #[test]
    fn commands_wait_for_the_connection_to_their_node() {
        let mut cluster = cluster();
        let numbers =
            |queued: Vec<QueuedCommand>| queued.iter().map(|one| one.number).collect::<Vec<_>>();
        assert_eq!(cluster.way_to("a"), Way::None);
        cluster.opens("a".to_owned());
        cluster.opens("b".to_owned());
        assert_eq!(cluster.way_to("a"), Way::Opening);
        for (number, address) in [(1, "a"), (2, "b"), (3, "a")] {
            cluster.queue(number, address.to_owned(), false);
        }
        assert_eq!(numbers(cluster.opened("a", 9)), [1, 3]);
        assert_eq!(cluster.way_to("a"), Way::Open(9));
        assert_eq!(numbers(cluster.lost("b")), [2]);
        assert_eq!(cluster.way_to("b"), Way::None);
        assert_eq!(cluster.keys().collect::<Vec<_>>(), [9]);
    }
}
