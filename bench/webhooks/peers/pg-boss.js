import { PgBoss } from "pg-boss";

import { openPeerDeliveries } from "./peer-deliveries.ts";

const QUEUE = "deliver";
const WORKERS = 4;
const BATCH_SIZE = 100;
const FILL_ROWS = 1_000;

/**
 * As many workers as are of use here, each with a batch that is sent at once and recorded in one statement; every job of it
 * has an outcome of its own, because endpoints have.
 */
export async function openPgBoss(stage) {
  const deliveries = await openPeerDeliveries(stage, "bench_pg_boss");
  const boss = new PgBoss({ connectionString: deliveries.databaseUrl, max: 10 });
  boss.on("error", (error) => void process.stderr.write(`pg-boss: ${error.message}\n`));
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    name: "pg-boss",
    fill: async (load) => {
      await deliveries.clear();
      await boss.deleteAllJobs(QUEUE);
      const jobs = deliveries.makeJobs(load);
      for (let at = 0; at < jobs.length; at += FILL_ROWS)
        await boss.insert(
          QUEUE,
          jobs.slice(at, at + FILL_ROWS).map((data) => ({ data })),
        );
    },
    drain: async (load) => {
      const options = {
        batchSize: BATCH_SIZE,
        localConcurrency: WORKERS,
        pollingIntervalSeconds: 0.5,
        burstWhenBatchFull: true,
        perJobResults: true,
      };
      await boss.work(QUEUE, options, async (jobs) => {
        await deliveries.record(await Promise.all(jobs.map(({ data }) => deliveries.send(data))));
        return jobs.map(({ id }) => ({ id, status: "completed" }));
      });
      const query = `select 1 from pgboss.job where name = '${QUEUE}' and state < 'completed' limit 1`;
      await deliveries.waitUntilDone(load, async () => (await deliveries.pool.query(query)).rowCount === 0);
      await boss.offWork(QUEUE);
    },
    close: async () => {
      await boss.stop({ graceful: false });
      await deliveries.close();
    },
  };
}
