/** A visit to a room: the shared text, the people, the connection to the server, and the last run. */

import { WebsocketProvider } from "y-websocket";
import * as Y from "yjs";
import { colorFor, lighter } from "../color.ts";
import { toast } from "../toast.ts";
import { ask, USUAL, type About } from "./about.ts";
import { follow, mayComeAgain, type Connection } from "./connection.ts";
import { languageOf, runnable } from "./languages.ts";
import { people, type Person } from "./people.ts";
import { RoomSocket, type Output } from "./room-socket.ts";
import { Signal } from "./signal.ts";

/** The name of the text in the document, which all Yjs clients of the room use. */
const TEXT = "code";
const SETTINGS = "settings";
const LANGUAGE = "language";
const TYPING_ENDS = 1_200;
/** Additional time for a run's response. The first run waits until the server has examined its machine. */
const ANSWER_BESIDE = 30_000;

export type Run =
  | { kind: "idle" }
  | { kind: "running"; by: string }
  | { kind: "done"; output: Output; by: string }
  | { kind: "refused"; message: string };

export class Session {
  readonly room: string;
  readonly text: Y.Text;
  readonly provider: WebsocketProvider;
  readonly connection = new Signal<Connection>({ phase: "opening", unsent: false, opened: false, reason: "" });
  readonly people = new Signal<readonly Person[]>([]);
  /** The language of the text. It belongs to the room and not to each person, because the text is one program. */
  readonly language = new Signal<string>("javascript");
  readonly run = new Signal<Run>({ kind: "idle" });
  /** The capabilities of the server. */
  readonly about = new Signal<About>(USUAL);
  readonly socket: RoomSocket;
  readonly #name: string;
  readonly #doc = new Y.Doc();
  readonly #settings: Y.Map<unknown>;
  readonly #ends: (() => void)[] = [];
  /** Runs whose output has arrived. Their user's awareness may still say that they are running. */
  readonly #answered = new Set<string>();
  #typing: ReturnType<typeof setTimeout> | undefined;
  #waiting: ReturnType<typeof setTimeout> | undefined;

  constructor(room: string, name: string) {
    this.room = room;
    this.#name = name;
    this.text = this.#doc.getText(TEXT);
    this.#settings = this.#doc.getMap(SETTINGS);
    this.provider = new WebsocketProvider(`${location.origin.replace(/^http/, "ws")}/yjs`, encodeURIComponent(room), this.#doc, {
      disableBc: true,
      shouldReconnect: mayComeAgain,
    });
    this.socket = new RoomSocket(room, name, {
      output: (output) => this.#ran(output),
      refused: (event, message) => this.#refused(event, message),
    });
    this.#say("user", userOf(name, colorFor(name, new Set())));
    void ask().then((about) => this.#learned(about));
    this.#ends.push(follow(this.provider, this.connection));
    this.#ends.push(this.connection.watch((now) => now.phase === "online" && this.#ownColor(() => true)));
    this.#settings.observe(() => this.language.set(String(this.#settings.get(LANGUAGE) ?? "javascript")));
    const look = () => this.#lookAround();
    this.provider.awareness.on("change", look);
    this.#ends.push(this.socket.clients.watch(look));
    this.#ends.push(this.socket.id.watch((id) => this.#say("socketId", id)));
  }

  /** The language name for a run request; undefined if the server cannot run this language. */
  runnable(): string | undefined {
    return runnable(languageOf(this.language.value), this.about.value);
  }

  setLanguage(language: string): void {
    this.#settings.set(LANGUAGE, language);
  }

  /** Records that the user typed. Others see it for a moment. */
  typed(): void {
    if (this.#typing === undefined) this.#say("typing", true);
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => {
      this.#typing = undefined;
      this.#say("typing", false);
    }, TYPING_ENDS);
  }

  /** Requests a run of the text. Everybody in the room sees the output. */
  runNow(key: string): void {
    this.run.set({ kind: "running", by: this.#name });
    this.#say("running", crypto.randomUUID());
    this.socket.run(this.text.toString(), key);
    this.#waiting = setTimeout(() => this.#refused("run-code", "No answer came from the server."), this.about.value.longestRun + ANSWER_BESIDE);
  }

  close(): void {
    for (const end of this.#ends) end();
    clearTimeout(this.#typing);
    clearTimeout(this.#waiting);
    this.socket.close();
    this.provider.awareness.setLocalState(null);
    this.provider.destroy();
    this.#doc.destroy();
  }

  #learned(about: About): void {
    this.about.set(about);
    if (about.mayConnect) return;
    this.#shut(`The server takes nothing from pages of ${location.origin}. Whoever runs it allows that with --allow-origin ${location.origin}`);
  }

  /** Chooses another colour if a client with precedence has the same one. */
  #ownColor(first: (client: number) => boolean): void {
    const { awareness } = this.provider;
    const colorOf = (state: unknown) => String((state as { user?: { color?: unknown } } | null)?.user?.color);
    const others = [...awareness.getStates()].filter(([client]) => client !== awareness.clientID);
    const own = colorOf(awareness.getLocalState());
    if (!others.some(([client, state]) => first(client) && colorOf(state) === own)) return;
    const color = colorFor(this.#name, new Set(others.map(([, state]) => colorOf(state))));
    if (color !== own) this.#say("user", userOf(this.#name, color));
  }

  #lookAround(): void {
    // If two clients chose the same colour because they joined at the same time, one of them must choose again.
    this.#ownColor((client) => client < this.provider.awareness.clientID);
    const now = people(this.provider.awareness, this.socket.clients.value);
    // Most updates only move carets, which does not change the list.
    if (JSON.stringify(now) !== JSON.stringify(this.people.value)) this.people.set(now);
    const runner = now.find((person) => this.#waits(person) && !person.me);
    const { kind } = this.run.value;
    if (runner !== undefined && kind !== "running") this.run.set({ kind: "running", by: runner.name });
    // No output will arrive, because the user who started the run has left or was refused.
    if (kind === "running" && !now.some((person) => this.#waits(person))) this.run.set({ kind: "idle" });
  }

  #waits({ running }: Person): boolean {
    return running !== null && !this.#answered.has(running);
  }

  #ran(output: Output): void {
    for (const { running } of this.people.value) if (running !== null) this.#answered.add(running);
    const by = this.run.value.kind === "running" ? this.run.value.by : "";
    this.run.set({ kind: "done", output, by });
    this.#ranOut();
  }

  #refused(event: string, message: string): void {
    if (event === "join") {
      this.#shut(message);
    } else if (event === "run-code") {
      this.run.set({ kind: "refused", message });
      this.#ranOut();
    } else {
      toast({ text: message, kind: "bad" });
    }
  }

  #shut(reason: string): void {
    this.provider.disconnect();
    this.socket.close();
    this.connection.set({ ...this.connection.value, phase: "closed", reason });
  }

  #ranOut(): void {
    clearTimeout(this.#waiting);
    this.#say("running", null);
  }

  #say(field: string, value: unknown): void {
    this.provider.awareness.setLocalStateField(field, value);
  }
}

const userOf = (name: string, color: string) => ({ name, color, colorLight: lighter(color) });
