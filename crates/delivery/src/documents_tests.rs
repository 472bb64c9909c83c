use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn taken(documents: &mut Documents, messages: &[&[u8]]) -> Vec<String> {
    let mut taken = Vec::new();
    for message in messages {
        let text = |one: &[u8]| String::from_utf8(one.to_vec()).unwrap();
        if documents.is_one(message) {
            taken.push(text(message));
        } else {
            let each = documents.each(message, |one| taken.push(text(one)));
            each.unwrap();
        }
    }
    taken
}

fn of(framing: Framing, messages: &[&str]) -> Vec<String> {
    let messages: Vec<_> = messages.iter().map(|message| message.as_bytes()).collect();
    taken(&mut Documents::new(framing, 1 << 20), &messages)
}

#[test]
fn several_documents_are_taken_apart_where_no_single_one_could_look_like_that() {
    for (message, documents) in [
        ("{\"a\":1}\n{\"b\":2}", vec!["{\"a\":1}", "{\"b\":2}"]),
        ("{\"a\":1}\r\n\r\n[2]\n", vec!["{\"a\":1}", "[2]"]),
        ("{\"a\":1}\u{1e}", vec!["{\"a\":1}"]),
        ("{}\u{1e}{\"a\":1}\u{1e}", vec!["{}", "{\"a\":1}"]),
        ("\u{1e}{\"a\":1}\n\u{1e}{}\n", vec!["{\"a\":1}", "{}"]),
        (r#"a["{\"a\":1}","b"]"#, vec!["{\"a\":1}", "b"]),
        ("a[]", vec![]),
    ] {
        assert_eq!(of(Framing::Auto, &[message]), documents, "{message:?}");
    }
}

#[test]
fn what_is_one_document_or_none_at_all_stays_as_it_is() {
    for message in [
        "",
        "hello\nworld",
        "{name}, hello\nto all",
        "[12:00] ann\n[12:01] bob",
        "{\"a\":1}\n{\"b\":",
        "{\"a\":1}{\"b\":2}",
        "{\"a\":\n[1,\n2]}",
        "[{\"a\":1},{\"a\":2}]",
        "a[1]",
        "a[\"b\"",
        "a[\"b\"] c",
        "\n",
        "7\n8",
    ] {
        assert_eq!(of(Framing::Auto, &[message]), [message]);
        assert_eq!(of(Framing::Whole, &[message]), [message]);
    }
}

#[test]
fn an_ordinary_message_is_known_as_one_document_without_being_taken_apart() {
    let documents = Documents::new(Framing::Auto, 1 << 20);
    for message in ["{\"a\":1}", "[1,2]", "hello", "7", ""] {
        assert!(documents.is_one(message.as_bytes()), "{message:?}");
    }
}

#[test]
fn elements_of_an_array_are_documents_where_it_was_said() {
    let array = "[ {\"a\":[1,2]} , 7,\"b\" ]";
    let elements = ["{\"a\":[1,2]}", "7", "\"b\""];
    assert_eq!(of(Framing::Array, &[array]), elements);
    assert_eq!(of(Framing::Array, &["[]"]), [""; 0]);
    for other in ["{\"a\":1}", "[1,2", "[1]\n[2]x"] {
        assert_eq!(of(Framing::Array, &[other]), [other]);
    }
    assert_eq!(of(Framing::Array, &["{}\n[7]"]), ["{}", "[7]"]);
}

#[test]
fn only_an_array_of_objects_may_be_a_batch_of_messages() {
    let objects = |message: &str| {
        let objects = objects_in_array(message.as_bytes())?;
        let texts = objects.map(|one| String::from_utf8(one.to_vec()).unwrap());
        Some(texts.collect::<Vec<_>>())
    };
    let two = vec!["{\"a\":[1]}".to_owned(), "{}".to_owned()];
    assert_eq!(objects(" [ {\"a\":[1]}, {} ]\n"), Some(two));
    for other in ["[]", "{}", "[{},7]", "[7,{}]", "[{}", "[{}]x", "a[{}]", ""] {
        assert_eq!(objects(other), None, "{other:?}");
    }
}

#[test]
fn a_document_that_never_ends_is_refused_at_the_limit() {
    let mut documents = Documents::new(Framing::EndedBy(b'\n'), 8);
    let mut each = |message: &[u8]| documents.each(message, |_| {});
    assert_eq!(each(b"12345678\n1234"), Ok(()));
    assert_eq!(each(b"5678"), Ok(()));
    assert_eq!(each(b"9"), Err(TooLong { limit: 8 }));
}

#[test]
fn a_document_that_is_whole_needs_no_byte_at_its_end() {
    let two = ["{\"a\":1}", "{\"b\":2}"];
    let newline = Framing::EndedBy(b'\n');
    assert_eq!(of(newline, &two), two, "no newline at the end of a message");
    assert_eq!(
        of(newline, &["{\"a\":1}\n{\"b\":2}", "\n[3]"]),
        ["{\"a\":1}", "{\"b\":2}", "[3]"]
    );
    let other = Framing::EndedBy(RECORD_SEPARATOR);
    assert_eq!(of(other, &["{\"a\":1}\n{\"b\":2}"]), two, "another byte");
    assert_eq!(
        of(newline, &["{\"a\":1}{", "}\n"]),
        ["{\"a\":1}{}"],
        "no document"
    );
    assert_eq!(of(newline, &["7", "8\n"]), ["78"], "a number may go on");
}

#[test]
fn a_message_that_begins_or_ends_within_a_document_is_known_by_its_whole_ones() {
    let separator = |message: &str| separator_of_cut_documents(message.as_bytes());
    for cut in [
        "{\"a\":1}|{\"b\":",
        "\"a\":1}|{\"b\":2}|",
        ":1}|{}|{\"b\"",
        "]}|{}",
    ] {
        for byte in [RECORD_SEPARATOR, b'\n'] {
            let message = cut.replace('|', char::from(byte).to_string().as_str());
            assert_eq!(separator(&message), Some(byte), "{message:?}");
        }
    }
    for other in [
        "{\"a\":1}",
        "{\"a\":1}\n{\"b\":2}",
        "{\"a\":\n1}",
        "[\n{},\n{}\n]",
        "[\n{}\n]",
        "{}\nand\n{}",
        "from: ann\n{}",
        "{}\nann",
        "hello\nworld",
        "\n",
        "",
    ] {
        assert_eq!(separator(other), None, "{other:?}");
    }
}

fn any_document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<i32>().prop_map(Value::from),
        ".{0,6}".prop_map(Value::from)
    ];
    let value = leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map("[a-c\"\\\\{}]{0,2}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    });
    value.prop_map(|value| json!({ "a": value }))
}

