// Measures the first load of the console on loopback, with a browser with an empty cache.
import { parseArgs } from "node:util";
import { launchBrowser } from "../../console/test/support/browser.ts";
import { startInstance } from "../../console/test/support/instance.ts";
import { LENGTH_OPTIONS } from "../load/length.ts";
import { type Load, measureLoads } from "./measure-loads.ts";

const GOAL_MS = 1_000;
const { values } = parseArgs({ options: { ...LENGTH_OPTIONS, json: { type: "string" } } });
const LOADS = values.smoke ? 1 : 20;

const launched = await launchBrowser();
if ("reason" in launched) {
  print(`not run: ${launched.reason}`);
} else {
  const instance = await startInstance({});
  try {
    // The very first load warms up the browser and is not counted.
    await measureLoads(launched.browser, instance.url, 1);
    report(await measureLoads(launched.browser, instance.url, LOADS));
  } finally {
    await launched.browser.close();
    await instance.stop();
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

function report(loads: readonly Load[]): void {
  const times = loads.map(({ readyMs }) => readyMs).toSorted((left, right) => left - right);
  const median = times[Math.floor(times.length / 2)] ?? Number.NaN;
  const slowest = times.at(-1) ?? Number.NaN;
  const [first] = loads;
  print("| ready to be used, median | slowest | over the wire | requests | goal |");
  print("|---|---|---|---|---|");
  const size = `${Math.round((first?.bytes ?? 0) / 1024)} KB`;
  const verdict = median < GOAL_MS ? "met" : "missed";
  print(
    `| ${Math.round(median)} ms | ${Math.round(slowest)} ms | ${size} | ${first?.requests ?? 0} | < ${GOAL_MS} ms: ${verdict} |`,
  );
}
