/** The room's user interface: bar, text, output, and a side panel with people and tools. */

import { fill, h, icon, mark } from "../dom.ts";
import { linkOf } from "../route.ts";
import { toast } from "../toast.ts";
import { announcer } from "./announcer.ts";
import { editor, type Editor } from "./editor.ts";
import { languageOf } from "./languages.ts";
import { outputPanel } from "./output.ts";
import { avatars, peopleList } from "./people-view.ts";
import { Session } from "./session.ts";
import { connectionPill, notice, statusBar } from "./status.ts";
import { tools } from "./tools.ts";

/** The same width as in styles/room.css. */
const NARROW = "(max-width: 820px)";

interface Visit {
  room: string;
  name: string;
  go: (room: string | null) => void;
}

/** Opens a room in the page. The returned function leaves it. */
export function openRoom(page: HTMLElement, { room, name, go }: Visit): () => void {
  const session = new Session(room, name);
  const run = () => runCode(session);
  const status = statusBar(session);
  const code = editor(session, { moved: status.moved, run });
  const side = sidebar(session, code, () => go(null));
  const output = outputPanel(session, run);
  const bar = header(session, run, side.toggle);
  const desk = h("main", { class: "desk" }, h("div", { class: "sheet" }, code.dom), output.dom);
  fill(page, h("div", { class: "room" }, bar, notice(session, () => go(null)), desk, side.dom, side.curtain, status.dom));
  const stopAnnouncing = announcer(session);
  const stopFocus = session.connection.watch(({ phase }) => {
    if (phase === "online" && document.activeElement === document.body) code.focus();
    for (const part of [bar, desk, side.dom]) part.inert = phase === "closed";
  });
  const keys = (event: KeyboardEvent) => event.key === "Escape" && side.close();
  document.addEventListener("keydown", keys);
  return () => {
    document.removeEventListener("keydown", keys);
    stopFocus();
    stopAnnouncing();
    code.destroy();
    session.close();
  };
}

function runCode(session: Session): void {
  const { label } = languageOf(session.language.value);
  const run = session.runnable();
  if (session.run.value.kind === "running") return;
  if (run === undefined) toast({ text: `${label} cannot be run here: choose another language.`, kind: "bad" });
  else if (session.text.toString().trim() === "") toast({ text: "There is no code to run yet." });
  else if (session.socket.id.value === null) toast({ text: "Not connected: it can be run when the connection is back.", kind: "bad" });
  else session.runNow(run);
}

function header(session: Session, run: () => void, toggle: () => void): HTMLElement {
  const start = h("button", { class: "button primary run", type: "button", title: "Run (Ctrl+Enter)", click: run });
  const paint = () => {
    const running = session.run.value.kind === "running";
    const able = session.runnable() !== undefined;
    fill(start, running ? h("span", { class: "spinner", "aria-hidden": "true" }) : icon("play"), h("span", {}, running ? "Running…" : "Run"));
    start.disabled = running || !able;
    start.title = able ? "Run (Ctrl+Enter)" : `${languageOf(session.language.value).label} cannot be run here`;
  };
  session.run.watch(paint);
  session.language.watch(paint);
  session.about.watch(paint);
  return h("header", { class: "bar" },
    h("a", { href: "/", class: "bar-home", title: "Start page", "aria-label": "Start page" }, mark()),
    h("div", { class: "bar-room" },
      h("h1", { title: session.room }, session.room),
      h("button", { class: "quiet copy", type: "button", title: "Copy the link", "aria-label": "Copy the link", click: () => void copyLink(session.room) }, icon("link"))),
    connectionPill(session),
    h("button", { class: "bar-people", type: "button", "aria-label": "People and tools", title: "People and tools", click: toggle }, avatars(session)),
    start);
}

function sidebar(session: Session, code: Editor, leave: () => void) {
  const curtain = h("div", { class: "curtain", click: () => close() });
  const shut = h("button", { class: "quiet side-close", type: "button", "aria-label": "Close", click: () => close() }, icon("close"));
  const dom = h("aside", { class: "side", "aria-label": "People and tools" },
    shut,
    peopleList(session, (client) => {
      code.reveal(client);
      close();
    }),
    tools(session, code, { copy: () => void copyLink(session.room), leave }));
  const close = () => dom.parentElement?.classList.remove("side-open");
  // On narrow screens the side panel is a drawer over the text. On wide screens it stays open until the user closes it.
  const toggle = () => {
    if (!matchMedia(NARROW).matches) return dom.parentElement?.classList.toggle("side-shut");
    dom.parentElement?.classList.add("side-open");
    return shut.focus();
  };
  return { dom, curtain, close, toggle };
}

async function copyLink(room: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(linkOf(room));
    toast({ text: "Link copied.", kind: "good" });
  } catch {
    // Browsers refuse clipboard access to pages without TLS, so the user copies by hand.
    window.prompt("Copy this link:", linkOf(room));
  }
}
