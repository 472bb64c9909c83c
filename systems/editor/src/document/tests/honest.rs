//! Well-behaved clients that use another implementation (yrs) end with the same text as the document.

use proptest::prelude::*;
use yrs::types::ToJson;
use yrs::updates::decoder::Decode;
use yrs::{Array, Doc, GetString, Map, OffsetKind, Options, ReadTxn, Text, Transact};

use super::*;

const WORDS: [&str; 7] = ["a", "bc", "👋", "ü", "hello ", "x\n", "0123456789"];

/// One random action. The numbers select its details.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// A member writes a whole text.
    Write(usize, usize, usize),
    /// A client changes its own document.
    Edit(usize, usize, usize, usize),
    /// One of the updates in flight arrives.
    Arrives(usize),
    /// A client receives the updates that it lacks.
    Hears(usize),
    /// A client sends again the updates that the document lacks.
    Repeats(usize),
    /// The document is reloaded from its encoding.
    Reopened,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let any = || 0..1000_usize;
    let step = prop_oneof![
        3 => (any(), any(), any()).prop_map(|(a, b, word)| Step::Write(a, b, word)),
        6 => (any(), any(), any(), any()).prop_map(|(who, what, a, b)| Step::Edit(who, what, a, b)),
        5 => any().prop_map(Step::Arrives),
        3 => any().prop_map(Step::Hears),
        1 => any().prop_map(Step::Repeats),
        1 => Just(Step::Reopened),
    ];
    prop::collection::vec(step, 1..60)
}

struct Trial {
    document: Document,
    clients: Vec<Doc>,
    /// All updates, in the order in which they were created.
    log: Vec<Vec<u8>>,
    on_their_way: Vec<Vec<u8>>,
}

fn client(id: u64) -> Doc {
    let mut options = Options::with_client_id(ClientID::new(id));
    options.offset_kind = OffsetKind::Utf16;
    Doc::with_options(options)
}

fn apply(doc: &Doc, update: &[u8]) {
    let update = yrs::Update::decode_v1(update).unwrap();
    doc.transact_mut().apply_update(update).unwrap();
}

fn text_of(doc: &Doc) -> String {
    doc.get_or_insert_text("code").get_string(&doc.transact())
}

/// All content except the text.
fn rest_of(doc: &Doc) -> [yrs::Any; 2] {
    let (list, map) = (
        doc.get_or_insert_array("list"),
        doc.get_or_insert_map("map"),
    );
    let transaction = doc.transact();
    [list.to_json(&transaction), map.to_json(&transaction)]
}

impl Trial {
    fn take(&mut self, step: Step) {
        let count = self.clients.len();
        match step {
            Step::Write(a, b, word) => self.write(a, b, word),
            Step::Edit(who, what, a, b) => {
                if let Some(update) = edit(&self.clients[who % count], what, a, b) {
                    self.on_their_way.push(update.clone());
                    self.log.push(update);
                }
            }
            Step::Arrives(which) if !self.on_their_way.is_empty() => {
                let which = which % self.on_their_way.len();
                self.document
                    .apply(&self.on_their_way.remove(which))
                    .unwrap();
            }
            // yrs loses deletions of blocks that are missing.
            Step::Hears(who) if !self.document.has_gap() => {
                let client = &self.clients[who % count];
                let known = client.transact().state_vector();
                apply(client, &self.document.since(&known));
            }
            Step::Repeats(who) => {
                let known = self.document.known();
                let update = self.clients[who % count].transact().encode_diff_v1(&known);
                self.document.apply(&update).unwrap();
            }
            Step::Reopened => {
                let mut again = Document::default();
                again.load(&self.document.whole()).unwrap();
                assert_eq!(again.text(), self.document.text());
                self.document = again;
            }
            Step::Arrives(_) | Step::Hears(_) => {}
        }
    }

    fn write(&mut self, a: usize, b: usize, word: usize) {
        let mut text = self.document.text().to_owned();
        let from = text.floor_char_boundary(a % (text.len() + 1));
        let to = text.ceil_char_boundary((from + b % 9).min(text.len()));
        text.replace_range(from..to, WORDS[word % WORDS.len()]);
        self.log
            .extend(self.document.write(&text, b.is_multiple_of(2)));
    }
}

/// A client changes its text, list or map. Returns the update.
fn edit(client: &Doc, what: usize, a: usize, b: usize) -> Option<Vec<u8>> {
    let code = client.get_or_insert_text("code");
    let (list, map) = (
        client.get_or_insert_array("list"),
        client.get_or_insert_map("map"),
    );
    let known = client.transact().state_vector();
    let mut transaction = client.transact_mut();
    let text = code.get_string(&transaction);
    // A position between characters, in UTF-16 units.
    let place = |at: usize| {
        let before = &text[..text.floor_char_boundary(at % (text.len() + 1))];
        u32::try_from(before.encode_utf16().count()).unwrap()
    };
    let length = list.len(&transaction);
    match what % 6 {
        0..=2 => code.insert(&mut transaction, place(a), WORDS[b % WORDS.len()]),
        3 => {
            let (from, to) = (place(a), place(a % (text.len() + 1) + b % 9));
            if from < to {
                code.remove_range(&mut transaction, from, to - from);
            }
        }
        4 => drop(map.insert(&mut transaction, ["a", "b"][a % 2], b.is_multiple_of(3))),
        _ if length > 2 && a.is_multiple_of(2) => {
            list.remove_range(&mut transaction, length / 2, 2);
        }
        _ => list.insert_range(&mut transaction, length / 2, [1_i64, 2, 3]),
    }
    drop(transaction);
    let update = client.transact().encode_diff_v1(&known);
    (update != [0, 0]).then_some(update)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn all_end_with_the_same_text_whoever_wrote_what_and_heard_it_when(steps in steps()) {
        let mut trial = Trial {
            document: Document::default(),
            clients: [100, 103, 106].map(client).into(),
            log: Vec::new(),
            on_their_way: Vec::new(),
        };
        for step in steps {
            trial.take(step);
        }
        let Trial { mut document, mut clients, log, on_their_way } = trial;
        for update in on_their_way {
            document.apply(&update).unwrap();
        }
        prop_assert!(!document.has_gap());
        for (client, update) in clients.iter().flat_map(|client| log.iter().map(move |u| (client, u))) {
            apply(client, update);
        }
        let newcomer = client(109);
        apply(&newcomer, &document.whole());
        clients.push(newcomer);
        for client in &clients {
            prop_assert_eq!(text_of(client), document.text());
            prop_assert_eq!(client.transact().state_vector(), document.known());
            prop_assert_eq!(rest_of(client), rest_of(&clients[0]));
        }
    }
}
