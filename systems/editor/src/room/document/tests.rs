use std::thread::Builder;

use super::*;

/// Less stack than any thread of the editor has.
const SMALL_STACK: usize = 256 << 10;

/// Arrays, each inside of the one before, by client 7; by hand, as the encoding is described.
fn arrays(count: usize) -> Vec<u8> {
    let mut update = vec![1];
    push_number(&mut update, count);
    update.extend([7, 0, 7, 1, 1, b'a', 0]);
    for parent in 0..count - 1 {
        update.extend([7, 0, 7]);
        push_number(&mut update, parent);
        update.push(0);
    }
    update.push(0);
    update
}

/// Deletes the first of them, and all with it.
const DELETES: [u8; 6] = [0, 1, 7, 1, 0, 1];

fn push_number(bytes: &mut Vec<u8>, mut number: usize) {
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7F).unwrap() | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).unwrap());
}

fn on_a_small_stack(test: impl FnOnce() + Send + 'static) {
    let thread = Builder::new().stack_size(SMALL_STACK).spawn(test);
    thread.unwrap().join().unwrap();
}

#[test]
fn as_many_nested_types_as_may_be_are_deleted_on_the_smallest_stack() {
    on_a_small_stack(|| {
        let mut document = Document::default();
        document.apply(&arrays(NESTED_TYPES)).unwrap();
        document.apply(&DELETES).unwrap();
        assert!(document.write("still here", true).unwrap().is_some());
        assert_eq!(document.text(), "still here");
    });
}

#[test]
fn further_types_are_refused_until_others_are_deleted() {
    on_a_small_stack(|| {
        let mut document = Document::default();
        let refused = document.apply(&arrays(NESTED_TYPES + 1));
        assert_eq!(refused, Err(UpdateError::TooNested));
        document.apply(&arrays(NESTED_TYPES)).unwrap();
        // By another client, in an array of its own.
        let more = [1, 1, 8, 0, 7, 1, 1, b'b', 0, 0];
        assert_eq!(document.apply(&more), Err(UpdateError::TooNested));
        document.apply(&DELETES).unwrap();
        assert_eq!(document.apply(&more), Ok(()));
    });
}

#[test]
fn a_document_in_the_document_is_refused() {
    // Nobody could open it here, and its memory would stay when the room is closed.
    let subdocument = [1, 1, 7, 0, 9, 1, 1, b'd', 1, b'g', 118, 0, 0];
    let refused = Document::default().apply(&subdocument);
    assert_eq!(refused, Err(UpdateError::Malformed));
}

/// How many updates are changed at random and applied; 100,000 by hand.
fn mutations() -> u64 {
    let asked = std::env::var("EDITOR_MUTATED_UPDATES").ok();
    asked.map_or(2000, |asked| asked.parse().unwrap())
}

/// Random numbers that are the same each time (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }

    /// A few bytes changed, cut, repeated, or values nested at random depth.
    fn mutated(&mut self, update: &[u8]) -> Vec<u8> {
        let mut bytes = update.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len() + 1);
            let end = bytes.len().min(at + 1);
            match self.below(6) {
                0 => drop(bytes.splice(at..end, [u8::try_from(self.below(256)).unwrap()])),
                1 => drop(bytes.splice(at..end, [0, 1, 7, 10, 117, 255][self.below(6)..].to_vec())),
                2 => drop(bytes.drain(at..end)),
                3 => bytes.truncate(at),
                4 => drop(bytes.splice(at..at, update[..self.below(update.len())].to_vec())),
                _ => drop(bytes.splice(at..at, [117, 1].repeat(1 << self.below(19)))),
            }
        }
        bytes
    }
}

/// What two people write into a text, a list, a map and a tree, update by update.
fn honest_updates() -> Vec<Vec<u8>> {
    use yrs::{Array, ArrayPrelim, Map, MapPrelim, XmlElementPrelim, XmlFragment};
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
            doc.get_or_insert_text(TEXT),
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
        if step > 4 {
            code.remove_range(&mut transaction, 0, 2);
            list.remove(&mut transaction, 0);
        }
        drop(transaction);
        let update = doc.transact().encode_state_as_update_v1(&known);
        other
            .transact_mut()
            .apply_update(Update::decode_v1(&update).unwrap())
            .unwrap();
        all.push(update);
    }
    all.extend([arrays(300), DELETES.to_vec()]);
    all
}

/// By hand: of some ten thousand such updates one makes the library loop for ever.
#[test]
#[ignore = "the library may loop"]
fn no_mutated_update_ends_the_process() {
    let honest = honest_updates();
    let mut dice = Dice(0x5eed);
    let mut document = Document::default();
    let mut stored: Vec<Vec<u8>> = Vec::new();
    for n in 0..mutations() {
        let update = &honest[dice.below(honest.len())];
        let update = if dice.below(4) == 0 {
            update.clone()
        } else {
            dice.mutated(update)
        };
        if document.apply(&update).is_ok() {
            stored.push(update);
        }
        document.text();
        if n % 50 == 49 {
            let mut loaded = Document::default();
            for update in stored.drain(..) {
                let _ = loaded.apply(&update);
            }
            let mut copy = Document::default();
            let _ = copy.apply(&loaded.whole());
            document = Document::default();
        }
    }
}
