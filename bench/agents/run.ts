import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { forkAsked } from "../rest/child.ts";
import { createProgress } from "../rest/progress.ts";
import { compareServers, openLanggraphRuns, openSwarmbaseRuns, type ServerContender } from "./compare-servers.ts";
import { closeStreams } from "./event-stream.ts";
import { startLanggraphServer } from "./langgraph-server.ts";
import { measureCancel, measureFirstByte, measureLiveStreams, type Provider } from "./measure-streams.ts";
import { renderServers, renderStreams, renderTurns } from "./render-tables.ts";
import { startSwarmbase } from "./swarmbase.ts";
import { compareTurns } from "./turns/compare-turns.ts";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    "without-peers": { type: "boolean", default: false },
    /** `turns`, `servers` or `streams`, for looking at one part. */
    only: { type: "string" },
    streams: { type: "string" },
  },
});
const QUICK = values.quick;
const TURNS = QUICK ? { rounds: 1, roundMs: 1_000 } : { rounds: 5, roundMs: 2_000 };
const SERVERS = QUICK ? { rounds: 1, roundMs: 3_000, connections: 16 } : { rounds: 3, roundMs: 8_000, connections: 16 };
const STREAMS = { streams: Number(values.streams ?? (QUICK ? 100 : 500)), windowMs: QUICK ? 4_000 : 15_000 };
const FIRST_BYTES = QUICK ? 20 : 200;
const CANCELS = QUICK ? 5 : 50;
const PEERS = ["ai", "@openai/agents", "@langchain/langgraph", "@langchain/langgraph-cli", "@mastra/core", "zod"];

const withPeers = !values["without-peers"];
const missing = PEERS.filter((name) => !existsSync(resolve(import.meta.dirname, "../node_modules", name)));
if (withPeers && missing.length > 0) {
  process.stderr.write(
    `Those to compare with are not installed (${missing.join(", ")}): run \`npm ci\` in the folder bench.\n`,
  );
  process.exit(1);
}

const progress = createProgress(process.stderr);
const started: { stop(): Promise<void> }[] = [];
let ending: Promise<void> | null = null;
const onSignal = (): void => void endAll().finally(() => process.exit(130));
process.once("SIGINT", onSignal).once("SIGTERM", onSignal);
try {
  if (isAsked("turns")) print(renderTurns(await compareTurns(TURNS, withPeers, progress)));
  if (isAsked("servers") || isAsked("streams")) {
    const provider: Provider = forkAsked(resolve(import.meta.dirname, "provider-process.ts"));
    started.push(provider);
    const { port } = await provider.ask({ kind: "start" });
    progress.stage("the service starts");
    const swarmbase = await startSwarmbase(port);
    started.push(swarmbase);
    if (isAsked("servers")) {
      const contenders: ServerContender[] = [await openSwarmbaseRuns(swarmbase, SERVERS.connections)];
      if (withPeers) {
        progress.stage("LangGraph's server starts");
        const langgraph = await startLanggraphServer(port);
        started.push(langgraph);
        contenders.push(await openLanggraphRuns(langgraph, SERVERS.connections));
      }
      print(renderServers(await compareServers(contenders, SERVERS, progress)));
      for (const contender of contenders) contender.close();
      // What follows is about the service alone.
      if (withPeers) await started.pop()?.stop();
    }
    if (isAsked("streams")) {
      progress.stage("first bytes");
      const firstBytesMs = await measureFirstByte(swarmbase, FIRST_BYTES);
      progress.stage("cancels");
      const cancelsMs = await measureCancel(swarmbase, provider, CANCELS);
      progress.stage(`${STREAMS.streams} live streams`);
      const live = await measureLiveStreams(swarmbase, STREAMS);
      print(renderStreams({ firstBytesMs, cancelsMs, live }));
    }
  }
} catch (error) {
  // After a signal, what was ended under the measurements makes them fail, which says nothing.
  if (ending === null) throw error;
} finally {
  await endAll();
}

function isAsked(part: "turns" | "servers" | "streams"): boolean {
  return values.only === undefined || values.only === part;
}

function print(table: string): void {
  progress.end();
  process.stdout.write(`${table}\n\n`);
}

/** Asked for twice when a signal comes first, and done once. */
function endAll(): Promise<void> {
  ending ??= (async () => {
    closeStreams();
    for (let last = started.pop(); last !== undefined; last = started.pop()) await last.stop();
    progress.end();
  })();
  return ending;
}
