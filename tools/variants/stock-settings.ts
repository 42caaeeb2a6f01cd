import type { Variant } from "./variant.ts";

/** Test files whose statements carry the load of a service: they run on PostgreSQL's own settings too, not on ours alone. */
export const STOCK_FILES: ReadonlySet<string> = new Set([
  "server/test/agents/admission/admission.test.ts",
  "server/test/agents/streams/subscriber.test.ts",
  "server/test/agents/execution/ends.test.ts",
  "server/test/agents/execution/flow.test.ts",
  "server/test/agents/execution/batched-runs.test.ts",
  "libraries/postgres/test/prepared.test.ts",
  "libraries/postgres/test/transaction.test.ts",
  "server/test/db/scope.test.ts",
  "server/test/schema/event-writing.test.ts",
  "server/test/webhooks/deliver.test.ts",
  "server/test/webhooks/fan-out-bounds.test.ts",
  "server/test/webhooks/claim-on-insert.test.ts",
  "server/test/webhooks/housekeeping.test.ts",
]);

const SHARED_CLUSTER = "SWARMBASE_TEST_CLUSTER";
const STOCK_CLUSTER = "SWARMBASE_TEST_STOCK_CLUSTER";

export const variant: Variant = {
  title: "with stock settings",
  module: import.meta.filename,
  // The global set-up starts the cluster where it finds this variable.
  setUp: { SWARMBASE_TEST_STOCK: "true" },
  appliesTo: (file) => STOCK_FILES.has(file.replaceAll("\\", "/")),
  enter() {
    const cluster = process.env[STOCK_CLUSTER];
    if (cluster === undefined) return "the set-up of this run started no cluster with stock settings";
    process.env[SHARED_CLUSTER] = cluster;
    return false;
  },
};
