// State shared by the objects of one iteration, in addition to its key. Most iterations need none, so it is created on
// demand. Native code reports the end of the iteration.
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

/** Returns the user and step of a failure, if known. */
export function blamed(key, error) {
  const blame = stories.get(key)?.blame;
  return blame?.error === error ? blame : undefined;
}

export function forget(key) { stories.delete(key); }
