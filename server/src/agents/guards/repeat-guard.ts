import { canonicalJson } from "./canonical-json.ts";

export interface RepeatGuard {
  /** `repeat`: answer the model that it has this result already. `loop`: end the run. */
  judge(name: string, inputText: string): "run" | "repeat" | "loop";
}

const CALLS_THAT_RUN = 2;

/** Counts calls of one tool with one and the same input, however the model wrote it. */
export function createRepeatGuard(): RepeatGuard {
  const counts = new Map<string, number>();
  return {
    judge(name, inputText) {
      const key = `${name}\n${canonicalJson(inputText)}`;
      const count = (counts.get(key) ?? 0) + 1;
      counts.set(key, count);
      if (count <= CALLS_THAT_RUN) return "run";
      return count === CALLS_THAT_RUN + 1 ? "repeat" : "loop";
    },
  };
}
