// What the objects of one iteration share beyond its key. Most iterations need nothing of it, so that it is made when
// it is asked for, and native code says when it is over.
import { keepsStory } from "headcount/native";

const stories = new Map();

export function storyOf(key) {
  let story = stories.get(key);
  if (story === undefined) {
    stories.set(key, (story = {}));
    keepsStory(key);
  }
  return story;
}

/** Whose failure this is, and in which step, if that is known. */
export function blamed(key, error) {
  const blame = stories.get(key)?.blame;
  return blame?.error === error ? blame : undefined;
}

export function forget(key) { stories.delete(key); }
