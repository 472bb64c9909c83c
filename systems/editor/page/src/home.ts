/** The start page: a name, then a new room, or one by its link. */

import { fill, h, icon, mark } from "./dom.ts";
import * as memory from "./memory.ts";
import { newRoom, pathOf, roomFrom } from "./route.ts";

interface Home {
  /** The room in the address. If there is one, the form asks only for the name. */
  room: string | null;
  enter: (room: string) => void;
}

export function home({ room, enter }: Home): HTMLElement {
  const problem = h("p", { class: "problem", role: "alert", id: "problem" });
  const name = h("input", {
    id: "name", name: "name", value: memory.name(), maxlength: memory.MOST_NAME, autocomplete: "nickname", placeholder: "Ada",
    autofocus: memory.name() === "", "aria-describedby": "problem", spellcheck: "false",
  });
  const link = h("input", {
    id: "room", name: "room", autocomplete: "off", autocapitalize: "off", placeholder: "Link or name", spellcheck: "false",
    autofocus: memory.name() !== "", "aria-describedby": "problem",
  });
  const complain = (text: string, field: HTMLInputElement) => {
    fill(problem, text);
    field.closest(".field")?.append(problem);
    field.setAttribute("aria-invalid", "true");
    field.focus();
  };
  const enterIf = (wanted: string | null) => {
    problem.remove();
    for (const field of [name, link]) field.removeAttribute("aria-invalid");
    const said = name.value.trim();
    if (said === "") return complain("Say your name first: the others see it at your caret.", name);
    if (wanted === null) return complain("That is no room: paste a link, or the room’s name.", link);
    memory.rememberName(said);
    enter(wanted);
  };
  const form = h(
    "form",
    {
      class: "entry", novalidate: true,
      submit: (event: SubmitEvent) => {
        event.preventDefault();
        if (room !== null) enterIf(room);
        else enterIf(link.value.trim() === "" ? newRoom() : roomFrom(link.value));
      },
    },
    h("div", { class: "field" }, h("label", { for: "name" }, "Your name"), name),
    ...(room === null ? choices(link) : [h("button", { class: "button primary wide", type: "submit" }, "Join the room", icon("arrow"))]),
  );
  return h("main", { class: "home" }, intro(room), h("section", { class: "card", "aria-label": "Enter a room" }, form, recent(room, enterIf)));
}

function choices(link: HTMLInputElement): HTMLElement[] {
  const start = h("button", { class: "button primary wide", type: "submit" }, "Start a new room", icon("arrow"));
  const join = h("button", { class: "button", type: "submit" }, "Join");
  // One form has both buttons. If the link field has text, Enter opens the link and its button is highlighted.
  link.addEventListener("input", () => {
    const wanted = link.value.trim() !== "";
    join.classList.toggle("primary", wanted);
    start.classList.toggle("primary", !wanted);
  });
  start.addEventListener("click", () => (link.value = ""));
  join.addEventListener("click", (event) => {
    if (link.value.trim() !== "") return;
    event.preventDefault();
    link.focus();
  });
  return [
    start,
    h("div", { class: "or", role: "separator" }, "or join one"),
    h("div", { class: "field" }, h("label", { for: "room" }, "Room"), h("div", { class: "joined-fields" }, link, join)),
  ];
}

function recent(room: string | null, enterIf: (room: string) => void): HTMLElement | null {
  const visits = room === null ? memory.visits() : [];
  if (visits.length === 0) return null;
  const rows = visits.map((visit) => {
    const row = h("li", {},
      h("a", { href: pathOf(visit.room), click: (event: MouseEvent) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        enterIf(visit.room);
      } }, h("span", { class: "recent-name" }, visit.room), h("span", { class: "recent-when" }, ago(visit.at))),
      h("button", { type: "button", class: "quiet", "aria-label": `Forget ${visit.room}`, title: "Forget", click: () => {
        memory.forgetVisit(visit.room);
        row.remove();
      } }, icon("close")));
    return row;
  });
  return h("div", { class: "recent" }, h("h2", {}, "Recent rooms"), h("ul", {}, ...rows));
}

function intro(room: string | null): HTMLElement {
  const words = room === null
    ? [h("h1", {}, "Write code together."), h("p", { class: "lead" }, "One text for everybody with the link. See who types where, run it, and read the same output.")]
    : [h("h1", {}, "You are invited."), h("p", { class: "lead" }, "Somebody shared the room ", h("strong", { class: "room-name" }, room), " with you. Say who you are, and you are in.")];
  return h("section", { class: "intro" }, h("div", { class: "brand" }, mark(), "Headcount editor"), ...words, illustration());
}

/** Three lines of code with two people in them. */
function illustration(): HTMLElement {
  const line = (...parts: (Node | string)[]) => h("div", { class: "sketch-line" }, ...parts);
  const token = (kind: string, text: string) => h("span", { class: `tok-${kind}` }, text);
  const caret = (name: string, kind: string) => h("span", { class: `sketch-caret ${kind}` }, h("span", { class: "sketch-name" }, name));
  return h("div", { class: "sketch", "aria-hidden": "true" },
    line(token("keyword", "def"), " ", token("variableName", "greet"), "(names):"),
    line("    ", token("keyword", "for"), " name ", token("keyword", "in"), " names:", caret("Ada", "first")),
    line("        print(", token("string", "\"hello, \""), " + name", caret("Grace", "second"), ")"),
    line(""),
    line("greet([", token("string", "\"world\""), "])"));
}

function ago(at: number): string {
  const minutes = Math.floor((Date.now() - at) / 60_000);
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  if (minutes < 1) return "just now";
  if (minutes < 60) return format.format(-minutes, "minute");
  return minutes < 24 * 60 ? format.format(-Math.floor(minutes / 60), "hour") : format.format(-Math.floor(minutes / 60 / 24), "day");
}
