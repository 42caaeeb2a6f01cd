import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { openClosers } from "../load/closers.ts";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { openReport } from "../report/report.ts";
import { createProgress } from "../rest/progress.ts";
import { measureIdle } from "./measure-idle.ts";
import { measureHeld } from "./measure-held.ts";
import { measureStart, type StartTimes } from "./measure-starts.ts";
import { tabulateHeld, tabulateIdle, tabulateStarts } from "./tabulate.ts";

/** Measures a service without clients, its start, and the memory that it holds after deliveries. Run: npm run bench -- idle [--quick|--smoke] */
const { values } = parseArgs({ options: { ...LENGTH_OPTIONS, json: { type: "string" } } });
// The background writer of PostgreSQL rests two minutes after the last write.
const { starts, events, ...idle } = pickLength(values, {
  smoke: { starts: 1, events: 1, settleSeconds: 1, seconds: 2 },
  quick: { starts: 3, events: 50, settleSeconds: 150, seconds: 20 },
  full: { starts: 9, events: 250, settleSeconds: 180, seconds: 60 },
});
const NODES = values.smoke ? [2] : [1, 3];

const report = openReport(values.json);
const progress = createProgress(process.stderr);
const closers = openClosers();
const root = resolve(import.meta.dirname, "../..");
const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-"));
  closers.add(() => rm(folder, { recursive: true, force: true }));
  // As root the database runs under another account, which must be able to enter the folder.
  await chmod(folder, 0o711);
  return folder;
};
try {
  progress.stage("starts");
  const [first, used]: [StartTimes[], StartTimes[]] = [[], []];
  for (let count = 0; count < starts; count += 1) {
    const folder = await makeFolder();
    first.push(await measureStart(root, folder));
    used.push(await measureStart(root, folder));
  }
  report.add(tabulateStarts({ first, used }));
  const costs = [];
  for (const nodes of NODES) {
    progress.stage(`${nodes} without clients`);
    costs.push(await measureIdle({ root, dataDir: await makeFolder(), nodes, ...idle }));
  }
  report.add(tabulateIdle(costs));
  progress.stage("deliveries, and what stays");
  report.add(tabulateHeld(await measureHeld(closers, { root, dataDir: await makeFolder(), events })));
} catch (error) {
  if (!closers.isClosing()) throw error;
} finally {
  await closers.closeAll();
  progress.end();
}
