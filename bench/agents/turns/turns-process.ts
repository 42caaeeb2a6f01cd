import { answerParent } from "../../rest/child.ts";
import { ANSWER } from "../peers/script.js";
import type { TurnContender } from "./turn-contender.ts";

export type ContenderName = keyof typeof CONTENDERS;
export type TurnsQuestion =
  | { readonly kind: "open"; readonly contender: ContenderName }
  | { readonly kind: "run"; readonly what: "answer" | "callTool"; readonly durationMs: number };

export interface TurnsAnswer {
  readonly name: string;
  readonly microseconds: number[];
}

// Imported on demand, so that importing one package does not affect another.
const CONTENDERS = {
  swarmbase: async () => (await import("./swarmbase-turns.ts")).openSwarmbaseTurns(),
  "openai-agents": async () => (await import("../peers/openai-agents.js")).openOpenaiAgents(),
  "ai-sdk": async () => (await import("../peers/ai-sdk.js")).openAiSdk(),
  langgraph: async () => (await import("../peers/langgraph.js")).openLanggraph(),
  mastra: async () => (await import("../peers/mastra.js")).openMastra(),
} as const satisfies Record<string, () => Promise<TurnContender>>;

let opened: TurnContender | null = null;

answerParent<TurnsQuestion, TurnsAnswer>(async (question) => {
  if (question.kind === "open") {
    opened = await CONTENDERS[question.contender]();
    return { name: opened.name, microseconds: [] };
  }
  if (opened === null) throw new Error("no contender was selected");
  const work = opened[question.what];
  const said = await work();
  if (said !== ANSWER) throw new Error(`${opened.name} said ${JSON.stringify(said)}`);
  const microseconds: number[] = [];
  for (const endMs = performance.now() + question.durationMs; performance.now() < endMs; ) {
    const startedAtMs = performance.now();
    await work();
    microseconds.push((performance.now() - startedAtMs) * 1_000);
  }
  return { name: opened.name, microseconds };
});
