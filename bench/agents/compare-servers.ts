import { type HttpConnection, type HttpTarget, openConnection, renderRequest } from "../load/http-connection.ts";
import { measureRate, medianOf } from "../load/measure-rate.ts";
import type { Progress } from "../rest/progress.ts";
import { listDescendants, readCpuMs } from "./descendants.ts";
import type { LanggraphServer } from "./langgraph-server.ts";
import type { Swarmbase } from "./swarmbase.ts";

export interface ServerContender {
  readonly name: string;
  /** Includes its child processes, such as its database. */
  readonly pid: number;
  /** Executes one run over the connection with this number. */
  work(connection: number): Promise<void>;
  close(): void;
}

export interface ServerFigures {
  readonly name: string;
  readonly runsPerSecond: number;
  /** Measured with one run at a time. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** CPU of a run: in the started process, and in all of its child processes. */
  readonly cpuMs: number;
  readonly childCpuMs: number;
}

const SCRIPT = { delayMs: 0, pieces: 12, piecesPerSecond: 0, isStamped: false };
const MESSAGE = "Go on.";
/**
 * Runs before the next conversation starts. Both servers send the history with every run, and the faster one would soon
 * send more.
 */
const RUNS_OF_CONVERSATION = 20;
/** More conversations than can be started in the available time. */
const SWARMS = 1_200;
const THREADS = 300;

export interface SwarmbaseRuns {
  readonly connections: number;
  /** How many agents the conversations share; by default each has its own. */
  readonly agents?: number;
  /** Another user asks by a grant; each agent has this many further ones. */
  readonly otherGrants?: number;
  readonly name?: string;
}

export async function openSwarmbaseRuns(
  swarmbase: Swarmbase,
  { connections, agents = SWARMS, otherGrants, name = "Swarmbase" }: SwarmbaseRuns,
): Promise<ServerContender> {
  const swarmIds = await swarmbase.createSwarms({ count: SWARMS, script: SCRIPT, agents, otherGrants });
  const requests = swarmIds.map((swarmId) =>
    renderRequest(swarmbase.target, {
      method: "POST",
      path: "/functions/v1/agent-respond",
      headers: otherGrants === undefined ? swarmbase.headers : swarmbase.askerHeaders,
      body: JSON.stringify({ swarm_id: swarmId, message: MESSAGE }),
    }),
  );
  const { pid } = await swarmbase.readProbe(false);
  const about = { name, pid, proof: '"stop_reason":"all_replied"', connections };
  return openContender(about, swarmbase.target, requests);
}

export async function openLanggraphRuns(server: LanggraphServer, connections: number): Promise<ServerContender> {
  const threadIds = await server.createThreads(THREADS);
  const requests = threadIds.map((threadId) =>
    renderRequest(server.target, {
      method: "POST",
      path: `/threads/${threadId}/runs/wait`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ assistant_id: "bench", input: { messages: [{ role: "user", content: MESSAGE }] } }),
    }),
  );
  const { pid, target } = server;
  const about = { name: "langgraphjs dev (development server)", pid, proof: '"ai"', connections };
  return openContender(about, target, requests);
}

interface About {
  readonly name: string;
  readonly pid: number;
  /** A text that the response to a run must contain. */
  readonly proof: string;
  readonly connections: number;
}

/** `requests`: one for each conversation. */
async function openContender(
  { name, pid, proof, connections }: About,
  target: HttpTarget,
  requests: readonly Buffer[],
): Promise<ServerContender> {
  const lines: HttpConnection[] = [];
  const conversations = new ConversationLine(requests);
  for (let connection = 0; connection < connections; connection += 1) {
    const line = await openConnection(target);
    lines.push(line);
    const { status, text } = await line.ask(conversations.next(connection));
    // Ignores white space and chunk sizes in the response.
    if (status !== 200 || !text.replace(/\s/g, "").includes(proof))
      throw new Error(`${name} answered a run with ${status}: ${text.slice(0, 500)}`);
  }
  return {
    name,
    pid,
    work: async (connection) => {
      // Servers close idle connections while the others are measured.
      if (lines[connection]?.isOpen() !== true) lines[connection] = await openConnection(target);
      const request = conversations.next(connection);
      let status = await lines[connection]?.send(request);
      // A service with more calls than it can serve in time rejects some. The caller tries again.
      while (status === 503) status = await lines[connection]?.send(request);
      if (status !== 200) throw new Error(`${name} answered a run with ${status}.`);
    },
    close: () => {
      for (const line of lines) line.close();
    },
  };
}

/** Gives each connection its own conversation, and the next one when that is over. */
class ConversationLine {
  readonly #requests: readonly Buffer[];
  readonly #held = new Map<number, { readonly request: Buffer; runs: number }>();
  #begun = 0;

  constructor(requests: readonly Buffer[]) {
    this.#requests = requests;
  }

  next(connection: number): Buffer {
    let held = this.#held.get(connection);
    if (held === undefined || held.runs === RUNS_OF_CONVERSATION) {
      const request = this.#requests[this.#begun];
      if (request === undefined) throw new Error("there are no more conversations to begin");
      this.#begun += 1;
      held = { request, runs: 0 };
      this.#held.set(connection, held);
    }
    held.runs += 1;
    return held.request;
  }
}

export interface RunsTiming {
  readonly rounds: number;
  readonly roundMs: number;
  /** Before all rounds, because code is compiled during the first seconds. */
  readonly warmUpMs: number;
  readonly connections: number;
}

/** The servers alternate, so that other load of the machine affects both. */
export async function compareServers(
  contenders: readonly ServerContender[],
  { rounds, roundMs, warmUpMs, connections }: RunsTiming,
  progress: Progress,
): Promise<ServerFigures[]> {
  const seen = contenders.map((contender) => ({
    contender,
    rates: [] as number[],
    timesMs: [] as number[],
    cpu: { runs: 0, ms: 0, childMs: 0 },
  }));
  for (const { name, work } of contenders) {
    progress.stage(`whole runs, warming up: ${name}`);
    await measureRate(work, { concurrency: connections, durationMs: warmUpMs });
  }
  for (let round = 0; round < rounds; round += 1)
    for (const { contender, rates, timesMs, cpu } of round % 2 === 0 ? seen : seen.toReversed()) {
      progress.stage(`whole runs, round ${round + 1} of ${rounds}: ${contender.name}`);
      await measureRate(contender.work, { concurrency: connections, durationMs: roundMs / 4 });
      const children = listDescendants(contender.pid);
      const [before, childrenBefore] = [readCpuMs([contender.pid]), readCpuMs(children)];
      const counted = async (connection: number): Promise<void> => {
        await contender.work(connection);
        cpu.runs += 1;
      };
      rates.push(await measureRate(counted, { concurrency: connections, durationMs: roundMs }));
      cpu.ms += readCpuMs([contender.pid]) - before;
      cpu.childMs += readCpuMs(children) - childrenBefore;
      const timed = async (connection: number): Promise<void> => {
        const startedAtMs = performance.now();
        await contender.work(connection);
        timesMs.push(performance.now() - startedAtMs);
      };
      await measureRate(timed, { concurrency: 1, durationMs: roundMs });
    }
  return seen.map(({ contender, rates, timesMs, cpu }) => ({
    name: contender.name,
    runsPerSecond: medianOf(rates),
    p50Ms: medianOf(timesMs),
    p99Ms: timesMs.toSorted((one, other) => one - other)[Math.floor(timesMs.length * 0.99)] ?? Number.NaN,
    cpuMs: cpu.ms / cpu.runs,
    childCpuMs: cpu.childMs / cpu.runs,
  }));
}
