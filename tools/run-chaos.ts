import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

/** Tests of faults, one after the other, with more rounds than `npm run test:long` gives them. `npm run test:system -- chaos 1000` says how many realtime gets. */
const FILES = [
  "server/test/chaos/webhooks.chaos.ts",
  "server/test/chaos/failover.long.test.ts",
  "server/test/chaos/database-crash.long.test.ts",
  "server/test/chaos/planned-stop.long.test.ts",
  "server/test/chaos/faults.long.test.ts",
  "server/test/chaos/clock.long.test.ts",
  "server/test/chaos/dns.long.test.ts",
  "server/test/chaos/sockets.long.test.ts",
  "server/test/chaos/paused-node.long.test.ts",
  "server/test/durability/paused-node.long.test.ts",
  "server/test/durability/kill-runs.long.test.ts",
  "server/test/app/worker-faults.long.test.ts",
  "server/test/realtime/chaos.long.test.ts",
  "server/test/durability/kill-everything.long.test.ts",
  "server/test/embedded/crash.long.test.ts",
  "server/test/webhooks/kill.long.test.ts",
  "server/test/realtime/visibility.property.test.ts",
  "server/test/operators/operators.test.ts",
  "server/test/rest/features/hostile-property.test.ts",
];
const [events = "1000"] = process.argv.slice(2);
const runTests = fileURLToPath(new URL("run-tests.ts", import.meta.url));
for (const file of FILES) {
  const { status } = spawnSync(process.execPath, [runTests, file], {
    env: { ...process.env, CHAOS_EVENTS: events, KILL_ROUNDS: "20", PROPERTY_FACTOR: "5" },
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
