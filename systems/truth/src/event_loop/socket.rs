use super::EventLoop;
use crate::clock::Nanos;
use crate::connection::Fate;
use crate::frame::{BadFrame, Frame, MAX_MESSAGE, Opcode, read_frame, write_frame};
use crate::sockets::Key;

/// The effect of one received frame.
enum Heard {
    /// A whole message.
    Message(Opcode, Vec<u8>),
    Nothing,
    /// The client has closed the WebSocket, or must be disconnected.
    End,
}

impl EventLoop {
    /// Handles all complete frames that a room member has sent.
    pub(super) fn hear(&mut self, key: Key, place: (usize, usize), now: Nanos) -> bool {
        let Some(connection) = self.sockets.get(key) else {
            return false;
        };
        let mut input = std::mem::take(&mut connection.input);
        let mut done = 0;
        let mut out = Vec::new();
        let mut goes_on = connection.fate == Fate::Open;
        while goes_on {
            let frame = match read_frame(&mut input[done..]) {
                Ok(Some(frame)) => frame,
                Ok(None) => break,
                Err(BadFrame(code)) => {
                    self.goodbye(key, &code.to_be_bytes());
                    break;
                }
            };
            done += frame.length;
            out.clear();
            if frame.last && matches!(frame.opcode, Opcode::Text | Opcode::Binary) {
                write_frame(&mut out, frame.opcode, frame.payload);
                goes_on = self.say(key, place, &out, now);
                continue;
            }
            match self.rare(key, &frame) {
                Heard::Message(opcode, payload) => {
                    write_frame(&mut out, opcode, &payload);
                    goes_on = self.say(key, place, &out, now);
                }
                Heard::Nothing => {}
                Heard::End => goes_on = false,
            }
        }
        if let Some(connection) = self.sockets.get(key) {
            input.drain(..done);
            connection.input = input;
        }
        false
    }

    fn say(&mut self, key: Key, place: (usize, usize), frame: &[u8], now: Nanos) -> bool {
        let (rooms, mut outlet) = self.rooms_and_outlet();
        let goes_on = rooms.say(place, frame, now, &mut outlet);
        if !goes_on {
            // The room holds too many bytes. Close code 1013 asks the client to try again later.
            self.goodbye(key, &1013_u16.to_be_bytes());
        }
        goes_on
    }

    /// Handles control frames and fragmented messages.
    fn rare(&mut self, key: Key, frame: &Frame<'_>) -> Heard {
        let Some(connection) = self.sockets.get(key) else {
            return Heard::End;
        };
        match frame.opcode {
            Opcode::Ping => {
                let mut pong = Vec::new();
                write_frame(&mut pong, Opcode::Pong, frame.payload);
                self.sockets.queue(key, &pong);
                Heard::Nothing
            }
            Opcode::Pong => Heard::Nothing,
            Opcode::Close => {
                let code = frame.payload.get(..2).unwrap_or_default();
                self.goodbye(key, code);
                Heard::End
            }
            Opcode::Text | Opcode::Binary => {
                connection.partial = Some((frame.opcode, frame.payload.to_vec()));
                Heard::Nothing
            }
            Opcode::Continuation => {
                let Some((opcode, mut payload)) = connection.partial.take() else {
                    self.goodbye(key, &1002_u16.to_be_bytes());
                    return Heard::End;
                };
                payload.extend_from_slice(frame.payload);
                if payload.len() > MAX_MESSAGE {
                    self.goodbye(key, &1009_u16.to_be_bytes());
                    return Heard::End;
                }
                if frame.last {
                    return Heard::Message(opcode, payload);
                }
                connection.partial = Some((opcode, payload));
                Heard::Nothing
            }
        }
    }

    /// Queues a close frame. The connection is closed when the frame has been written.
    fn goodbye(&mut self, key: Key, code: &[u8]) {
        if let Some(connection) = self.sockets.get(key) {
            write_frame(&mut connection.output, Opcode::Close, code);
            connection.fate = Fate::Ending;
        }
        self.sockets.touch(key);
    }
}
