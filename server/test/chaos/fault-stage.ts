import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Cleanup } from "../support/database.ts";
import { type RunningService, startService, type StartServiceOptions } from "../support/service.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { fillDataDir } from "../support/used-data-dir.ts";
import { RECEIVER_CA, type Receiver, startReceiver } from "../webhooks/support/receiver.ts";
import { ChaosClient, renderSeen, type Seen } from "./client.ts";

const PAUSE_MS = 5;
const WRITERS = 2;
const READERS = 2;

export interface FaultOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly nodeOptions?: StartServiceOptions["nodeOptions"];
  /** A folder that is empty; default: a temporary one. */
  readonly dataDir?: string;
  /** Where the test reads the rows of a database of its own, which `env` names. */
  readonly ownerUrl?: string;
}

interface ClientView {
  readonly writes: Seen;
  readonly reads: Seen;
}

export interface FaultStage {
  readonly dataDir: string;
  readonly service: RunningService;
  readonly receiver: Receiver;
  readonly writer: ChaosClient;
  readonly cleanup: Cleanup;
  /** Agents whose insert was answered. */
  readonly answered: readonly string[];
  /** Waits for that many further answered writes. */
  growBy(count: number): Promise<void>;
  /**
   * Has clients write and read while the fault happens, and until writes are answered again. Reports what they saw, and fails when an
   * answered write is missing afterwards.
   */
  observe(what: string, fault: () => Promise<void>): Promise<ClientView>;
}

/** A service on its embedded database, with a user who writes and one who reads. */
export async function openFaultStage(t: TestContext, options: FaultOptions = {}): Promise<FaultStage> {
  const closers: (() => Promise<void>)[] = [];
  // In reverse order, so that a data folder is deleted after its service has stopped.
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  const cleanup: Cleanup = { after: (close) => void closers.push(close) };
  const dataDir = options.dataDir ?? (await createTemporaryFolder(cleanup, "swarmbase-fault-"));
  await fillDataDir(dataDir);
  const receiver = await startReceiver(cleanup);
  const caFile = join(dataDir, "receiver-ca.pem");
  await writeFile(caFile, RECEIVER_CA);
  const service = await startService(cleanup, {
    dataDir,
    ...(options.nodeOptions !== undefined && { nodeOptions: options.nodeOptions }),
    env: {
      NODE_ENV: "test",
      AGENT_LIMIT_PER_USER: "1000000",
      WEBHOOK_CA_FILE: caFile,
      WEBHOOK_RETRY_SCHEDULE: "0,1",
      ...options.env,
    },
  });
  const writer = await ChaosClient.signUp(service.credentials);
  const reader = await ChaosClient.signUp(service.credentials);
  cleanup.after(async () => {
    writer.close();
    reader.close();
  });
  const answered: string[] = [];
  const growBy = async (count: number): Promise<void> => {
    const target = answered.length + count;
    await until(
      () => answered.length >= target,
      "writes are answered",
      () => service.output().slice(-4_000),
    );
  };
  const repeat = async (signal: AbortSignal, act: () => Promise<unknown>): Promise<void> => {
    while (!signal.aborted) {
      await act().catch(() => {});
      await sleep(PAUSE_MS);
    }
  };
  const write = async (): Promise<void> => {
    answered.push(await writer.insert("agents", { name: "Ada", framework: "provider_a" }));
  };
  const read = (): Promise<unknown> => reader.ask("/rest/v1/agents?select=id&limit=5", { method: "GET" });

  return {
    dataDir,
    service,
    receiver,
    writer,
    cleanup,
    answered,
    growBy,
    observe: async (what, fault) => {
      const stopped = new AbortController();
      const traffic = Promise.all([
        ...Array.from({ length: WRITERS }, () => repeat(stopped.signal, write)),
        ...Array.from({ length: READERS }, () => repeat(stopped.signal, read)),
      ]);
      try {
        await growBy(20);
        writer.restart();
        reader.restart();
        await fault();
        await growBy(20);
      } finally {
        stopped.abort();
        await traffic;
      }
      const view = { writes: writer.describe(), reads: reader.describe() };
      t.diagnostic(`${what}; writes: ${renderSeen(view.writes)}`);
      t.diagnostic(`${what}; reads: ${renderSeen(view.reads)}`);
      await assertStored(options.ownerUrl ?? service.credentials.database_url, answered);
      return view;
    },
  };
}

async function assertStored(connectionString: string, answered: readonly string[]): Promise<void> {
  const sql = new pg.Client({ connectionString });
  await sql.connect();
  try {
    const { rows } = await sql.query<{ id: string }>("select id from public.agents");
    const stored = new Set(rows.map(({ id }) => id));
    assert.deepEqual(
      answered.filter((id) => !stored.has(id)),
      [],
      "every answered write is stored",
    );
  } finally {
    await sql.end();
  }
}
