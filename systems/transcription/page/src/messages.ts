/** What the service sends. */
export type Message =
  | { type: "session_start"; session_id: string }
  | { type: "partial"; text: string }
  | { type: "final"; text: string; start_ms: number; end_ms: number }
  | { type: "session_recovered"; text: string }
  | { type: "error"; code: string; message: string };

/** The state of the connection. */
export type Phase = "idle" | "connecting" | "live" | "reconnecting" | "finishing" | "done" | "failed";

export const PHASES: Record<Phase, string> = {
  idle: "Ready",
  connecting: "Connecting",
  live: "Connected",
  reconnecting: "Connection lost, reconnecting",
  finishing: "Waiting for the last words",
  done: "Finished",
  failed: "Stopped",
};

/** What a session tells the page. */
export interface Listener {
  phase(phase: Phase, problem?: string): void;
  partial(text: string): void;
  final(text: string, startMs: number): void;
}
