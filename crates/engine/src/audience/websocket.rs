//! Members of passive audiences with a WebSocket.

use delivery::Documents;
use model::Fault;
use rand_core::RngCore;
use rand_pcg::Pcg64Mcg;
use script::host::{Payload, SocketCall};
use wire::websocket::{Connection, Handshake};

use super::arrival::MemberArrival;
use super::described::{Describe, Described};
use super::member::First;
use super::transport::MemberTransport;
use crate::base::Base;
use crate::dial::Opener;
use crate::net::socket::Upgrade;
use crate::socket::framing_of;

impl Describe for SocketCall {
    fn describe(
        self,
        base: &mut Base,
        first: Vec<Payload>,
        random: &mut Pcg64Mcg,
    ) -> Result<Described, Fault> {
        let located = base.net.connector.locate(&self.url)?;
        let mut nonce = [0; 16];
        random.fill_bytes(&mut nonce);
        let handshake = Handshake::new(&located.url, &self.subprotocols, &self.headers, nonce)?;
        let seed = random.next_u64();
        let opener = Opener::WebSocket(Upgrade { handshake, seed });
        let limit = base.opening_limit(self.timeout);
        let max_message = base.config.options.max_message;
        Ok(Described {
            documents: Documents::new(framing_of(self.documents), max_message),
            first: First::Messages(first),
            ..Described::new(located.endpoint, opener, limit)
        })
    }
}

impl MemberTransport for Connection {
    fn hear(
        &mut self,
        bytes: &[u8],
        arrival: &mut MemberArrival<'_>,
    ) -> (usize, Result<(), Fault>) {
        let mut messages = 0;
        let outcome = self.on_bytes(bytes, &mut |event| {
            messages += 1;
            arrival.came(event);
        });
        (messages, outcome)
    }
}
