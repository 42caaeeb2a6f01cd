import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openWireServer, STREAM } from "../support/providers/wire-server.ts";
import { WIRE } from "../support/providers/wire.ts";
import { createTestDatabase } from "../support/database.ts";
import { startDatabaseRelay } from "../support/database-relay.ts";
import { createTemporaryFolder } from "../support/temporary-folder.ts";
import { until } from "../support/until.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { ChaosClient } from "./client.ts";
import { fakeDns } from "./faked-environment.ts";
import { openFaultStage } from "./fault-stage.ts";
import { reconcile } from "./reconcile.ts";

/** The goal for a fault that nobody has planned, after its end. */
const MAX_ERRORS_MS = 5_000;
const AWAY_MS = 5_000;
/** Longer than a name is cached. */
const CACHED_MS = 11_000;

test(
  "without DNS the service lives on its open connections, and recovers when DNS is back",
  SEVERAL_STARTS,
  async (t) => {
    const provider = await openWireServer();
    t.after(() => provider.close());
    provider.answer((response) => {
      response.writeHead(200, STREAM);
      for (const part of WIRE["openai-compatible"]({ texts: ["hello"] })) response.write(part);
      response.end();
    });
    const late: (() => Promise<void>)[] = [];
    const database = await createTestDatabase({ after: (close) => void late.push(close) });
    const relay = await startDatabaseRelay({ after: (close) => void late.unshift(close) }, database.adminUrl);
    const byName = (url: string): string => Object.assign(new URL(url), { hostname: "localhost" }).href;
    const dns = fakeDns(await createTemporaryFolder(t, "swarmbase-dns-"));
    const opening = openFaultStage(t, {
      nodeOptions: dns.nodeOptions,
      ownerUrl: database.ownerUrl,
      env: {
        DATABASE_URL: byName(relay.url),
        MASTER_KEY: database.masterKey,
        PROVIDER_A_KIND: "openai-compatible",
        PROVIDER_A_BASE_URL: byName(provider.url),
        PROVIDER_A_API_KEY: "key",
        PROVIDER_A_MODELS: "m",
        WEBHOOK_RETRY_SCHEDULE: "0,1,2,4,8",
      },
    });
    // After what the stage has registered: the service has stopped by then.
    t.after(async () => {
      for (const close of late) await close();
    });
    const { receiver, writer, service, observe, growBy, answered } = await opening;
    const asker = await ChaosClient.signUp(service.credentials);
    t.after(async () => asker.close());
    const hook = byName(`${receiver.url}/hook`);
    await writer.insert("webhooks", { name: "chaos", url: hook, events: ["agent.created"], retry_count: 5 });
    const agentId = await asker.insert("agents", { name: "Speaker", framework: "provider_a" });
    const ask = async (): Promise<string> => {
      const { text } = await asker.ask("/functions/v1/agent-respond", {
        body: { agent_id: agentId, message: "Hello" },
      });
      const { status, error } = JSON.parse(text) as { readonly status?: string; readonly error?: string };
      return status ?? error ?? text;
    };
    assert.equal(await ask(), "completed");

    const open = await observe("DNS is away, connections stay open", async () => {
      await sleep(CACHED_MS);
      await dns.setAway(true);
      t.diagnostic(`a run without DNS: ${await ask()}`);
      await growBy(50);
      await sleep(AWAY_MS);
      await dns.setAway(false);
    });
    assert.deepEqual([open.writes.failed, open.reads.failed], [0, 0]);

    const closed = await observe("DNS is away, and the connections of the database are closed", async () => {
      await dns.setAway(true);
      await relay.cut();
      await relay.restore();
      await until(() => writer.describe().failed > 0, "a write fails");
      await sleep(AWAY_MS);
      assert.equal((await asker.ask("/health", { method: "GET" })).status, 200);
      assert.equal((await asker.ask("/ready", { method: "GET" })).status, 503);
      await dns.setAway(false);
    });
    for (const { reasons, errorsForMs } of [closed.writes, closed.reads]) {
      assert.deepEqual(Object.keys(reasons), ["503"]);
      assert.ok(errorsForMs <= AWAY_MS + MAX_ERRORS_MS, `${errorsForMs} ms`);
    }
    await until(async () => (await ask()) === "completed", "runs reach their provider again");
    // No webhook of this user was told of it.
    await database.owner.query("delete from public.agents where id = $1", [agentId]);
    const credentials = { ...service.credentials, database_url: database.ownerUrl };
    await reconcile({ service: { ...service, credentials }, receiver, paths: ["/hook"], answered: new Set(answered) });
  },
);
