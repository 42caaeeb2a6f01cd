import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";
import { withRole } from "../../src/db/index.ts";
import { derivePassword } from "../../src/crypto/index.ts";
import { Witness } from "../realtime/chaos/witness.ts";
import { startPostgresPair } from "../support/postgres-pair.ts";
import { startService } from "../support/service.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { RECEIVER_CA, startReceiver } from "../webhooks/support/receiver.ts";
import { ChaosClient, renderSeen, type Seen } from "./client.ts";
import { reconcile } from "./reconcile.ts";

const READ_PAUSE_MS = 5;

export interface FailOverOptions {
  /** Answered writes before the primary is killed, and again after the replica was promoted. */
  readonly writes: number;
  /** What happens to the primary. */
  readonly fault: "kill" | "freeze" | "stop";
  /** The time that whoever watches the servers takes to notice. */
  readonly promoteAfterMs: number;
}

export interface FailOverResult {
  readonly writer: Seen;
  readonly reader: Seen;
  /** From the end of the promotion to the first write that is answered. */
  readonly backAfterMs: number;
}

/**
 * Writes numbered agents one after the other, each with an Idempotency-Key, while the primary is killed and its replica promoted.
 * Everything answered must be stored once, sent to the webhook, and seen by the client of realtime without a gap.
 */
export async function failOver(t: TestContext, options: FailOverOptions): Promise<FailOverResult> {
  const closers: (() => Promise<void>)[] = [];
  // In reverse order, so that a service stops before its database.
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  const cleanup = { after: (close: () => Promise<void>) => void closers.push(close) };
  const pair = await startPostgresPair(cleanup);
  const receiver = await startReceiver(cleanup);
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-fail-over-");
  const caFile = join(dataDir, "receiver-ca.pem");
  await writeFile(caFile, RECEIVER_CA);
  const service = await startService(cleanup, {
    dataDir,
    env: {
      NODE_ENV: "test",
      DATABASE_URL: pair.url,
      MASTER_KEY: pair.masterKey,
      AGENT_LIMIT_PER_USER: "1000000",
      WEBHOOK_CA_FILE: caFile,
      WEBHOOK_RETRY_SCHEDULE: "0,1",
    },
  });
  const { credentials } = service;
  tls.setDefaultCACertificates([
    ...tls.getCACertificates("default"),
    await readFile(credentials.ca_cert_file ?? "", "utf8"),
  ]);
  const client = await ChaosClient.signUp(credentials);
  const reader = await ChaosClient.signUp(credentials);
  cleanup.after(async () => {
    client.close();
    reader.close();
  });
  await client.insert("webhooks", { name: "chaos", url: `${receiver.url}/a`, events: ["agent.created"] });

  const answered: string[] = [];
  let nextSeq = 1;
  const witness = new Witness({
    url: credentials.url,
    key: credentials.anon_key,
    token: client.token,
    userId: client.userId,
    vsn: "1.0.0",
    nextSeq: () => nextSeq,
  });
  cleanup.after(() => witness.close());
  await until(() => witness.isLive, "the channel is joined");

  const stopped = new AbortController();
  const write = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const seq = nextSeq;
      nextSeq += 1;
      const id = await client.insertSurely(String(seq), stopped.signal);
      if (id !== null) answered.push(id);
    }
  };
  const read = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await reader.ask("/rest/v1/agents?select=id&limit=5", { method: "GET" }).catch(() => {});
      await sleep(READ_PAUSE_MS);
    }
  };
  const traffic = Promise.all([write(), read()]);
  const growBy = async (count: number, what: string): Promise<void> => {
    const target = answered.length + count;
    await until(
      () => answered.length >= target,
      what,
      () => service.output(),
    );
  };
  try {
    await growBy(options.writes, "writes are answered");
    client.restart();
    reader.restart();
    await pair.primary[options.fault]();
    await sleep(options.promoteAfterMs);
    await pair.promote();
    const promotedMs = performance.now();
    await growBy(1, "a write is answered by the new primary");
    const backAfterMs = performance.now() - promotedMs;
    await growBy(options.writes, "writes are answered by the new primary");
    await until(() => witness.isLive && witness.watches.length > 1, "the channel is joined again");
    await growBy(options.writes, "writes are answered after the join");
    stopped.abort();
    await traffic;
    await until(() => witness.hasSeen(answered.length), "the channel shows the last write");
    assert.deepEqual(witness.findFaults(Array.from(answered, (_, index) => index + 1)), []);
    assert.deepEqual(witness.strange, []);
    assert.match(service.output(), /"event":"database\.moved"/);
    const owner = withRole(pair.replica.url, "swarmbase_owner", derivePassword(pair.masterKey, "swarmbase_owner"));
    const { events } = await reconcile({
      receiver,
      paths: ["/a"],
      answered: new Set(answered),
      service: { ...service, credentials: { ...credentials, database_url: owner } },
    });
    // Each was repeated with its key until it was answered, so that none is stored twice; the last one may not have been.
    assert.ok(events === answered.length || events === answered.length + 1, `${events} of ${answered.length}`);
    const result = { writer: client.describe(), reader: reader.describe(), backAfterMs };
    t.diagnostic(`writes: ${renderSeen(result.writer)}`);
    t.diagnostic(`reads: ${renderSeen(result.reader)}`);
    t.diagnostic(
      `${answered.length} answered, none lost or double; back ${Math.round(backAfterMs)} ms after promotion`,
    );
    return result;
  } finally {
    stopped.abort();
    await traffic;
  }
}
