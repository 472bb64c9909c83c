//! Malicious updates.

#[path = "../../../tests/common/nested.rs"]
mod nested;

use std::thread::Builder;

use nested::{DELETES, nested_types, nested_value, number};
use yrs::updates::decoder::Decode;
use yrs::{Array, ArrayPrelim, Doc, Map, MapPrelim, ReadTxn, Text, Transact};
use yrs::{XmlElementPrelim, XmlFragment, XmlTextPrelim};

use super::*;

/// Stack size in bytes, smaller than that of any thread of the editor.
const SMALL_STACK: usize = 128 << 10;
/// The default maximum size of a message.
const LARGEST: usize = 1_000_000;

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = Builder::new().stack_size(SMALL_STACK).spawn(test);
    thread.unwrap().join().unwrap();
}

#[test]
fn values_and_types_nested_up_to_the_limit_are_taken_and_deeper_ones_refused_whatever_their_depth()
{
    on_a_small_stack(|| {
        for nested in [nested_value, nested_types] {
            let mut document = Document::default();
            document.apply(&nested(100)).unwrap();
            document.apply(&DELETES).unwrap();
            for depth in [102, 6000, 24_000, 100_000, (LARGEST - 20) / 2] {
                let mut document = Document::default();
                let refused = document.apply(&nested(depth));
                let known = [UpdateError::TooNested, UpdateError::TooManyBlocks];
                assert!(known.map(Err).contains(&refused), "{depth}: {refused:?}");
                assert_eq!(document.whole(), [0, 0]);
            }
        }
    });
}

#[test]
fn what_was_stored_by_one_who_took_deeper_ones_is_read() {
    on_a_small_stack(|| {
        let mut document = Document::default();
        document.load(&nested_types(15_000)).unwrap();
        document.load(&DELETES).unwrap();
        assert_eq!(
            document.load(&nested_value(1_000_000)),
            Err(UpdateError::TooNested)
        );
        document
            .apply(&HELLO.map(|byte| if byte == 7 { 9 } else { byte }))
            .unwrap();
        assert_eq!(document.text(), "hello");
    });
}

/// An update with one embedded object in the text, or with one format.
fn with_json(is_format: bool, json: &str) -> Vec<u8> {
    let mut update = vec![1, 1, 9, 0, if is_format { 6 } else { 5 }, 1, 4];
    update.extend(b"code");
    if is_format {
        update.extend([1, b'k']);
    }
    update.extend(number(json.len()));
    update.extend(json.as_bytes());
    update.push(0);
    update
}

#[test]
fn an_embedded_object_or_format_that_clients_could_not_parse_is_refused() {
    on_a_small_stack(|| {
        let nested = |depth| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let applied = |is_format, json: &str| {
            let mut document = Document::default();
            document.apply(&with_json(is_format, json))
        };
        for is_format in [false, true] {
            for json in [
                "null",
                "7",
                r#""\ud800[[\\""#,
                r#"{"a":["[["]}"#,
                &nested(100),
            ] {
                assert_eq!(applied(is_format, json), Ok(()), "{json}");
            }
            for json in ["", "{\"a\":", "undefined", "[1]]", "'a'"] {
                let refused = applied(is_format, json);
                assert_eq!(refused, Err(UpdateError::Malformed), "{json}");
            }
            for depth in [101, 24_000, 400_000] {
                let refused = applied(is_format, &nested(depth));
                assert_eq!(refused, Err(UpdateError::TooNested), "{depth}");
            }
        }
    });
}

#[test]
fn a_document_in_the_document_is_refused() {
    let subdocument = [1, 1, 7, 0, 9, 1, 1, b'd', 1, b'g', 118, 0, 0];
    let refused = Document::default().apply(&subdocument);
    assert_eq!(refused, Err(UpdateError::Malformed));
}

#[test]
fn a_block_that_refers_to_itself_or_to_a_later_one_is_refused() {
    for clock in [0, 1, 100] {
        let update = [1, 1, 7, 0, 0x84, 7, clock, 1, b'x', 0];
        assert_eq!(
            Document::default().apply(&update),
            Err(UpdateError::Malformed)
        );
    }
}

