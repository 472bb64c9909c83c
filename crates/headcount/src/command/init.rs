use std::fs;
use std::io::ErrorKind;

use anyhow::{Context as _, bail};

use crate::args::InitArgs;
use crate::exit::Exit;
use crate::screen::say;

const FILES: [(&str, &str); 14] = [
    (
        "scenario.ts",
        include_str!("../../../../scenarios/starter.ts"),
    ),
    (
        "headcount.d.ts",
        include_str!("../../../script/types/headcount.d.ts"),
    ),
    (
        "websocket.d.ts",
        include_str!("../../../script/types/websocket.d.ts"),
    ),
    (
        "streams.d.ts",
        include_str!("../../../script/types/streams.d.ts"),
    ),
    (
        "audience.d.ts",
        include_str!("../../../script/types/audience.d.ts"),
    ),
    (
        "socketio.d.ts",
        include_str!("../../../script/types/socketio.d.ts"),
    ),
    ("sse.d.ts", include_str!("../../../script/types/sse.d.ts")),
    ("nats.d.ts", include_str!("../../../script/types/nats.d.ts")),
    (
        "redis.d.ts",
        include_str!("../../../script/types/redis.d.ts"),
    ),
    ("data.d.ts", include_str!("../../../script/types/data.d.ts")),
    ("env.d.ts", include_str!("../../../script/types/env.d.ts")),
    ("hash.d.ts", include_str!("../../../script/types/hash.d.ts")),
    (
        "globals.d.ts",
        include_str!("../../../script/types/globals.d.ts"),
    ),
    (
        "tsconfig.json",
        include_str!("../../../script/types/tsconfig.json"),
    ),
];

/// `headcount init`
pub(crate) fn init(args: &InitArgs) -> anyhow::Result<Exit> {
    let folder = &args.folder;
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", folder.display()))?;
    for (name, text) in FILES {
        let path = folder.join(name);
        // The type definitions belong to headcount and follow its version, so they are overwritten. The user may have
        // edited all other files.
        if !name.ends_with(".d.ts") && path.exists() {
            say(&format!("kept    {}", path.display()));
            continue;
        }
        match fs::write(&path, text) {
            Ok(()) => say(&format!("written {}", path.display())),
            Err(why) if why.kind() == ErrorKind::PermissionDenied => {
                bail!("no permission to write {}", path.display())
            }
            Err(why) => {
                return Err(why).with_context(|| format!("cannot write {}", path.display()));
            }
        }
    }
    let scenario = folder.join("scenario.ts");
    say(&format!(
        "\nTry it on the built-in bridge:\n  headcount serve bridge            (in another terminal)\n  headcount run {}",
        scenario.display()
    ));
    Ok(Exit::Passed)
}
