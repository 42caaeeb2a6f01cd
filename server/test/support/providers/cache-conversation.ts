import type { CachedCall } from "./cache-server.ts";
import type { WireAnswer } from "./wire-answer.ts";

const SECONDS_PER_TURN = 40;
/** Every so many turns the person is away for longer than a cache lives. */
const TURNS_TOGETHER = 60;
const AWAY_SECONDS = 3_600;
/** Every so many turns the agent calls a tool. */
const TURNS_PER_TOOL = 5;

/** What a person, an agent or a prompt says: between 20 and 120 words, the same every time. */
export function say(turn: number, who: string): string {
  const words = Array.from({ length: 20 + ((turn * 37) % 100) }, (_, word) => `word${(turn * 31 + word * 7) % 997}`);
  return `${who} ${turn}: ${words.join(" ")}.`;
}

export const PROMPT = Array.from({ length: 20 }, (_, rule) => say(rule, "rule")).join("\n");

export function secondsAfter(turn: number): number {
  return turn % TURNS_TOGETHER === 0 ? AWAY_SECONDS : SECONDS_PER_TURN;
}

export function isSummary({ system, messages }: CachedCall["body"]): boolean {
  return JSON.stringify(system ?? messages[0]).includes("You summarise the beginning");
}

/** The answers of the model to what a person says. */
export function answerPerson(body: CachedCall["body"]): WireAnswer {
  if (isSummary(body)) return { texts: ["They have counted."] };
  const last = JSON.stringify(body.messages.at(-1));
  const turn = Number(/person (\d+):/.exec(last)?.[1] ?? 0);
  const isResult = last.includes('"role":"tool"') || last.includes("tool_result");
  if (isResult || turn % TURNS_PER_TOOL !== 0) return { texts: [say(turn, "answer")] };
  return { calls: [{ id: `call_${turn}`, name: "calculator", input: { expression: `${turn} * 17` } }] };
}