#[test]
fn clients_that_wait_for_each_other_wait_without_end_and_disturb_nobody() {
    let mut document = Document::default();
    let circle = [
        2, 1, 7, 0, 0x84, 8, 0, 1, b'x', 1, 8, 0, 0x84, 7, 0, 1, b'x', 0,
    ];
    document.apply(&circle).unwrap();
    document
        .apply(&HELLO.map(|byte| if byte == 7 { 9 } else { byte }))
        .unwrap();
    assert_eq!(document.text(), "hello");
    assert!(document.has_gap());
}

#[test]
fn thousands_who_write_at_one_place_are_refused_and_leave_the_document_as_it_was() {
    let mut document = Document::default();
    document.apply(&HELLO).unwrap();
    let before = document.whole();
    // Each block has a different right neighbour, so every block is compared with all others.
    let clients = 15_000_usize;
    let mut update = Vec::new();
    update.extend(number(clients));
    for client in 0..clients {
        update.push(1);
        update.extend(number(100 + client));
        update.extend([0, 0x44, 7, u8::try_from(client % 5).unwrap(), 1, b'x']);
    }
    update.push(0);
    assert_eq!(document.apply(&update), Err(UpdateError::TooCostly));
    assert_eq!(document.whole(), before);
}

#[test]
fn a_document_has_at_most_twenty_thousand_blocks_however_they_arrive() {
    let mut document = Document::default();
    document.apply(&HELLO).unwrap();
    let arrays = |client: usize, count: usize| {
        let mut update = vec![1];
        update.extend(number(count));
        update.extend(number(client));
        update.push(0);
        for _ in 0..count {
            // An array in the map `a`, with the key `k`.
            update.extend([0x27, 1, 1, b'a', 1, b'k', 0]);
        }
        update.push(0);
        update
    };
    let before = document.whole();
    let refused = document.apply(&arrays(9, 100_000));
    assert_eq!(refused, Err(UpdateError::TooManyBlocks));
    assert_eq!(document.whole(), before);
    document.apply(&arrays(9, 15_000)).unwrap();
    let refused = document.apply(&arrays(10, 9_000));
    assert_eq!(refused, Err(UpdateError::TooManyBlocks));
    document.apply(&arrays(10, 4_000)).unwrap();
}

/// Number of updates that are mutated at random and applied. Manual runs use 100,000.
fn mutations() -> u64 {
    let asked = std::env::var("EDITOR_MUTATED_UPDATES").ok();
    asked.map_or(3000, |asked| asked.parse().unwrap())
}

/// A reproducible random generator (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    fn byte(&mut self, end: usize) -> u8 {
        u8::try_from(self.below(end)).unwrap()
    }

    /// Changes, removes or repeats a few bytes, or inserts values nested to a random depth. The result does not exceed
    /// the message limit.
    fn mutated(&mut self, update: &[u8]) -> Vec<u8> {
        let mut bytes = update.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len() + 1);
            let end = bytes.len().min(at + 1);
            match self.below(6) {
                0 => drop(bytes.splice(at..end, [self.byte(256)])),
                1 => drop(bytes.splice(at..end, [0, 1, 7, 10, 117, 255][self.below(6)..].to_vec())),
                2 => drop(bytes.drain(at..end)),
                3 => bytes.truncate(at),
                4 => drop(bytes.splice(at..at, update[..self.below(update.len())].to_vec())),
                _ => drop(bytes.splice(at..at, [117, 1].repeat(1 << self.below(19)))),
            }
        }
        bytes
    }

    /// A well-formed update whose blocks refer to random targets: duplicate blocks, foreign parents, gaps.
    fn made_up(&mut self) -> Vec<u8> {
        let clients = self.byte(4);
        let mut bytes = vec![clients];
        for _ in 0..clients {
            let blocks = 1 + self.byte(5);
            bytes.extend([blocks, 1 + self.byte(3), self.clock()]);
            for _ in 0..blocks {
                self.push_block(&mut bytes);
            }
        }
        let clients = self.byte(3);
        bytes.push(clients);
        for _ in 0..clients {
            let ranges = self.byte(3);
            bytes.extend([1 + self.byte(3), ranges]);
            (0..ranges).for_each(|_| bytes.extend([self.clock(), self.clock()]));
        }
        bytes
    }

    fn clock(&mut self) -> u8 {
        let most = [3, 6, 12, 40][self.below(4)];
        self.byte(most)
    }

    fn push_block(&mut self, bytes: &mut Vec<u8>) {
        let kind = [0, 10, 1, 1, 4, 4, 4, 7, 7, 7, 8, 6, 3, 5][self.below(14)];
        if kind == 0 || kind == 10 {
            return bytes.extend([kind, 1 + self.byte(4)]);
        }
        let flags = [0, 0, 0x80, 0x40, 0xC0, 0x20, 0xA0][self.below(7)];
        bytes.push(kind | flags);
        let ids = u32::from(flags & 0xC0).count_ones();
        (0..ids).for_each(|_| bytes.extend([1 + self.byte(3), self.clock()]));
        if ids == 0 {
            match self.below(4) {
                0 | 1 => bytes.extend([0, 1 + self.byte(3), self.clock()]),
                2 => bytes.extend([1, 4, b'c', b'o', b'd', b'e']),
                _ => bytes.extend([1, 1, b'm']),
            }
            if flags & 0x20 != 0 {
                bytes.extend([1, [b'a', b'b'][self.below(2)]]);
            }
        }
        match kind {
            1 => bytes.push(self.byte(4)),
            4 => bytes.extend([&[4][..], "xü".as_bytes(), b"z"].concat()),
            5 => bytes.extend([1, b'1']),
            6 => bytes.extend([&[1, b'b', 4][..], b"true"].concat()),
            7 => bytes.push([0, 1, 2, 4, 6][self.below(5)]),
            8 => bytes.extend([2, 126, 125, 1]),
            _ => bytes.extend([1, 7]),
        }
    }
}

