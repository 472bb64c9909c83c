/** The Socket.IO connection to the room: who joined, and running code. The text uses Yjs instead. */

import { io, type Socket } from "socket.io-client";
import { Signal } from "./signal.ts";

const AGAIN = 1_000;

export interface Client {
  socketId: string;
  username: string;
}

export interface Output {
  success: boolean;
  output: string;
  error: string;
  /** ISO 8601, UTC. */
  timestamp: string;
}

export interface Listener {
  output: (output: Output) => void;
  /** The server refused one of our events, such as "join" or "run-code". */
  refused: (event: string, message: string) => void;
}

export class RoomSocket {
  readonly clients = new Signal<readonly Client[]>([]);
  /** Our own id while we are connected. */
  readonly id = new Signal<string | null>(null);
  readonly #socket: Socket;
  readonly #room: string;
  #again: ReturnType<typeof setTimeout> | undefined;

  constructor(room: string, username: string, listener: Listener) {
    this.#room = room;
    this.#socket = io({ transports: ["websocket"], forceNew: true, reconnectionDelayMax: 2_500 });
    this.#socket.on("connect", () => {
      this.id.set(this.#socket.id ?? null);
      // The text arrives by Yjs, so decline text events.
      this.#socket.emit("join", { roomId: room, username, texts: false });
    });
    this.#socket.on("disconnect", (reason) => {
      // The library does not reconnect after the server has closed the connection. Do so here, because the server only
      // restarts.
      if (reason === "io server disconnect") this.#again = setTimeout(() => this.#socket.connect(), AGAIN);
      this.id.set(null);
      this.clients.set([]);
    });
    this.#socket.on("joined", (joined?: { clients?: unknown }) => {
      if (Array.isArray(joined?.clients)) this.clients.set(joined.clients.filter(isClient));
    });
    this.#socket.on("disconnected", (gone?: { socketId?: unknown }) => {
      this.clients.set(this.clients.value.filter((client) => client.socketId !== gone?.socketId));
    });
    this.#socket.on("code-output", (said?: { output?: Partial<Output> }) => {
      if (said?.output !== undefined) listener.output(outputOf(said.output));
    });
    this.#socket.on("error", (said?: { event?: unknown; message?: unknown }) => {
      listener.refused(String(said?.event ?? ""), String(said?.message ?? "the server refused"));
    });
  }

  run(code: string, language: string): void {
    this.#socket.emit("run-code", { roomId: this.#room, code, language });
  }

  close(): void {
    clearTimeout(this.#again);
    this.#socket.disconnect();
  }
}

function isClient(value: unknown): value is Client {
  const client = value as Partial<Client> | null;
  return typeof client?.socketId === "string" && typeof client.username === "string";
}

function outputOf(said: Partial<Output>): Output {
  return {
    success: said.success === true,
    output: String(said.output ?? ""),
    error: String(said.error ?? ""),
    timestamp: String(said.timestamp ?? ""),
  };
}
