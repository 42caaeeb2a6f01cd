import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { isUnavailable } from "@swarmbase/postgres";
import { connectClient } from "../../src/db/connect-client.ts";
import { parseDatabaseHosts } from "../../src/config/index.ts";
import { createPool } from "../../src/db/create-pool.ts";
import { SharedPrimary } from "../../src/db/hosts/shared-primary.ts";
import { translateUnavailable } from "../../src/db/unavailable.ts";
import { withDatabase, withRole } from "../../src/db/connection.ts";
import { createTestDatabase, type TestDatabase } from "../support/database.ts";
import { findFreePort } from "../support/free-port.ts";
import { until } from "../support/until.ts";
import { openRelay, type Relay } from "../support/pipeline-relay.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let database: TestDatabase;

before(async () => {
  database = await createTestDatabase(cleanup);
});
after(async () => {
  for (const close of closers) await close();
});

/** Names the ports of loopback in place of the server of the database. */
function listOf(...ports: readonly number[]): string {
  const url = new URL(database.adminUrl);
  url.searchParams.delete("host");
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join(",");
  return `postgresql://${url.username}:${url.password}@${hosts}${url.pathname}?target_session_attrs=read-write`;
}

function portOf(relay: Relay): number {
  return Number(relay.config.port);
}

describe("a connection string with several hosts", () => {
  it("keeps them with another role and another database", () => {
    const url = "postgresql://u:p@a:1,b:2/db?target_session_attrs=read-write&sslmode=no-verify";
    const changed = withDatabase(withRole(url, "me", "x/y"), "other");
    assert.deepEqual(parseDatabaseHosts(changed)?.urls, [
      "postgresql://me:x%2Fy@a:1/other?sslmode=no-verify",
      "postgresql://me:x%2Fy@b:2/other?sslmode=no-verify",
    ]);
  });

  it("connects to the first that accepts writes", async () => {
    const relay = await openRelay(cleanup, { target: database.adminUrl });
    const client = await connectClient(listOf(await findFreePort(), portOf(relay)));
    const { rows } = await client.query("select 1 as one");
    assert.deepEqual(rows, [{ one: 1 }]);
    assert.match(client.serverUrlOf(""), new RegExp(`:${portOf(relay)}/`));
    await client.end();
  });

  it("is unavailable while none is reachable, and names them all", async () => {
    const ports = [await findFreePort(), await findFreePort()];
    const error = await connectClient(listOf(...ports)).catch((fault: unknown) => fault);
    assert.ok(error instanceof AggregateError && isUnavailable(error));
    for (const port of ports) assert.match(error.message, new RegExp(`127.0.0.1:${port}: .*ECONNREFUSED`));
    // Everybody who asks during the pause gets the same error.
    assert.equal(await connectClient(listOf(...ports)).catch((fault: unknown) => fault), error);
  });

  it("reports a login that is rejected, and not the host that is away", async () => {
    const relay = await openRelay(cleanup, { target: database.adminUrl });
    const url = withRole(listOf(await findFreePort(), portOf(relay)), "nobody_known", "x");
    await assert.rejects(connectClient(url), { code: "28P01" });
  });

  it("is read-only while all servers are", async () => {
    const relay = await openRelay(cleanup, { target: database.adminUrl });
    const url = `${listOf(portOf(relay))}&options=-c%20default_transaction_read_only%3Don`;
    const error = await connectClient(url).catch((fault: unknown) => translateUnavailable(fault));
    assert.match(String(error), /read-only at the moment/);
  });

  it("moves to another server when connections to the last one break, and ends those that are left", async () => {
    const [first, second] = [
      await openRelay(cleanup, { target: database.adminUrl }),
      await openRelay(cleanup, { target: database.adminUrl }),
    ];
    const url = listOf(portOf(first), portOf(second));
    const left = await connectClient(url);
    const pool = createPool({ connectionString: url, max: 2 });
    cleanup.after(() => pool.end());
    const lost = await pool.connect();
    let isEnded = false;
    left.once("end", () => {
      isEnded = true;
    });
    first.refuse();
    (lost as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
    lost.release(true);
    await until(async () => (await pool.query("select 1").catch(() => null)) !== null, "the pool has moved");
    await until(() => isEnded, "the connection to the other server has ended");
    assert.equal(second.count() > 0, true);
  });
});

describe("what connections know together", () => {
  it("ends connections to other servers when the primary moves, and only then", () => {
    const primary = new SharedPrimary();
    const dropped: number[] = [];
    const moved: number[] = [];
    primary.onMoved((place) => moved.push(place));
    for (const place of [0, 1]) primary.add({ place, drop: () => dropped.push(place) });
    primary.trust(0);
    primary.doubt(0);
    assert.equal(primary.trusted, null);
    primary.trust(0);
    assert.deepEqual({ dropped, moved }, { dropped: [], moved: [] });
    primary.trust(1);
    assert.deepEqual({ dropped, moved, last: primary.last }, { dropped: [0], moved: [1], last: 1 });
    primary.doubt(0);
    assert.equal(primary.trusted, 1);
  });
});
