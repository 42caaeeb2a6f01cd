import { openConnection, renderRequest } from "../load/http-connection.ts";
import { medianOf } from "../load/measure-rate.ts";
import type { Progress } from "../rest/progress.ts";
import { listDescendants, readCpuMs } from "./descendants.ts";
import type { Provider } from "./measure-streams.ts";
import { addAgent, addSwarms, type MemoryService, toRun } from "./memory-service.ts";
import { LOOK_UP, writeScript } from "./script-marker.ts";

export interface HistoryFigures {
  readonly name: string;
  /** CPU of a run in each round, in the service and in PostgreSQL. */
  readonly cpuMs: readonly number[];
  readonly childCpuMs: readonly number[];
}

const SCRIPT = { delayMs: 0, pieces: 12, piecesPerSecond: 0, isStamped: false };
const EARLIER_RUNS = 3;
const CALLS_PER_RUN = 2;
const CONNECTIONS = 4;
const MESSAGE = "Go on.";
/** What earlier runs were asked. */
const KINDS = {
  "no earlier run": null,
  "three earlier runs without tool calls": MESSAGE,
  "three earlier runs of two tool calls each": LOOK_UP,
} as const;

/** Each conversation has one measured run, so that all have the same history. The kinds take turns. */
export async function measureHistory(
  service: MemoryService,
  provider: Provider,
  { rounds, runs }: { readonly rounds: number; readonly runs: number },
  progress: Progress,
): Promise<HistoryFigures[]> {
  const user = await service.signUp();
  const prompt = writeScript(SCRIPT);
  const agentId = await addAgent(service, user, { tool: "json_query", framework: "provider_c", system_prompt: prompt });
  const runAll = async (swarmIds: readonly string[], message: string): Promise<void> => {
    const left = [...swarmIds];
    const work = async (): Promise<void> => {
      const connection = await openConnection(service.target);
      for (let id = left.pop(); id !== undefined; id = left.pop()) {
        const request = renderRequest(service.target, toRun(user, { swarm_id: id, message }));
        const { status, text } = await connection.ask(request);
        if (status !== 200) throw new Error(`A run was answered with ${status}: ${text.slice(0, 500)}`);
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));
  };

  const kinds = [];
  for (const [name, earlier] of Object.entries(KINDS)) {
    progress.stage(`conversations with ${name}`);
    const swarmIds = await addSwarms(service, user, agentId, rounds * runs + 1);
    if (earlier !== null) for (let run = 0; run < EARLIER_RUNS; run += 1) await runAll(swarmIds, earlier);
    await runAll(swarmIds.splice(0, 1), MESSAGE);
    const { resultsRead } = await provider.ask({ kind: "report" });
    const expected = earlier === LOOK_UP ? EARLIER_RUNS * CALLS_PER_RUN : 0;
    if (resultsRead !== expected) throw new Error(`An agent read ${resultsRead} results, and not ${expected}.`);
    kinds.push({ name, swarmIds, cpuMs: [] as number[], childCpuMs: [] as number[] });
  }
  for (let round = 0; round < rounds; round += 1)
    for (const { name, swarmIds, cpuMs, childCpuMs } of round % 2 === 0 ? kinds : kinds.toReversed()) {
      progress.stage(`runs with history, round ${round + 1} of ${rounds}: ${name}`);
      const children = listDescendants(service.pid);
      const [before, childrenBefore] = [readCpuMs([service.pid]), readCpuMs(children)];
      await runAll(swarmIds.splice(0, runs), MESSAGE);
      cpuMs.push((readCpuMs([service.pid]) - before) / runs);
      childCpuMs.push((readCpuMs(children) - childrenBefore) / runs);
    }
  return kinds;
}

/** The median of the ratios of rounds, in which both ran one after the other. */
export function compareHistory(one: HistoryFigures, other: HistoryFigures): number {
  const sumOf = ({ cpuMs, childCpuMs }: HistoryFigures, round: number): number =>
    (cpuMs[round] ?? Number.NaN) + (childCpuMs[round] ?? Number.NaN);
  return medianOf(one.cpuMs.map((_, round) => sumOf(one, round) / sumOf(other, round)));
}
