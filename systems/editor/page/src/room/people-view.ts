/** Avatars in the bar, and the list of names beside the text. */

import { initials } from "../color.ts";
import { fill, h } from "../dom.ts";
import type { Person } from "./people.ts";
import type { Session } from "./session.ts";

/** Number of avatars in the bar, on wide and on narrow screens. */
const WIDE = 4;
const NARROW = 2;

function avatar(person: Person): HTMLElement {
  const element = h("span", { class: person.typing ? "avatar typing" : "avatar", "aria-hidden": "true" }, initials(person.name));
  element.style.setProperty("--who", person.color);
  return element;
}

export function avatars(session: Session): HTMLElement {
  const dom = h("span", { class: "avatars" });
  session.people.watch((people) => {
    const more = (count: number, kind: string) =>
      count < people.length && h("span", { class: `avatar more ${kind}` }, `+${people.length - count}`);
    fill(dom, ...people.slice(0, WIDE).map(avatar), more(WIDE, "more-wide"), more(NARROW, "more-narrow"));
  });
  return dom;
}

export function peopleList(session: Session, reveal: (client: number) => void): HTMLElement {
  const heading = h("h2", { id: "people" });
  const list = h("ul", { class: "people", "aria-labelledby": "people" });
  const alone = h("p", { class: "alone" }, "Nobody else is here yet. Copy the link and send it.");
  session.people.watch((people) => {
    fill(heading, "In this room", h("span", { class: "count" }, String(people.length)));
    fill(list, ...people.map((person) => row(person, reveal)));
    alone.hidden = people.length !== 1;
  });
  return h("section", { class: "side-part" }, heading, list, alone);
}

function row(person: Person, reveal: (client: number) => void): HTMLElement {
  const doing = person.running !== null ? "running…" : person.typing ? "typing…" : person.me ? "you" : "";
  const inside = [avatar(person), h("span", { class: "person-name" }, person.name), h("span", { class: "doing" }, doing)];
  const { client } = person;
  if (person.me || client === null) return h("li", {}, h("span", { class: "person" }, ...inside));
  return h("li", {}, h("button", { type: "button", class: "person", title: `Go to where ${person.name} is`, click: () => reveal(client) }, ...inside));
}
