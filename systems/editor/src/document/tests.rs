mod honest;
mod hostile;

use super::*;

/// Client 7 inserts "hello" into the text.
const HELLO: [u8; 18] = [
    1, 1, 7, 0, 4, 1, 4, b'c', b'o', b'd', b'e', 5, b'h', b'e', b'l', b'l', b'o', 0,
];
/// Client 7 appends "!!".
const MORE: [u8; 11] = [1, 1, 7, 5, 0x84, 7, 4, 2, b'!', b'!', 0];

#[test]
fn an_update_waits_for_the_one_before_it_and_goes_to_others_meanwhile() {
    let mut document = Document::default();
    document.apply(&MORE).unwrap();
    assert_eq!(document.text(), "");
    assert!(document.has_gap());
    let mut copy = Document::default();
    copy.load(&document.whole()).unwrap();
    for mut document in [document, copy] {
        document.apply(&HELLO).unwrap();
        assert_eq!(document.text(), "hello!!");
        assert!(!document.has_gap());
        // The same update again.
        document.apply(&MORE).unwrap();
        assert_eq!(document.text(), "hello!!");
    }
}

#[test]
fn what_is_deleted_before_it_comes_is_deleted_when_it_comes() {
    let mut document = Document::default();
    document.apply(&[0, 1, 7, 1, 1, 3]).unwrap();
    assert!(document.has_gap());
    document.apply(&HELLO).unwrap();
    assert_eq!(document.text(), "ho");
    assert!(!document.has_gap());
}

#[test]
fn of_an_update_that_is_known_in_part_the_rest_is_taken() {
    let mut document = Document::default();
    document.apply(&HELLO).unwrap();
    let whole = [
        1, 1, 7, 0, 4, 1, 4, b'c', b'o', b'd', b'e', 7, b'h', b'e', b'l', b'l', b'o', b'!', b'!', 0,
    ];
    document.apply(&whole).unwrap();
    assert_eq!(document.text(), "hello!!");
}

#[test]
fn a_document_has_the_text_that_was_written_whatever_was_there() {
    let mut document = Document::default();
    document.apply(&HELLO).unwrap();
    let long = "grüße 👋 ".repeat(1000);
    for new in ["jello", "", &long, &long[7..], "x", ""] {
        for finely in [true, false] {
            document.write(new, finely);
            document.text = None;
            assert_eq!(document.text(), new);
            assert_eq!(document.state.items.text_len, new.len());
        }
    }
    assert!(document.write("", true).is_none(), "nothing changed");
}

#[test]
fn a_text_that_is_typed_letter_by_letter_is_kept_in_few_blocks() {
    let mut document = Document::default();
    let mut text = String::new();
    for _ in 0..3000 {
        text.push('x');
        document.write(&text, true);
    }
    assert!(
        document.state.items.len() < 5,
        "{}",
        document.state.items.len()
    );
    for at in (0..3000).rev() {
        text.truncate(at);
        document.write(&text, true);
    }
    assert!(
        document.state.items.len() < 5,
        "{}",
        document.state.items.len()
    );
}
