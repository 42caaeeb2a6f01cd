import { renderRequest } from "../load/http-connection.ts";
import type { Asked } from "./child.ts";
import type { Contender, HttpServer } from "./contender.ts";
import type { LoadAnswer, LoadQuestion } from "./load-process.ts";
import { LIST_LIMIT, type Operation, TOOLS_PER_AGENT } from "./operations.ts";
import { chooseTargets, type Population } from "./population.ts";

export type LoadProcess = Asked<LoadQuestion, LoadAnswer>;

export interface LoadOptions {
  readonly load: LoadProcess;
  readonly connections: number;
  readonly population: Population;
  readonly operations: readonly Operation[];
}

/**
 * Opens connections to a server, verifies that it returns the right rows and none of other users, and generates load.
 */
export async function createHttpContender(server: HttpServer, options: LoadOptions): Promise<Contender> {
  const { load, connections, population, operations } = options;
  const { name, target } = server;
  await load.ask({ kind: "open", name, target, connections });
  const targets = chooseTargets(population);
  for (const operation of operations) {
    const requests = targets.map((chosen) => renderRequest(target, server.request(operation, chosen)));
    await checkAnswer(server, load, operation, requests[0]);
    await load.ask({ kind: "keep", name, operation, requests });
  }
  if (server.hasNoRules !== true) await checkRules(server, load, population);
  return {
    name,
    pids: server.pids,
    database: server.database,
    warmUp: (operation, { minMs, maxMs }) => load.ask({ kind: "run", name, operation, durationMs: minMs, maxMs }),
    run: async (operation, durationMs) => {
      await server.prepareRound?.();
      const { round } = await load.ask({ kind: "run", name, operation, durationMs });
      if (round === undefined) throw new Error("a round without an outcome");
      await server.checkRound?.();
      return round;
    },
    stop: () => server.stop(),
  };
}

async function checkAnswer(
  server: HttpServer,
  load: LoadProcess,
  operation: Operation,
  request: Buffer = Buffer.alloc(0),
): Promise<void> {
  const { asked } = await load.ask({ kind: "ask", name: server.name, request });
  if (asked === undefined) throw new Error("no response to a probe request");
  const agents = server.readAgents(operation, asked);
  const isList = operation === "list 20" || operation === "list 20 with tools";
  const expectedTools = operation === "list 20 with tools" ? TOOLS_PER_AGENT : 0;
  const isGood = agents.length === (isList ? LIST_LIMIT : 1) && agents.every(({ tools }) => tools === expectedTools);
  if (!isGood)
    throw new Error(`${server.name}, ${operation}, was answered with ${asked.status}: ${asked.text.slice(0, 2000)}`);
}

/** A store without access control would win every comparison. */
async function checkRules(server: HttpServer, load: LoadProcess, { agentsPerUser }: Population): Promise<void> {
  const request = renderRequest(server.target, server.request("read one", { user: 1, agent: agentsPerUser + 1 }));
  const { asked } = await load.ask({ kind: "ask", name: server.name, request });
  if (asked === undefined) throw new Error("no response to a probe request");
  if (asked.status < 500 && server.readAgents("read one", asked).length === 0) return;
  throw new Error(`${server.name} returns an agent of another user: ${asked.status} ${asked.text.slice(0, 500)}`);
}
