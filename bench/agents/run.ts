import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { openClosers } from "../load/closers.ts";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { openReport } from "../report/report.ts";
import type { Table } from "../report/table.ts";
import { forkAsked } from "../rest/child.ts";
import { createProgress } from "../rest/progress.ts";
import { compareServers, openLanggraphRuns, openSwarmbaseRuns, type ServerContender } from "./compare-servers.ts";
import { closeStreams } from "./event-stream.ts";
import { startLanggraphServer } from "./langgraph-server.ts";
import { measureCache } from "./measure-cache.ts";
import { measureHistory } from "./measure-history.ts";
import { measureSchedules } from "./measure-schedules.ts";
import { measureCancel, measureFirstByte, measureLiveStreams, type Provider } from "./measure-streams.ts";
import { tabulateAskers } from "./tabulate-askers.ts";
import { tabulateGrants } from "./tabulate-grants.ts";
import { startMemoryService } from "./memory-service.ts";
import { tabulateCache, tabulateHistory, tabulateSchedules } from "./tabulate-memory.ts";
import { tabulateServers, tabulateStreams, tabulateTurns } from "./tabulate.ts";
import { startSwarmbase } from "./swarmbase.ts";
import { compareTurns } from "./turns/compare-turns.ts";

const { values } = parseArgs({
  options: {
    ...LENGTH_OPTIONS,
    "without-peers": { type: "boolean", default: false },
    /** `turns`, or the name of another part, to run that alone. */
    only: { type: "string" },
    streams: { type: "string" },
    json: { type: "string" },
  },
});
const TURNS = pickLength(values, {
  smoke: { rounds: 1, roundMs: 100, warmUpMs: 100 },
  quick: { rounds: 1, roundMs: 1_000, warmUpMs: 1_500 },
  full: { rounds: 3, roundMs: 1_500, warmUpMs: 4_000 },
});
const SERVERS = pickLength(values, {
  smoke: { rounds: 1, roundMs: 200, warmUpMs: 200, connections: 2 },
  quick: { rounds: 1, roundMs: 3_000, warmUpMs: 3_000, connections: 16 },
  full: { rounds: 3, roundMs: 8_000, warmUpMs: 15_000, connections: 16 },
});
const ASKERS = pickLength(values, {
  smoke: { rounds: 1, roundMs: 200, warmUpMs: 200, connections: 4 },
  quick: { rounds: 2, roundMs: 3_000, warmUpMs: 3_000, connections: 200 },
  full: { rounds: 5, roundMs: 5_000, warmUpMs: 10_000, connections: 200 },
});
// Short rounds: the shares that are compared are smaller than the noise of a minute.
const GRANTS = pickLength(values, {
  smoke: { rounds: 1, roundMs: 200, warmUpMs: 200, connections: 2, otherGrants: 20 },
  quick: { rounds: 8, roundMs: 750, warmUpMs: 3_000, connections: 4, otherGrants: 1_000 },
  full: { rounds: 25, roundMs: 1_000, warmUpMs: 10_000, connections: 4, otherGrants: 10_000 },
});
const PARTS_WITH_SERVICE = ["servers", "askers", "grants", "streams"] as const;
const PARTS_OF_MEMORY = ["history", "cache", "schedules"] as const;
const HISTORY = pickLength(values, {
  smoke: { rounds: 1, runs: 4 },
  quick: { rounds: 6, runs: 40 },
  full: { rounds: 15, runs: 60 },
});
const CACHED_TURNS = pickLength(values, { smoke: 10, quick: 200, full: 200 });
const SCHEDULES = pickLength(values, {
  smoke: { users: 2, each: 10, callsEach: 10, leadMs: 5_000 },
  quick: { users: 10, each: 100, callsEach: 50, leadMs: 20_000 },
  full: { users: 100, each: 100, callsEach: 10, leadMs: 120_000 },
});
const STREAMS = {
  streams: Number(values.streams ?? pickLength(values, { smoke: 5, quick: 100, full: 500 })),
  windowMs: pickLength(values, { smoke: 500, quick: 4_000, full: 15_000 }),
};
const FIRST_BYTES = pickLength(values, { smoke: 1, quick: 20, full: 200 });
const CANCELS = pickLength(values, { smoke: 1, quick: 5, full: 50 });
const PEERS = ["ai", "@openai/agents", "@langchain/langgraph", "@langchain/langgraph-cli", "@mastra/core", "zod"];

