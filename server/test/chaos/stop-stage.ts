import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import type { TestContext } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import tls from "node:tls";
import { createClient } from "@supabase/supabase-js";
import { respond } from "@swarmbase/sdk";
import type pg from "pg";
import { Witness } from "../realtime/chaos/witness.ts";
import { createTestDatabase } from "../support/database.ts";
import { findFreePort } from "../support/free-port.ts";
import { type RunningService, startService } from "../support/service.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { ChaosClient, NOT_SENT, renderSeen } from "./client.ts";

const READERS = 2;
const RUNS = 2;
const PAUSE_MS = 5;
/** Slowly, a run takes half a minute, and begins its turn again after each stop. */
const TOKENS_PER_SECOND = { slow: "2", fast: "500" } as const;
/** "Going away" of RFC 6455. */
const GOING_AWAY = 1001;

export interface StopStage {
  readonly sql: pg.Client;
  readonly runIds: readonly string[];
  /** Waits for that many further answered writes. */
  growBy(count: number): Promise<void>;
  /** Has all workers replaced. No request may fail. */
  replaceProcesses(): Promise<void>;
  /** Stops the service. Every request that was sent has to be answered, sockets and runs to be released. */
  stop(): Promise<void>;
  startAgain(speed: "slow" | "fast"): Promise<void>;
  /** Waits until the streams of all runs have ended, and their channel has shown every write. */
  follow(): Promise<void>;
  /** Ends the load. Fails when an answered write is missing. */
  end(): Promise<void>;
}

/** A service with two workers, whose clients write, read, follow runs and follow changes all the time. */
export async function openStopStage(t: TestContext): Promise<StopStage> {
  const closers: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const close of closers.toReversed()) await close();
  });
  const cleanup = { after: (close: () => Promise<void>) => void closers.push(close) };
  const { adminUrl, masterKey, owner: sql } = await createTestDatabase(cleanup);
  const dataDir = await createTemporaryFolder(cleanup, "swarmbase-planned-stop-");
  const port = String(await findFreePort());
  const start = (speed: keyof typeof TOKENS_PER_SECOND): Promise<RunningService> =>
    startService(cleanup, {
      dataDir,
      env: {
        DATABASE_URL: adminUrl,
        MASTER_KEY: masterKey,
        PORT: port,
        WORKERS: "2",
        AGENT_LIMIT_PER_USER: "1000000",
        PROVIDER_A_KIND: "simulated",
        SIMULATED_TOKENS_PER_SECOND: TOKENS_PER_SECOND[speed],
        // Only a run that was released can be continued during the test.
        AGENT_RUN_LEASE_SECONDS: "600",
        AGENT_RUN_STOP_TIMEOUT_MS: "0",
        STOP_DELAY_MS: "1000",
      },
    });
  let service = await start("slow");
  const { credentials } = service;
  tls.setDefaultCACertificates([
    ...tls.getCACertificates("default"),
    await readFile(credentials.ca_cert_file ?? "", "utf8"),
  ]);
  const writer = await ChaosClient.signUp(credentials);
  const reader = await ChaosClient.signUp(credentials);
  let nextSeq = 1;
  const witness = new Witness({
    url: credentials.url,
    key: credentials.anon_key,
    token: writer.token,
    userId: writer.userId,
    vsn: "2.0.0",
    nextSeq: () => nextSeq,
  });
  const stopped = new AbortController();
  const runs = await Promise.all(Array.from({ length: RUNS }, () => followRun(sql, service, reader, stopped.signal)));
  await until(() => witness.isLive, "the channel is joined");
  const answered: string[] = [];
  const repeat = async (act: () => Promise<unknown>): Promise<void> => {
    while (!stopped.signal.aborted) {
      await act().catch(() => {});
      await sleep(PAUSE_MS);
    }
  };
  const write = async (): Promise<void> => {
    const seq = nextSeq;
    nextSeq += 1;
    const id = await writer.insertSurely(String(seq), stopped.signal);
    if (id !== null) answered.push(id);
  };
  const read = (): Promise<unknown> => reader.ask("/rest/v1/agents?select=id&limit=5", { method: "GET" });
  const traffic = Promise.all([repeat(write), ...Array.from({ length: READERS }, () => repeat(read))]);
  const end = async (): Promise<void> => {
    stopped.abort();
    await traffic;
  };
  cleanup.after(async () => {
    await end();
    await Promise.allSettled(runs.map(({ ended }) => ended));
    await witness.close();
    writer.close();
    reader.close();
  });
  /** Fails when a request has failed for another reason than the expected ones. */
  const describe = (what: string, expected: readonly string[]): void => {
    for (const [kind, seen] of Object.entries({ writes: writer.describe(), reads: reader.describe() })) {
      t.diagnostic(`${what}; ${kind}: ${renderSeen(seen)}`);
      assert.deepEqual(
        Object.keys(seen.reasons).filter((reason) => !expected.includes(reason)),
        [],
      );
    }
    writer.restart();
    reader.restart();
  };
  const growBy = async (count: number): Promise<void> => {
    const target = answered.length + count;
    await until(
      () => answered.length >= target,
      "writes are answered",
      () => service.output().slice(-4_000),
    );
  };

  return {
    sql,
    runIds: runs.map(({ runId }) => runId),
    growBy,
    replaceProcesses: async () => {
      process.kill(service.pid, "SIGHUP");
      await until(() => service.output().split('"event":"process.replaced"').length > 2, "both workers are replaced");
      await growBy(1);
      describe("SIGHUP", []);
    },
    stop: async () => {
      const before = witness.closeCodes.length;
      assert.equal(await service.stop(), 0);
      const { rows } = await sql.query(
        "select r.id from public.runs r join private.run_leases l on l.run_id = r.id and l.owner is not null",
      );
      assert.deepEqual(rows, [], "no run is left with the node that has stopped");
      assert.doesNotMatch(service.output(), /"event":"[a-z]+\.stop_forced"/);
      await until(() => witness.closeCodes.length > before, "the socket is closed");
      assert.deepEqual(new Set(witness.closeCodes), new Set([GOING_AWAY]));
      describe("SIGTERM", [NOT_SENT]);
    },
    startAgain: async (speed) => {
      service = await start(speed);
      await until(() => witness.isLive, "the channel is joined again");
      await growBy(1);
      describe("start", [NOT_SENT]);
    },
    follow: async () => {
      const types = await Promise.all(runs.map(({ ended }) => ended));
      assert.ok(types.every((all) => all.includes("run.completed")));
      await end();
      await until(() => witness.hasSeen(answered.length), "the channel shows the last write");
      assert.deepEqual(witness.findFaults(Array.from(answered, (_, index) => index + 1)), []);
    },
    end: async () => {
      await end();
      const { rows } = await sql.query<{ id: string }>("select id from public.agents where user_id = $1", [
        writer.userId,
      ]);
      const stored = new Set(rows.map(({ id }) => id));
      assert.deepEqual(
        answered.filter((id) => !stored.has(id)),
        [],
      );
      // The last insert may have been stored without an answer, when the load ended.
      assert.ok(stored.size <= answered.length + 1, `${stored.size} of ${answered.length}`);
    },
  };
}

