//! What a user costs who is there and does nothing.

use crate::client::Client;
use crate::served::Served;

/// Users who come first, so that what is made once is there.
const FIRST: usize = 100;
const MEASURED: usize = 400;
/// About twice what is measured on an idle machine. The buffer of a handshake, were it kept, is 8 KiB alone.
const MOST_BYTES: usize = 8000;

fn come(editor: &Served, users: std::ops::Range<usize>) -> Vec<Client> {
    let join = |n| Client::join(&editor.url, &format!("room {}", n / 5), "somebody");
    users.map(join).collect()
}

#[test]
fn a_user_who_waits_takes_a_few_kilobytes_of_the_server() {
    let editor = Served::start(&[]);
    let _first = come(&editor, 0..FIRST);
    let before = editor.memory();
    let _measured = come(&editor, FIRST..FIRST + MEASURED);
    let each = (editor.memory() - before) / MEASURED;
    assert!(each < MOST_BYTES, "{each} bytes each");
}
