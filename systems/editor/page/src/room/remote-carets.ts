/**
 * The carets and selections of other users, on layers above and below the text. Unlike widgets in the text, layers never
 * move a letter. Our selection is sent in the form that all y-codemirror clients read: relative positions under `cursor`.
 */

import { Annotation, EditorSelection, type Extension } from "@codemirror/state";
import { type EditorView, layer, type LayerMarker, RectangleMarker, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { Awareness } from "y-protocols/awareness";
import * as Y from "yjs";
import { safeColor } from "../color.ts";
import { nameOf } from "./people.ts";

const moved = Annotation.define<true>();

/** Width of a label, in pixels. It is on the left of its caret if there is less space on the right. */
const LABEL = 130;

interface Label {
  client: number;
  name: string;
  head: number;
  far: boolean;
}

interface Remote {
  client: number;
  name: string;
  color: string;
  anchor: number;
  head: number;
}

/** The selection of another client; null if it has none. */
export function positionOf(client: number, text: Y.Text, awareness: Awareness): { anchor: number; head: number } | null {
  const cursor = (awareness.getStates().get(client) as { cursor?: { anchor?: unknown; head?: unknown } | null } | undefined)?.cursor;
  const anchor = index(cursor?.anchor, text);
  const head = index(cursor?.head, text);
  return anchor === null || head === null ? null : { anchor, head };
}

export function remoteCarets(text: Y.Text, awareness: Awareness): Extension {
  const remotes = (length: number) => [...awareness.getStates().keys()].flatMap((client) => remote(client, text, awareness, length));
  const update = (update: ViewUpdate) =>
    update.docChanged || update.geometryChanged || update.transactions.some((transaction) => transaction.annotation(moved));
  return [
    layer({
      above: false,
      class: "remote-selections",
      update,
      markers: (view) => remotes(view.state.doc.length).flatMap((one) => selection(view, one)),
    }),
    layer({
      above: true,
      class: "remote-carets",
      update,
      markers: (view) => remotes(view.state.doc.length).flatMap((one) => caret(view, one)),
    }),
    messenger(text, awareness),
  ];
}

/** Sends our selection, and repaints when others change theirs. */
function messenger(text: Y.Text, awareness: Awareness): Extension {
  return ViewPlugin.define((view) => {
    let frame = 0;
    const repaint = () => {
      frame = 0;
      view.dispatch({ annotations: moved.of(true) });
    };
    const changed = ({ added, updated, removed }: Record<"added" | "updated" | "removed", number[]>) => {
      const others = [...added, ...updated, ...removed].some((client) => client !== awareness.clientID);
      // In a full room, many carets move between two frames. Repaint once per frame.
      if (others && frame === 0) frame = requestAnimationFrame(repaint);
    };
    awareness.on("change", changed);
    return {
      update(update) {
        if (update.view.hasFocus && (update.selectionSet || update.docChanged || update.focusChanged)) announce(update, text, awareness);
      },
      destroy() {
        awareness.off("change", changed);
        cancelAnimationFrame(frame);
      },
    };
  });
}

function announce(update: ViewUpdate, text: Y.Text, awareness: Awareness): void {
  const { anchor, head } = update.state.selection.main;
  const at = (place: number) => Y.createRelativePositionFromTypeIndex(text, place);
  const said = (awareness.getLocalState() as { cursor?: { anchor: Y.RelativePosition; head: Y.RelativePosition } } | null)?.cursor;
  const now = { anchor: at(anchor), head: at(head) };
  const same = said && Y.compareRelativePositions(said.anchor, now.anchor) && Y.compareRelativePositions(said.head, now.head);
  if (!same) awareness.setLocalStateField("cursor", now);
}

function remote(client: number, text: Y.Text, awareness: Awareness, length: number): Remote[] {
  if (client === awareness.clientID) return [];
  const position = positionOf(client, text, awareness);
  if (position === null) return [];
  const user = (awareness.getStates().get(client) as { user?: { name?: unknown; color?: unknown } }).user;
  const name = nameOf(user?.name);
  const within = (place: number) => Math.min(place, length);
  return [{ client, name, color: safeColor(user?.color, name), anchor: within(position.anchor), head: within(position.head) }];
}

/** The index of a received position. The position may be anything; an invalid one shows no caret. */
function index(position: unknown, text: Y.Text): number | null {
  if (position === null || typeof position !== "object" || text.doc === null) return null;
  try {
    const found = Y.createAbsolutePositionFromRelativePosition(Y.createRelativePositionFromJSON(position), text.doc);
    return found?.type === text ? found.index : null;
  } catch {
    return null;
  }
}

function selection(view: EditorView, { anchor, head, color }: Remote): LayerMarker[] {
  if (anchor === head) return [];
  const range = EditorSelection.range(anchor, head);
  return RectangleMarker.forRange(view, "remote-selection", range).map((rectangle) => new Colored(rectangle, color));
}

function caret(view: EditorView, { client, head, name, color }: Remote): LayerMarker[] {
  const [rectangle] = RectangleMarker.forRange(view, "remote-caret", EditorSelection.cursor(head));
  if (rectangle === undefined) return [];
  const { clientWidth, scrollLeft } = view.scrollDOM;
  const far = scrollLeft + clientWidth - LABEL < rectangle.left;
  return [new Caret(rectangle, color, { client, name, head, far })];
}

class Colored implements LayerMarker {
  constructor(
    readonly rectangle: RectangleMarker,
    readonly color: string,
  ) {}

  eq(other: Colored): boolean {
    return this.color === other.color && this.rectangle.eq(other.rectangle);
  }

  draw(): HTMLElement {
    const element = this.rectangle.draw();
    element.style.setProperty("--who", this.color);
    return element;
  }
}

/** A caret with a label that appears briefly whenever the caret moves. */
class Caret extends Colored {
  constructor(
    rectangle: RectangleMarker,
    color: string,
    readonly label: Label,
  ) {
    super(rectangle, color);
  }

  override eq(other: Caret): boolean {
    return super.eq(other) && Object.entries(this.label).every(([key, value]) => other.label[key as keyof Label] === value);
  }

  override draw(): HTMLElement {
    const element = super.draw();
    const label = document.createElement("span");
    label.textContent = this.label.name;
    label.className = "remote-name";
    element.append(label);
    element.classList.toggle("remote-caret-low", this.rectangle.top < 24);
    element.classList.toggle("remote-caret-far", this.label.far);
    return element;
  }

  /** Redraws the element, because moving it would not restart its animation. */
  update(): boolean {
    return false;
  }
}
