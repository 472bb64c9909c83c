//! All cases.

mod resources;
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

use {asks, room, scenario};

/// All cases.
pub(crate) fn all() -> impl Iterator<Item = &'static Case> {
    let groups = [resources::CASES, structure::CASES, surroundings::CASES];
    groups.into_iter().flatten()
}
