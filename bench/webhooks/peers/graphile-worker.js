import { Logger, makeWorkerUtils, run } from "graphile-worker";

import { openPeerDeliveries } from "./peer-deliveries.ts";

const CONCURRENCY = 64;
const TASK = "deliver";
const FILL_ROWS = 1_000;
const QUIET = new Logger(() => () => {});

/** Set up as its page on performance says: jobs fetched and completed in batches. A task is one job, and records itself. */
export async function openGraphileWorker(stage) {
  const deliveries = await openPeerDeliveries(stage, "bench_graphile_worker");
  const { databaseUrl: connectionString } = deliveries;
  const shop = await makeWorkerUtils({ connectionString, logger: QUIET });
  await shop.migrate();
  return {
    name: "graphile-worker",
    fill: async (load) => {
      await deliveries.clear();
      const jobs = deliveries.makeJobs(load);
      for (let at = 0; at < jobs.length; at += FILL_ROWS)
        await shop.addJobs(jobs.slice(at, at + FILL_ROWS).map((payload) => ({ identifier: TASK, payload })));
    },
    drain: async (load) => {
      const runner = await run({
        connectionString,
        logger: QUIET,
        noHandleSignals: true,
        preset: {
          worker: {
            concurrentJobs: CONCURRENCY,
            maxPoolSize: 10,
            localQueue: { size: 500 },
            completeJobBatchDelay: 0,
            failJobBatchDelay: 0,
          },
        },
        taskList: {
          [TASK]: async (payload) => deliveries.record([await deliveries.send(payload)]),
        },
      });
      const query = "select 1 from graphile_worker._private_jobs limit 1";
      await deliveries.waitUntilDone(load, async () => (await deliveries.pool.query(query)).rowCount === 0);
      await runner.stop();
    },
    close: async () => {
      await shop.release();
      await deliveries.close();
    },
  };
}
