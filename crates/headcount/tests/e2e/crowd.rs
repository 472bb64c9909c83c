//! Many users of one group who start the same operation at once.

use crate::harness::{Lab, Server, ask};

const CROWD: &str = r#"
import type { Group, Options } from "headcount";
export const options: Options = {
  group: 5000,
  load: { groups: 1, once: true, limit: "40s" },
  timeouts: { connect: "30s" },
};
export default async function crowd({ everyone, check }: Group) {
  let open = 0;
  await everyone(async (user, here) => {
    await user.websocket("/echo");
    open += 1;
    await here("all are connected");
  });
  check("all are connected", open === 5000);
}
"#;

/// Connecting all users takes many turns of the script. None of the turns may be long.
#[test]
fn five_thousand_who_connect_at_once_all_do_and_are_no_endless_loop() {
    let truth = Server::truth(&[]);
    let lab = Lab::new().with("crowd.ts", CROWD);
    let level = lab.level("crowd.ts", &truth.url(), &["--workers", "1"]);
    assert_eq!(level["iterations"]["succeeded"], 1, "{:#?}", lab.failures());
    assert_eq!(level["checks"]["passed"], 1, "{level:#}");
    let connections = lab.record()["levels"][0]["measured"]["connections"]["/echo"].clone();
    assert_eq!(connections["count"], 5000, "{connections:#}");
    assert_eq!(connections["failed"], 0);
    let sum = &ask(&format!("{}/truth", truth.url()))["websocket"]["sum"];
    assert_eq!(sum["joined"], 5000, "as the server counts: {sum:#}");
}
