//! Attacks that use memory which belongs to no process, because it is data queued in sockets.

use editor::run::{Ending, Limits};

use super::attack::{patient, python};

const MEBIBYTE: u64 = 1 << 20;

#[tokio::test]
async fn what_waits_in_sockets_is_memory_too() {
    // Each process fills as many sockets as it may open. Together they would hold gigabytes.
    let code = r"
import socket, time
for child in range(40):
    if os.fork() == 0:
        held = []
        try:
            while True: held += socket.socketpair()
        except OSError: pass
        for one in held:
            one.setblocking(False)
            try:
                while True: one.send(b'x' * 4096)
            except OSError: pass
        time.sleep(50); os._exit(0)
time.sleep(50)
";
    for control_groups in [true, false] {
        let limits = Limits {
            memory: 128 * MEBIBYTE,
            control_groups,
            ..patient()
        };
        let result = python(limits, code).await;
        let ending = Ending::Memory(128 * MEBIBYTE);
        assert_eq!(result.ending, ending, "{control_groups}: {}", result.error);
    }
}

#[tokio::test]
async fn a_program_has_sockets_to_itself_but_no_larger_ones() {
    let code = r"
import asyncio, socket
async def echo():
    one, other = socket.socketpair()
    one.setblocking(False); other.setblocking(False)
    loop = asyncio.get_running_loop()
    await loop.sock_sendall(one, b'hello')
    print((await loop.sock_recv(other, 5)).decode())
    try: one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 24)
    except PermissionError: print('refused')
asyncio.run(echo())
";
    let result = python(patient(), code).await;
    assert_eq!(result.output, "hello\nrefused\n", "{}", result.error);
}
