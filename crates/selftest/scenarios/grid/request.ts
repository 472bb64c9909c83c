// One cell of the grid: HTTP requests. headcount replaces `CELL_OPTIONS` and `CELL_PARAMETERS`.
import type { Group, Options } from "headcount";

export const options: Options = CELL_OPTIONS;
const cell = CELL_PARAMETERS;

export default async function ask({ users }: Group) {
  const user = users[0]!;
  for (let n = 0; n < cell.count; n += 1) {
    const response = await user.request(cell.method, "/r", { name: "r" });
    user.check("ok", response.ok);
  }
}
