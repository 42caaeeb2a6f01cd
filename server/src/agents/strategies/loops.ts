import type { FinishedTurn } from "./run-view.ts";
import { canonicalJson } from "../schemas/canonical-json.ts";

const TURNS_OF_TWO_CYCLES = 4;

/** Whether the last turns are two agents that handed the conversation to each other twice without using a tool. */
export function isPingPong(turns: readonly Pick<FinishedTurn, "agentId" | "handoffTo" | "usedTool">[]): boolean {
  const recent = turns.slice(-TURNS_OF_TWO_CYCLES);
  if (recent.length < TURNS_OF_TWO_CYCLES) return false;
  const one = recent[0]?.agentId;
  const other = recent[0]?.handoffTo;
  return recent.every((turn, index) => {
    const [from, to] = index % 2 === 0 ? [one, other] : [other, one];
    return turn.usedTool !== true && turn.agentId === from && turn.handoffTo === to;
  });
}

/** Whether two answers differ only in case, white space and final punctuation. */
export function repeatsItself(previous: string | null, next: string): boolean {
  return previous !== null && fold(previous) === fold(next);
}

function fold(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/\s+/gu, " ")
    .replace(/^ | ?[.!?…]{0,16} ?$/gu, "");
}

/** `repeat`: reject the call, because the model has this result already. `loop`: the same, and the model must answer with text. */
export type RepeatGuard = (name: string, inputText: string) => "run" | "repeat" | "loop";

const CALLS_THAT_RUN = 2;

/** Counts the calls of a tool with the same input, however the model formats it. */
export function createRepeatGuard(): RepeatGuard {
  const counts = new Map<string, number>();
  return (name, inputText) => {
    const key = `${name}\n${canonicalJson(inputText)}`;
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    if (count <= CALLS_THAT_RUN) return "run";
    return count === CALLS_THAT_RUN + 1 ? "repeat" : "loop";
  };
}
