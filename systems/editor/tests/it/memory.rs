//! The memory that an idle user costs.

use kit::testing::hostile::settled;

use crate::client::Client;
use crate::served::Served;

/// Users who join before the measurement, so that one-time allocations are not measured.
const FIRST: usize = 100;
const MEASURED: usize = 400;
/// Maximum memory per idle user, about twice the value on an idle machine. A handshake buffer that is not freed would
/// add 8 KiB.
const MOST_BYTES: usize = 8000;

fn come(editor: &Served, users: std::ops::Range<usize>) -> Vec<Client> {
    let join = |n| Client::join(&editor.url, &format!("room {}", n / 5), "somebody");
    users.map(join).collect()
}

#[test]
fn a_user_who_waits_takes_a_few_kilobytes_of_the_server() {
    let editor = Served::start(&[]);
    let _first = come(&editor, 0..FIRST);
    let before = settled(editor.pid());
    let _measured = come(&editor, FIRST..FIRST + MEASURED);
    let grown = settled(editor.pid()).checked_sub(before);
    let each = grown.expect("the memory shrank") / MEASURED;
    assert!(each < MOST_BYTES, "{each} bytes each");
}