fn parsed(texts: &[String]) -> Vec<Value> {
    let parse = |text: &String| serde_json::from_str(text).unwrap();
    texts.iter().map(parse).collect()
}

fn printed(value: &Value, pretty: bool) -> String {
    if pretty {
        serde_json::to_string_pretty(value).unwrap()
    } else {
        value.to_string()
    }
}

proptest! {
    #[test]
    fn every_document_of_a_frame_comes_out_once_and_in_order(
        all in prop::collection::vec((any_document(), any::<bool>(), "[\n\u{1e}]{1,2}"), 1..6),
    ) {
        let frame: String = all.iter().map(|(value, pretty, end)| printed(value, *pretty) + end).collect();
        let values: Vec<_> = all.into_iter().map(|(value, ..)| value).collect();
        prop_assert_eq!(parsed(&of(Framing::Auto, &[&frame])), values);
    }

    #[test]
    fn a_sockjs_frame_and_an_array_give_what_was_put_in(all in prop::collection::vec(any_document(), 0..6)) {
        let texts: Vec<_> = all.iter().map(Value::to_string).collect();
        prop_assert_eq!(of(Framing::Auto, &[&format!("a{}", json!(texts))]), texts);
        prop_assert_eq!(parsed(&of(Framing::Array, &[&json!(all).to_string()])), all);
    }

    #[test]
    fn documents_that_go_on_in_the_next_frame_come_out_whole_however_they_are_cut(
        all in prop::collection::vec(any_document(), 1..6),
        cuts in prop::collection::vec(0_usize..200, 0..6),
        end in prop_oneof![Just(b'\n'), Just(RECORD_SEPARATOR)],
    ) {
        let end = char::from(end);
        let stream: String = all.iter().flat_map(|value| [value.to_string(), end.to_string()]).collect();
        let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(stream.len())).collect();
        cuts.extend([0, stream.len()]);
        cuts.sort_unstable();
        let frames: Vec<_> = cuts.windows(2).map(|ends| &stream.as_bytes()[ends[0]..ends[1]]).collect();
        let end = u8::try_from(end).unwrap();
        let mut documents = Documents::new(Framing::EndedBy(end), 1 << 20);
        prop_assert_eq!(parsed(&taken(&mut documents, &frames)), all);
    }

    #[test]
    fn no_frame_is_a_panic(bytes in prop::collection::vec(prop_oneof![Just(b'{'), Just(b'['), Just(b'"'), Just(b']'), Just(b'}'), Just(b','), Just(b'a'), Just(b'\n'), any::<u8>()], 0..60)) {
        for framing in [Framing::Auto, Framing::Array, Framing::EndedBy(b'\n')] {
            let _ = Documents::new(framing, 100).each(&bytes, |_| {});
        }
    }
}