interface FollowedRun {
  readonly runId: string;
  /** The types of all events of the stream, when it has ended. */
  readonly ended: Promise<readonly string[]>;
}

/** Starts a run in a swarm of its own, reads its stream to the end, and resolves when the agent speaks. */
async function followRun(
  sql: pg.Client,
  { credentials: { url, anon_key } }: RunningService,
  { userId, token }: ChaosClient,
  signal: AbortSignal,
): Promise<FollowedRun> {
  const { rows } = await sql.query<{ id: string }>(
    `with swarm as (insert into public.swarms (owner_id, name, settings)
                    values ($1, 'swarm', '{"timeout_ms": 600000}') returning id),
     agent as (insert into public.agents (user_id, name) values ($1, 'Ada') returning id)
     insert into public.swarm_agents (swarm_id, agent_id) select swarm.id, agent.id from swarm, agent returning swarm_id as id`,
    [userId],
  );
  const client = createClient(url, anon_key, { accessToken: async () => token });
  const types: string[] = [];
  const { promise: speaks, resolve } = Promise.withResolvers<string>();
  let runId = "";
  const stream = respond(
    client,
    { swarm_id: rows[0]?.id ?? "", message: "Tell me more. ".repeat(20) },
    { signal, reconnect: { attempts: 10_000, initialDelayMs: 50, maxDelayMs: 100 } },
  );
  const read = async (): Promise<readonly string[]> => {
    for await (const { type, data } of stream) {
      types.push(type);
      if (type === "run.started") runId = data.run_id;
      if (type === "message.delta") resolve(runId);
    }
    return types;
  };
  const ended = read();
  // The end of the load ends the stream, too.
  ended.catch(() => {});
  return { runId: await speaks, ended };
}