/// The updates of two clients that write into a text, a list, a map and a tree.
fn honest_updates() -> Vec<Vec<u8>> {
    let (ada, bob) = (Doc::with_client_id(7), Doc::with_client_id(9));
    let mut all = Vec::new();
    for step in 0..12_u32 {
        let (doc, other) = if step % 2 == 0 {
            (&ada, &bob)
        } else {
            (&bob, &ada)
        };
        let known = other.transact().state_vector();
        let (code, list) = (
            doc.get_or_insert_text("code"),
            doc.get_or_insert_array("list"),
        );
        let (map, tree) = (
            doc.get_or_insert_map("map"),
            doc.get_or_insert_xml_fragment("tree"),
        );
        let mut transaction = doc.transact_mut();
        code.insert(&mut transaction, 0, "grüße 👋 ");
        list.push_back(&mut transaction, ArrayPrelim::from([1, 2, 3]));
        map.insert(&mut transaction, "key", MapPrelim::from([("a", 1.5)]));
        tree.push_back(&mut transaction, XmlElementPrelim::empty("p"));
        tree.push_back(&mut transaction, XmlTextPrelim::new("words"));
        if step > 4 {
            code.remove_range(&mut transaction, 0, 2);
            list.remove(&mut transaction, 0);
        }
        drop(transaction);
        let update = doc.transact().encode_diff_v1(&known);
        let decoded = yrs::Update::decode_v1(&update).unwrap();
        other.transact_mut().apply_update(decoded).unwrap();
        all.push(update);
    }
    all.extend([nested_types(90), DELETES.to_vec()]);
    all
}

/// Applies each update as if a client sent it. Then loads the accepted updates again, one by one and as one document.
fn survives(mutations: u64, seed: u64) {
    let honest = honest_updates();
    let mut dice = Dice(seed);
    let (mut document, mut stored) = (Document::default(), Vec::new());
    for n in 0..mutations {
        let base = &honest[dice.below(honest.len())];
        let update = match dice.below(8) {
            0 => base.clone(),
            1..=3 => dice.mutated(base),
            4 => {
                let made_up = dice.made_up();
                dice.mutated(&made_up)
            }
            _ => dice.made_up(),
        };
        if document.apply(&update).is_ok() {
            stored.push(update);
        }
        let text = document.text().to_owned();
        document.write(&format!("{text}."), true);
        if n % 50 == 49 {
            let mut loaded = Document::default();
            for update in stored.drain(..) {
                loaded.load(&update).unwrap();
            }
            Document::default().load(&loaded.whole()).unwrap();
            Document::default().load(&document.whole()).unwrap();
            document = Document::default();
        }
    }
}

#[test]
fn no_mutated_update_ends_the_process() {
    for seed in [0x5eed, 0xf00d] {
        println!("{} updates, seed {seed:#x}", mutations());
        on_a_small_stack(move || survives(mutations(), seed));
    }
}