const withPeers = !values["without-peers"] && !values.smoke;
const missing = PEERS.filter((name) => !existsSync(resolve(import.meta.dirname, "../node_modules", name)));
if (withPeers && missing.length > 0) {
  process.stderr.write(
    `Those to compare with are not installed (${missing.join(", ")}): run \`npm ci\` in the folder bench.\n`,
  );
  process.exit(1);
}

const progress = createProgress(process.stderr);
const report = openReport(values.json);
const closers = openClosers();
closers.add(async () => closeStreams());
try {
  if (isAsked("turns")) print(tabulateTurns(await compareTurns(TURNS, withPeers, progress)));
  const provider: Provider = forkAsked(resolve(import.meta.dirname, "provider-process.ts"));
  closers.add(() => provider.stop());
  const { port } = await provider.ask({ kind: "start" });
  if (PARTS_OF_MEMORY.some(isAsked)) {
    progress.stage("the service starts");
    const ends: (() => Promise<void>)[] = [];
    const cleanup = { after: (end: () => Promise<void>) => void ends.push(closers.add(end)) };
    const service = await startMemoryService(port, cleanup);
    if (isAsked("history")) print(tabulateHistory(await measureHistory(service, provider, HISTORY, progress)));
    if (isAsked("cache")) print(tabulateCache(await measureCache(service, CACHED_TURNS, progress)));
    if (isAsked("schedules")) print(tabulateSchedules(await measureSchedules(service, SCHEDULES, progress)));
    for (const end of ends.reverse()) await end();
  }
  if (PARTS_WITH_SERVICE.some(isAsked)) {
    progress.stage("the service starts");
    const swarmbase = await startSwarmbase(port);
    closers.add(() => swarmbase.stop());
    if (isAsked("servers")) {
      const contenders: ServerContender[] = [await openSwarmbaseRuns(swarmbase, SERVERS)];
      let endLanggraph = async (): Promise<void> => {};
      if (withPeers) {
        progress.stage("LangGraph's server starts");
        const langgraph = await startLanggraphServer(port);
        endLanggraph = closers.add(() => langgraph.stop());
        contenders.push(await openLanggraphRuns(langgraph, SERVERS.connections));
      }
      print(tabulateServers(await compareServers(contenders, SERVERS, progress)));
      for (const contender of contenders) contender.close();
      // The following parts concern only the service.
      await endLanggraph();
    }
    if (isAsked("askers")) {
      const { connections } = ASKERS;
      const contenders = [
        await openSwarmbaseRuns(swarmbase, { connections, agents: 1, name: "one agent" }),
        await openSwarmbaseRuns(swarmbase, { connections, agents: connections, name: `${connections} agents` }),
      ];
      print(tabulateAskers(await compareServers(contenders, ASKERS, progress), connections));
      for (const contender of contenders) contender.close();
    }
    if (isAsked("grants")) {
      const { connections, otherGrants } = GRANTS;
      const few = { connections, agents: connections };
      const contenders = [
        await openSwarmbaseRuns(swarmbase, { ...few, name: "by the owner" }),
        await openSwarmbaseRuns(swarmbase, { ...few, otherGrants: 0, name: "by a grant" }),
        await openSwarmbaseRuns(swarmbase, { ...few, otherGrants, name: `by one of ${otherGrants} grants` }),
      ];
      print(tabulateGrants(await compareServers(contenders, GRANTS, progress)));
      for (const contender of contenders) contender.close();
    }
    if (isAsked("streams")) {
      progress.stage("first bytes");
      const firstBytesMs = await measureFirstByte(swarmbase, FIRST_BYTES);
      progress.stage("cancels");
      const cancelsMs = await measureCancel(swarmbase, provider, CANCELS);
      progress.stage(`${STREAMS.streams} live streams`);
      const live = await measureLiveStreams(swarmbase, provider, STREAMS);
      print(tabulateStreams({ firstBytesMs, cancelsMs, live }));
    }
  }
} catch (error) {
  // After a signal, measurements fail because their processes were stopped; these errors are ignored.
  if (!closers.isClosing()) throw error;
} finally {
  await closers.closeAll();
  progress.end();
}

function isAsked(part: "turns" | (typeof PARTS_OF_MEMORY | typeof PARTS_WITH_SERVICE)[number]): boolean {
  return values.only === undefined || values.only === part;
}

function print(table: Table): void {
  progress.end();
  report.add(table);
}
