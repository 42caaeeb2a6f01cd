import { resolve } from "node:path";
import { forkAsked } from "../child.ts";
import type { Contender, Round } from "../contender.ts";
import type { DirectQuestion } from "../direct-process.ts";
import type { Population } from "../population.ts";
import type { Stage } from "../stage.ts";

/** The default of the setting DB_POOL_SIZE, which the service uses too. */
const POOL_SIZE = 10;

export interface DirectOptions {
  readonly database: string;
  readonly population: Population;
  readonly concurrency: number;
}

/** The limit: the service's own pipelined transactions, from a process that does nothing else. */
export async function startDirect(stage: Stage, options: DirectOptions): Promise<Contender> {
  const { database, population, concurrency } = options;
  const child = forkAsked<DirectQuestion, Round | null>(resolve(import.meta.dirname, "../direct-process.ts"));
  try {
    const { masterKey } = stage;
    const url = stage.urlOf(database);
    await child.ask({ kind: "open", url, masterKey, population, concurrency, poolSize: POOL_SIZE });
  } catch (error) {
    await child.stop();
    throw error;
  }
  return {
    name: "statements without HTTP",
    pids: [child.pid],
    database,
    warmUp: (operation, { minMs }) => child.ask({ kind: "run", operation, durationMs: minMs }),
    run: async (operation, durationMs) => {
      const round = await child.ask({ kind: "run", operation, durationMs });
      if (round === null) throw new Error("a round without an outcome");
      return round;
    },
    stop: child.stop,
  };
}
