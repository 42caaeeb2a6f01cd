import { resolve } from "node:path";
import { medianOf } from "../../load/measure-rate.ts";
import { type Asked, forkAsked } from "../../rest/child.ts";
import type { Progress } from "../../rest/progress.ts";
import type { ContenderName, TurnsAnswer, TurnsQuestion } from "./turns-process.ts";

export interface TurnTiming {
  readonly rounds: number;
  readonly roundMs: number;
  /** Warm-up before each measurement. */
  readonly warmUpMs: number;
}

export interface TurnFigures {
  readonly name: string;
  /** Median of the rounds' medians, in microseconds. */
  readonly answer: number;
  readonly callTool: number;
}

const PROCESS = resolve(import.meta.dirname, "turns-process.ts");
/** The other contenders run only if their packages are installed. */
const PEERS = ["ai-sdk", "openai-agents", "langgraph", "mastra"] as const;

/** Each contender runs in a new process for every round; they alternate, forwards and backwards. */
export async function compareTurns(
  { rounds, roundMs, warmUpMs }: TurnTiming,
  withPeers: boolean,
  progress: Progress,
): Promise<TurnFigures[]> {
  const names: ContenderName[] = ["swarmbase", ...(withPeers ? PEERS : [])];
  const seen = new Map(names.map((name) => [name, { name: "", answer: [] as number[], callTool: [] as number[] }]));
  for (let round = 0; round < rounds; round += 1)
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      progress.stage(`turns in the process, round ${round + 1} of ${rounds}: ${name}`);
      const child: Asked<TurnsQuestion, TurnsAnswer> = forkAsked(PROCESS);
      const figures = seen.get(name);
      try {
        const opened = await child.ask({ kind: "open", contender: name });
        if (figures) figures.name = opened.name;
        for (const what of ["answer", "callTool"] as const) {
          await child.ask({ kind: "run", what, durationMs: warmUpMs });
          figures?.[what].push(medianOf((await child.ask({ kind: "run", what, durationMs: roundMs })).microseconds));
        }
      } finally {
        await child.stop();
      }
    }
  return [...seen.values()].map(({ name, answer, callTool }) => ({
    name,
    answer: medianOf(answer),
    callTool: medianOf(callTool),
  }));
}
