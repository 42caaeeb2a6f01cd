import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { listDescendants, readCpuMs } from "../agents/descendants.ts";
import type { ProviderAnswer, ProviderQuestion } from "../agents/provider-process.ts";
import { openClosers } from "../load/closers.ts";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { medianOf } from "../load/measure-rate.ts";
import { openReport } from "../report/report.ts";
import { forkAsked } from "../rest/child.ts";
import { readResidentBytes } from "../rest/process-usage.ts";
import { createProgress } from "../rest/progress.ts";
import { startReceiver } from "../webhooks/start-receiver.ts";
import { startVersion, type Version } from "./start-version.ts";
import { tabulateVersions, type RoundFigures } from "./tabulate.ts";
import { openWorkloads, type Workload } from "./workloads.ts";

const { values } = parseArgs({
  options: {
    ...LENGTH_OPTIONS,
    /** The folder of another checkout, with its packages installed. */
    before: { type: "string" },
    /** The Node.js of the other checkout. With `--before .`, the bench compares two versions of Node.js. */
    "before-node": { type: "string", default: process.execPath },
    /** A part of the name of a workload, to measure only some. */
    only: { type: "string", default: "" },
    /** Each connection has its own user. */
    connections: { type: "string" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    json: { type: "string" },
  },
});
const REPOSITORY = resolve(import.meta.dirname, "../..");
/** A smoke run compares this checkout with itself. */
const BEFORE = values.before ?? (values.smoke ? REPOSITORY : undefined);
if (BEFORE === undefined) {
  process.stderr.write("Name another checkout, with its packages installed: --before <folder>\n");
  process.exit(1);
}
const CONNECTIONS = Number(values.connections ?? pickLength(values, { smoke: 2, quick: 16, full: 16 }));
const ROUNDS = Number(values.rounds ?? pickLength(values, { smoke: 1, quick: 3, full: 9 }));
const ROUND_MS = 1_000 * Number(values.seconds ?? pickLength(values, { smoke: 0.2, quick: 1, full: 3 }));
const WARM_UP_MS = pickLength(values, { smoke: 200, quick: 1_000, full: 4_000 });

const progress = createProgress(process.stderr);
const report = openReport(values.json);
const closers = openClosers();
try {
  progress.stage("provider, receiver and both versions start");
  const provider = forkAsked<ProviderQuestion, ProviderAnswer>(
    resolve(import.meta.dirname, "../agents/provider-process.ts"),
  );
  closers.add(() => provider.stop());
  const { port } = await provider.ask({ kind: "start" });
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-"));
  closers.add(() => rm(folder, { recursive: true, force: true }));
  const caFile = join(folder, "receiver.crt");
  const receiver = await startReceiver(caFile, closers);
  const settings = {
    PROVIDER_A_KIND: "openai-compatible",
    PROVIDER_A_BASE_URL: `http://127.0.0.1:${port}/v1`,
    PROVIDER_A_API_KEY: "bench",
    PROVIDER_A_MODELS: "bench",
    WEBHOOK_CA_FILE: caFile,
    WEBHOOK_ALLOWED_CIDRS: "127.0.0.0/8",
  };
  const versions: { version: Version; workloads: Workload[] }[] = [];
  for (const { name, folder: checkout, node } of [
    { name: "before", folder: resolve(BEFORE), node: resolve(values["before-node"]) },
    { name: "after", folder: REPOSITORY, node: process.execPath },
  ]) {
    const version = await startVersion({ name, folder: checkout, node, settings });
    closers.add(() => version.stop());
    progress.stage(`rows of ${name} are created`);
    versions.push({ version, workloads: await openWorkloads(version, receiver, CONNECTIONS) });
  }
  const [before, after] = versions;
  if (before === undefined || after === undefined) throw new Error("Two versions are needed.");
  for (const [at, workload] of before.workloads.entries()) {
    const other = after.workloads[at];
    if (other === undefined || !workload.name.includes(values.only)) continue;
    const pairs = [
      { version: before.version, workload, figures: [] as RoundFigures[] },
      { version: after.version, workload: other, figures: [] as RoundFigures[] },
    ];
    for (const pair of pairs) {
      progress.stage(`${workload.name}, warming up: ${pair.version.name}`);
      await measure(pair.version, pair.workload, WARM_UP_MS);
    }
    for (let round = 0; round < ROUNDS; round += 1)
      for (const pair of round % 2 === 0 ? pairs : pairs.toReversed()) {
        progress.stage(`${workload.name}, round ${round + 1} of ${ROUNDS}: ${pair.version.name}`);
        pair.figures.push(await measure(pair.version, pair.workload, ROUND_MS));
      }
    progress.end();
    report.add(tabulateVersions(workload.name, pairs[0]?.figures ?? [], pairs[1]?.figures ?? []));
  }
} catch (error) {
  if (!closers.isClosing()) throw error;
} finally {
  await closers.closeAll();
  progress.end();
}

async function measure(
  version: Version,
  { work, settle, connections }: Workload,
  durationMs: number,
): Promise<RoundFigures> {
  const children = listDescendants(version.pid);
  const [serviceMs, databaseMs] = [readCpuMs([version.pid]), readCpuMs(children)];
  const timesMs: number[] = [];
  const startedAtMs = performance.now();
  const repeat = async (connection: number): Promise<void> => {
    while (performance.now() < startedAtMs + durationMs) {
      const sentAtMs = performance.now();
      await work(connection);
      timesMs.push(performance.now() - sentAtMs);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, connection) => repeat(connection)));
  await settle?.(timesMs.length);
  const operations = timesMs.length;
  return {
    perSecond: operations / ((performance.now() - startedAtMs) / 1_000),
    p50Ms: medianOf(timesMs),
    serviceCpuMs: (readCpuMs([version.pid]) - serviceMs) / operations,
    databaseCpuMs: (readCpuMs(children) - databaseMs) / operations,
    memoryMb: readResidentBytes([version.pid]) / 1e6,
  };
}
