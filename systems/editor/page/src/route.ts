/** Converts between addresses and rooms, and generates names for new rooms. */

const ROOM_PATH = /^\/editor\/([^/?#]+)\/?$/;
const MOST_ROOM = 128;

const FIRST = ("amber brave calm clear cosy dawn deep early fair fleet gentle glad green hazel ivory jolly keen kind late light lucky mellow " +
  "misty noble olive pale plain proud quick quiet rapid ripe rosy ruby sharp silver sly snowy solid sunny swift tidy vivid warm wise").split(" ");
const SECOND = ("badger beaver bison crane crow deer dove eagle elk falcon finch fox goose hare hawk heron ibis jay kite koala lark lemur " +
  "lynx marten mole moose newt otter owl panda perch puffin raven robin seal shrew sparrow stork swan tapir tern toad trout wren yak").split(" ");
/** Letters and digits that are easy to tell apart. */
const TAIL = "23456789abcdefghjkmnpqrstuvwxyz";

/** The room in a path; null for the start page. */
export function roomOf(path: string): string | null {
  const found = ROOM_PATH.exec(path)?.[1];
  if (found === undefined) return null;
  try {
    return cleaned(decodeURIComponent(found));
  } catch {
    return null;
  }
}

export const pathOf = (room: string) => `/editor/${encodeURIComponent(room)}`;
export const linkOf = (room: string) => location.origin + pathOf(room);

/** The room in text that a user typed or pasted, which is a name or a link. */
export function roomFrom(text: string): string | null {
  const trimmed = text.trim();
  const path = trimmed.includes("/editor/") ? trimmed.slice(trimmed.indexOf("/editor/")).replace(/[?#].*$/, "") : null;
  return path === null ? cleaned(trimmed) : roomOf(path);
}

function cleaned(room: string): string | null {
  const trimmed = room.trim();
  const fits = 0 < trimmed.length && trimmed.length <= MOST_ROOM && !/[/\\?#\u0000-\u001f]/.test(trimmed);
  return fits ? trimmed : null;
}

/** A name that can be read aloud, with a random suffix of about 40 bits that cannot be guessed. */
export function newRoom(): string {
  const tail = Array.from({ length: 6 }, () => pick([...TAIL])).join("");
  return `${pick(FIRST)}-${pick(SECOND)}-${tail}`;
}

function pick<T>(all: readonly T[]): T {
  const [random] = crypto.getRandomValues(new Uint32Array(1));
  return all[(random ?? 0) % all.length] as T;
}
