import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { openClosers } from "../load/closers.ts";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { renderGrid } from "../report/table.ts";
import { createProgress } from "../rest/progress.ts";
import { startReceiver } from "../webhooks/start-receiver.ts";
import { measureAutovacuum } from "./measure-autovacuum.ts";
import { type Cost, measureCosts } from "./measure-costs.ts";
import { measureRetention } from "./measure-retention.ts";
import { measureVacuum, type VacuumPhase } from "./measure-vacuum.ts";
import { openVolume } from "./open-volume.ts";

/** Compares lists, claims, retention and vacuum of few and of many rows. Run: npm run bench -- volume [--rows 20000000] [--smoke] [--data <folder>] */
const { values } = parseArgs({
  options: {
    ...LENGTH_OPTIONS,
    rows: { type: "string" },
    few: { type: "string", default: "20000" },
    data: { type: "string" },
  },
});
const FEW = Number(values.few);
const MANY = Number(values.rows ?? pickLength(values, { smoke: 20_000, quick: 200_000, full: 2_000_000 }));
const COSTS = pickLength(values, {
  smoke: { rounds: 1, calls: 5, warmUp: 1 },
  quick: { rounds: 2, calls: 150, warmUp: 40 },
  full: { rounds: 6, calls: 150, warmUp: 40 },
});
const VACUUM_SECONDS = pickLength(values, { smoke: 2, quick: 180, full: 180 });
const GOAL = 1.3;
const MB = 2 ** 20;

const progress = createProgress(process.stderr);
const closers = openClosers();
try {
  const folder = await mkdtemp(join(tmpdir(), "swarmbase-bench-"));
  closers.add(() => rm(folder, { recursive: true, force: true }));
  const caFile = join(folder, "receiver.crt");
  const receiver = await startReceiver(caFile, closers);
  const few = await openVolume(closers, progress, { rows: FEW, caFile });
  const control = await openVolume(closers, progress, { rows: FEW, caFile });
  const many = await openVolume(closers, progress, { rows: MANY, caFile, dataDir: values.data });
  const costs = await measureCosts([few, control, many], COSTS, (name) => progress.stage(`measuring: ${name}`));
  progress.stage("events are delivered while autovacuum runs");
  const vacuum = await measureVacuum(many, VACUUM_SECONDS, receiver, closers);
  progress.stage("autovacuum of a partition");
  const autovacuum = await measureAutovacuum(many);
  progress.stage("retention");
  const retention = await measureRetention(many);
  progress.end();
  print(renderCosts(costs));
  print(renderVacuum(vacuum));
  print(autovacuum);
  print(retention);
} catch (error) {
  if (!closers.isClosing()) throw error;
} finally {
  await closers.closeAll();
}

function renderCosts(costs: readonly Cost[]): string {
  const count = (rows: number): string => `${rows.toLocaleString("en")} rows`;
  return renderGrid(
    ["PostgreSQL, µs of CPU", count(FEW), "control, as many", count(MANY), "ratio to the mean of both", "goal"],
    costs.map(({ name, costs: [few = Number.NaN, control = Number.NaN, many = Number.NaN] }) => {
      const ratio = many / ((few + control) / 2);
      const figures = [few, control, many].map((value) => value.toFixed(0));
      return [name, ...figures, ratio.toFixed(2), `≤ ${GOAL}, ${verdict(ratio <= GOAL)}`];
    }),
  );
}

function renderVacuum({ seconds, delivered, tables }: VacuumPhase): string {
  return renderGrid(
    [
      `${delivered.toLocaleString("en")} deliveries in ${seconds.toFixed(0)} s`,
      "rows replaced",
      "autovacuum runs",
      "most dead rows",
      "goal",
      "largest, MiB",
    ],
    tables.map(({ name, replaced, vacuums, mostDead, deadLimit, mostBytes }) => [
      name,
      ...[replaced, vacuums, mostDead].map((value) => value.toLocaleString("en")),
      `≤ ${deadLimit.toLocaleString("en")}, ${verdict(mostDead <= deadLimit)}`,
      (mostBytes / MB).toFixed(1),
    ]),
  );
}

function verdict(isMet: boolean): string {
  return isMet ? "met" : "missed";
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}
