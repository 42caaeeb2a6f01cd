import { randomUUID } from "node:crypto";
import { Queue, Worker } from "bullmq";

import { openPeerDeliveries } from "./peer-deliveries.ts";

const CONCURRENCY = 64;
const QUEUE = "deliver";
const FILL_ROWS = 1_000;

/** One worker with as many jobs at a time as the others have connections. A job records itself, in PostgreSQL like everybody's. */
export async function openBullMq(stage, redisUrl) {
  const deliveries = await openPeerDeliveries(stage, "bench_bullmq");
  const connection = { url: redisUrl, maxRetriesPerRequest: null };
  // An external server may contain other data.
  const prefix = `swarmbase-bench-${randomUUID()}`;
  const queue = new Queue(QUEUE, { connection, prefix, defaultJobOptions: { removeOnComplete: true, attempts: 5 } });
  return {
    name: "BullMQ",
    fill: async (load) => {
      await deliveries.clear();
      const jobs = deliveries.makeJobs(load);
      for (let at = 0; at < jobs.length; at += FILL_ROWS)
        await queue.addBulk(jobs.slice(at, at + FILL_ROWS).map((data) => ({ name: QUEUE, data })));
    },
    drain: async (load) => {
      const worker = new Worker(QUEUE, async ({ data }) => deliveries.record([await deliveries.send(data)]), {
        connection,
        prefix,
        concurrency: CONCURRENCY,
      });
      worker.on("error", (error) => void process.stderr.write(`BullMQ: ${error.message}\n`));
      const states = ["wait", "active", "delayed", "prioritized"];
      await deliveries.waitUntilDone(load, async () => (await queue.getJobCountByTypes(...states)) === 0);
      await worker.close();
    },
    close: async () => {
      await queue.obliterate({ force: true });
      await queue.close();
      await deliveries.close();
    },
  };
}
