import "./styles/themes.css";
import "./styles/base.css";
import "./styles/home.css";
import "./styles/room.css";
import "./styles/code.css";
import { home } from "./home.ts";
import * as memory from "./memory.ts";
import { pathOf, roomOf } from "./route.ts";
import { paint } from "./theme.ts";

const page = document.getElementById("page") as HTMLElement;
let leave = () => {};

/** Navigates to a room, or to the start page. */
function go(room: string | null): void {
  history.pushState(null, "", room === null ? "/" : pathOf(room));
  void show();
}

/** Shows the page for the address. A room needs a user name first. */
async function show(): Promise<void> {
  leave();
  leave = () => {};
  const room = roomOf(location.pathname);
  if (room === null || memory.name() === "") {
    document.title = room === null ? "Headcount editor" : `Join ${room} · Headcount editor`;
    page.replaceChildren(home({ room, enter: go }));
    page.querySelector<HTMLInputElement>("input[autofocus]")?.focus();
    return;
  }
  const { openRoom } = await import("./room/room.ts");
  if (roomOf(location.pathname) !== room) return; // the user navigated elsewhere while it was loading
  memory.rememberVisit(room);
  document.title = `${room} · Headcount editor`;
  leave = openRoom(page, { room, name: memory.name(), go });
}

window.addEventListener("popstate", () => void show());
paint();
void show();
