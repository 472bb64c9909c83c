//! All cases.

mod resources;
mod soak;
mod structure;
mod surroundings;

use super::case::Case;

/// A scenario with these options and this body of its function, which has `group` and its first `user`.
macro_rules! scenario {
    ($options:expr, $body:expr) => {
        concat!(
            "import type { Group, Options } from \"headcount\";\n",
            "export const options: Options = { ",
            $options,
            " };\n",
            "export default async function act(group: Group) {\n  const user = group.users[0]!;\n  ",
            $body,
            "\n}\n"
        )
    };
}

/// A scenario in which each user requests this path, with this load.
macro_rules! asks {
    ($path:literal, $load:literal) => {
        scenario!(
            concat!("load: ", $load),
            concat!("await user.get(\"", $path, "\");")
        )
    };
}

/// A scenario with groups of 20 users who talk in a room with these flaws. In the first level, only 5 of a group talk.
macro_rules! room {
    ($query:literal) => {
        scenario!(
            r#"group: 20, load: { groups: [1, 2], duration: "5s" }"#,
            concat!(
                r#"const members = group.level.index === 0 ? group.users.slice(0, 5) : group.users;
  const said = group.channel("said", { to: members, deadline: "30s" });
  let joined = 0;
  await group.together(members, async (user) => {
    const socket = await user.websocket(`/room/${group.id}?echo=1&"#,
                $query,
                r#"`, { name: "room" });
    socket.receives(said);
    joined += 1;
    await group.eventually("joined", "10s", () => joined === members.length);
    user.every("500ms", () => socket.send(said.stamp(user)));
    await user.stay();
  });"#
            )
        )
    };
}

/// A scenario with a room with these flaws, in which four users send messages of 32 kB: in the first two levels 5 and 6 a
/// second, in the others 125 and 154.
macro_rules! big_messages {
    ($query:literal) => {
        scenario!(
            r#"group: 4, load: { groups: [1, 1, 1, 1], duration: "6s" }"#,
            concat!(
                r#"const said = group.channel("said", { to: "others", deadline: "4s" });
  const every = ["800ms", "700ms", "32ms", "26ms"][group.level.index];
  const long = "x".repeat(32_000);
  await group.everyone(async (user, here) => {
    const socket = await user.websocket(`/room/${group.id}-${group.level.index}?"#,
                $query,
                r#"`, { name: "room" });
    socket.receives(said);
    await here("joined");
    user.every(every, () => socket.send(said.stamp(user, long)));
    await user.stay();
  });"#
            )
        )
    };
}

/// A scenario in which this number of users each keep a connection. They have one address. Without it, headcount would take
/// further addresses of the loopback network when no port is left.
macro_rules! users_stay {
    ($users:literal) => {
        scenario!(
            concat!(
                r#"source: "127.0.0.1", load: { users: "#,
                $users,
                r#", duration: "5s" }"#
            ),
            r#"await user.websocket("/room/all", { timeout: "1s" }); await group.think("10s");"#
        )
    };
}

use {asks, big_messages, room, scenario, users_stay};

/// All cases.
pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    let groups = [
        resources::CASES,
        structure::CASES,
        surroundings::CASES,
        soak::CASES,
    ];
    groups.into_iter().flatten()
}
