import { element } from "./dom.ts";
import { PHASES, type Listener, type Phase } from "./messages.ts";
import { loudness, toPcm } from "./pcm.ts";
import { Session } from "./session.ts";
import { microphone, recording, type Source } from "./source.ts";
import { Transcript } from "./transcript.ts";

const transcript = new Transcript();
const level = element<HTMLMeterElement>("level");
const file = element<HTMLInputElement>("file");
let source: Source | undefined;
let session: Session | undefined;
/** Counts starts and stops, so that a source that opens after "Stop" was pressed is not used. */
let turn = 0;

function showPhase(phase: Phase): void {
  const pill = element("phase");
  pill.dataset["phase"] = phase;
  pill.textContent = PHASES[phase];
  const busy = !["idle", "done", "failed"].includes(phase);
  const stop = element<HTMLButtonElement>("stop");
  // The focus moves with the button that replaces the one that was pressed.
  const focused = document.activeElement;
  const moves = focused === stop || focused === element("microphone") || focused === element("choose");
  element("microphone").hidden = busy;
  element("choose").hidden = busy;
  stop.hidden = !busy;
  if (moves && focused !== null && (focused as HTMLElement).hidden) (busy ? stop : element("microphone")).focus();
}

function showProblem(problem: string | undefined): void {
  const place = element("problem");
  place.hidden = problem === undefined;
  place.textContent = problem ?? "";
}

function stopSource(): void {
  source?.stop();
  source = undefined;
  level.value = 0;
}

const listener: Listener = {
  phase(phase, problem) {
    if (phase === "done" || phase === "failed") stopSource();
    showPhase(phase);
    if (problem !== undefined) showProblem(problem);
  },
  partial: (text) => transcript.partial(text),
  final: (text, startMs) => transcript.final(text, startMs),
};

/** Passes on events while `current` holds, so that an earlier session does not stop the microphone of the next one. */
function only(current: () => boolean): Listener {
  return {
    phase: (phase, problem) => current() && listener.phase(phase, problem),
    partial: (text) => current() && listener.partial(text),
    final: (text, startMs) => current() && listener.final(text, startMs),
  };
}

/** Ends the session of an earlier start. A file can be chosen while the microphone is used, if the dialog was open. */
function leave(): void {
  const earlier = session;
  session = undefined;
  stopSource();
  earlier?.finish();
}

async function begin(open: Promise<Source>): Promise<void> {
  leave();
  showProblem(undefined);
  showPhase("connecting");
  const mine = ++turn;
  try {
    const opened = await open;
    if (mine !== turn) return opened.stop();
    listen(opened);
  } catch (error) {
    if (mine !== turn) return;
    showPhase("idle");
    showProblem(error instanceof Error ? error.message : String(error));
  }
}

function listen(opened: Source): void {
  const { rate } = opened;
  const stream: Session = new Session(rate, only(() => session === stream));
  session = stream;
  source = opened;
  opened.start(
    (samples) => {
      level.value = loudness(samples);
      stream.send(toPcm(samples), (samples.length * 1000) / rate);
    },
    () => finish(stream),
  );
}

function finish(stream: Session): void {
  if (stream !== session) return;
  stopSource();
  stream.finish();
}

element("microphone").addEventListener("click", () => void begin(microphone()));
element("choose").addEventListener("click", () => file.click());
element("stop").addEventListener("click", () => {
  turn += 1;
  if (session === undefined) showPhase("idle");
  else finish(session);
});
element("clear").addEventListener("click", () => transcript.clear());
// Browsers have a clipboard only over HTTPS or on localhost.
element("copy").hidden = !("clipboard" in navigator);
element("copy").addEventListener("click", async ({ currentTarget }) => {
  await navigator.clipboard.writeText(transcript.text);
  const button = currentTarget as HTMLElement;
  button.textContent = "Copied";
  setTimeout(() => (button.textContent = "Copy"), 2000);
});
file.addEventListener("change", () => {
  const [chosen] = file.files ?? [];
  // The same file can be chosen again.
  file.value = "";
  if (chosen !== undefined) void begin(recording(chosen));
});
