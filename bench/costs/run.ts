import { parseArgs } from "node:util";
import { openClosers } from "../load/closers.ts";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { openReport } from "../report/report.ts";
import { createProgress } from "../rest/progress.ts";
import { openStage } from "../rest/stage.ts";
import { compareDeliveries } from "./compare-deliveries.ts";
import { measureDeliveries } from "./measure-deliveries.ts";
import { measureWrites, USERS_PER_CASE } from "./measure-writes.ts";
import { tabulateDeliveries } from "./tabulate-deliveries.ts";
import { tabulateWrites } from "./tabulate-writes.ts";
import { WRITE_CASES } from "./write-cases.ts";

/** Measures the CPU of single operations. Run: npm run bench -- costs [--quick|--smoke] [--before <folder>] */
const { values } = parseArgs({
  options: {
    ...LENGTH_OPTIONS,
    /** The folder of another checkout, with its packages installed: only deliveries are measured, and compared with its. */
    before: { type: "string" },
    rounds: { type: "string" },
    seconds: { type: "string" },
    json: { type: "string" },
  },
});
const WRITES = pickLength(values, {
  smoke: { rounds: 1, explained: 1 },
  quick: { rounds: 4, explained: 10 },
  full: { rounds: 15, explained: 40 },
});
const DELIVERIES = pickLength(values, {
  smoke: { rounds: 1, seconds: 1, warmUpSeconds: 1, fannedOutEvents: 1, drained: 200 },
  quick: { rounds: 1, seconds: 3, warmUpSeconds: 3, fannedOutEvents: 10, drained: 2_000 },
  full: { rounds: 3, seconds: 10, warmUpSeconds: 10, fannedOutEvents: 50, drained: 5_000 },
});

const report = openReport(values.json);
const progress = createProgress(process.stderr);
const closers = openClosers();
try {
  if (values.before === undefined) {
    progress.stage("filling a database");
    const stage = await openStage();
    const stopStage = closers.add(() => stage.close());
    await stage.createFilled("costs", { users: USERS_PER_CASE * WRITE_CASES.length, agentsPerUser: 20 });
    progress.stage("writes");
    report.add(tabulateWrites(await measureWrites(stage, "costs", WRITES)));
    await stopStage();
  }
  const { rounds = DELIVERIES.rounds, seconds = DELIVERIES.seconds } = values;
  const timing = { ...DELIVERIES, rounds: Number(rounds), seconds: Number(seconds) };
  const { after, before } = await measureDeliveries(closers, progress, timing, values.before);
  report.add(tabulateDeliveries(after));
  if (before !== null) report.add(compareDeliveries(before, after));
} catch (error) {
  if (!closers.isClosing()) throw error;
} finally {
  await closers.closeAll();
  progress.end();
}
