import type { Listener, Message, Phase } from "./messages.ts";

/** Audio that may wait in the browser: ten seconds at 48 kHz. */
const MOST_WAITING = 960_000;
/** Pauses before attempts to reconnect, in milliseconds. */
const PAUSES = [250, 500, 1000, 2000, 4000, 4000, 4000];
/** Time limit for the last words after the end of the audio. */
const PATIENCE = 15_000;
/** The service is stopping, and may be back soon. */
const RESTART = 1012;

/** A stream to the service. If the connection is lost, the session is recovered by another one. */
export class Session {
  #url: URL;
  #listener: Listener;
  #socket: WebSocket | undefined;
  #phase: Phase = "connecting";
  #id: string | undefined;
  #attempt = 0;
  #problem: string | undefined;
  #timer: number | undefined;
  /** Milliseconds of audio, sent on earlier connections and on this one. */
  #before = 0;
  #sent = 0;

  /** Connects. The listener is not told of "connecting", but of all that follows, and never before this returns. */
  constructor(rate: number, listener: Listener) {
    this.#url = new URL(`v1/transcribe/stream?sample_rate=${rate}`, location.href);
    this.#url.protocol = this.#url.protocol.replace("http", "ws");
    this.#listener = listener;
    this.#connect();
  }

  /** Sends a chunk. Without a connection, the chunk is dropped: speech that is heard minutes later helps nobody. */
  send(chunk: ArrayBuffer, milliseconds: number): void {
    if (this.#phase !== "live" || this.#socket === undefined) return;
    if (this.#socket.bufferedAmount > MOST_WAITING) {
      this.#fail("The connection is too slow for live audio.");
      return;
    }
    this.#socket.send(chunk);
    this.#sent += milliseconds;
  }

  /** Ends the stream. The last words still arrive, unless this is called again. */
  finish(): void {
    if (this.#phase === "done" || this.#phase === "failed") return;
    if (this.#phase !== "live") {
      this.#end("done");
      return;
    }
    this.#enter("finishing");
    this.#socket?.send(JSON.stringify({ type: "stop" }));
    this.#timer = window.setTimeout(() => this.#fail("The last words did not arrive in time."), PATIENCE);
  }

  #connect(): void {
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    socket.addEventListener("message", ({ data }) => this.#take(JSON.parse(String(data)) as Message));
    socket.addEventListener("close", ({ code, reason }) => {
      if (socket === this.#socket) this.#closed(code, reason);
    });
  }

  #take(message: Message): void {
    switch (message.type) {
      case "session_start":
        if (this.#id !== undefined) {
          this.#socket?.send(JSON.stringify({ type: "reconnect", previous_session_id: this.#id }));
        }
        this.#id = message.session_id;
        this.#attempt = 0;
        this.#before += this.#sent;
        this.#sent = 0;
        this.#enter("live");
        break;
      case "partial":
        this.#listener.partial(message.text);
        break;
      case "final":
        this.#listener.final(message.text, this.#before + message.start_ms);
        break;
      case "session_recovered":
        // The words of the utterance that was cut off will not become part of a final.
        if (message.text !== "") this.#listener.final(message.text, this.#before);
        break;
      case "error":
        // The old session may be gone. The new one continues without it.
        if (message.code !== "SESSION_NOT_FOUND") this.#problem = message.message;
    }
  }

  #closed(code: number, reason: string): void {
    if (code === 1000) return this.#problem === undefined ? this.#end("done") : this.#fail(this.#problem);
    const lost = code === 1005 || code === 1006 || code === RESTART;
    const pause = PAUSES[this.#attempt];
    const may = this.#phase === "live" || this.#phase === "reconnecting";
    if (!lost || pause === undefined || !may) {
      this.#fail(this.#problem ?? (reason || "The service cannot be reached."));
      return;
    }
    this.#attempt += 1;
    this.#enter("reconnecting");
    this.#timer = window.setTimeout(() => this.#connect(), pause);
  }

  #fail(problem: string): void {
    this.#problem = problem;
    this.#end("failed");
  }

  #end(phase: Phase): void {
    clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
    this.#enter(phase);
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#listener.phase(phase, phase === "failed" ? this.#problem : undefined);
  }
}
