import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { RawClient } from "../realtime/support/raw-client.ts";
import { until } from "../support/until.ts";
import { SEVERAL_STARTS } from "../support/wait-limit.ts";
import { makeUsedDataDir } from "./program.ts";
import { addUser, openIdle, send } from "./worker-client.ts";
import { REQUESTS, startWorkerService } from "./worker-service.ts";

const LIMIT = 20;
const CONNECTIONS = 12;
const MAX_SOCKETS = 9;

test("two worker processes on one port", SEVERAL_STARTS, async (t) => {
  const { program, credentials, readMetric } = await startWorkerService(t, await makeUsedDataDir(t), {
    LIMIT_API: String(LIMIT),
    CONNECTIONS_PER_ADDRESS: String(CONNECTIONS),
  });
  const userId = await addUser(credentials, "writer@example.com");

  await t.test("a limit is exact over both", async () => {
    const statuses: number[] = [];
    const ask = async () => {
      for (let at = 0; at < LIMIT / 2; at += 1)
        statuses.push((await send(credentials, "/rest/v1/agents", { asAnon: credentials.anon_key })).status);
    };
    await Promise.all(Array.from({ length: 4 }, ask));
    assert.equal(statuses.filter((status) => status === 429).length, LIMIT);
  });

  await t.test("the connections of an address are counted over both; the longest idle ones make room", async () => {
    const sockets: Awaited<ReturnType<typeof openIdle>>[] = [];
    for (let at = 0; at < CONNECTIONS + 2; at += 1) sockets.push(await openIdle(credentials));
    const isOpen = ({ closed }: { readonly closed: boolean }) => !closed;
    // Connections of the test before may have counted for a moment, too. The client may learn of the first end last.
    const haveOldestEnded = (): boolean => {
      const first = sockets.findIndex(isOpen);
      return first >= 2 && sockets.slice(first).every(isOpen) && sockets.filter(isOpen).length <= CONNECTIONS;
    };
    await until(haveOldestEnded, "the oldest ones were closed");
    for (const socket of sockets) socket.destroy();
  });

  await t.test("metrics are sums over both, and name the workers", async () => {
    const before = (await readMetric(REQUESTS))[0] ?? 0;
    for (let at = 0; at < 6; at += 1) await send(credentials, "/health");
    assert.deepEqual(await readMetric(REQUESTS), [before + 6]);
    for (const worker of ["1", "2", "primary"])
      assert.equal((await readMetric(`process_cpu_seconds_total{worker="${worker}"}`)).length, 1);
    const noted = program.lines().flatMap(({ workerId, event }) => (event === "realtime.live" ? [workerId] : []));
    assert.deepEqual(new Set(noted), new Set([undefined, 1, 2]));
  });

  await t.test("sockets of each worker receive the writes of all", async (group) => {
    const [ca, apikey] = [await readFile(credentials.ca_cert_file ?? "", "utf8"), credentials.service_role_key];
    const binding = { event: "INSERT", schema: "public", table: "agents", filter: `user_id=eq.${userId}` };
    const sockets: RawClient[] = [];
    const hasSockets = async (worker: string): Promise<boolean> =>
      ((await readMetric(`swarmbase_sockets{worker="${worker}"}`))[0] ?? 0) > 0;
    // A worker that is busy takes fewer connections.
    for (let at = 0; at < 4 || !((await hasSockets("1")) && (await hasSockets("2"))); at += 1) {
      assert.ok(at < MAX_SOCKETS, "one worker takes all connections");
      const socket = await RawClient.open(group, credentials.url, { apikey, ca });
      await socket.join("realtime:agents", { postgres_changes: [binding] });
      // Follows the confirmation that later changes arrive.
      await socket.nextEvent("system");
      sockets.push(socket);
    }
    const names = ["a", "b", "c", "d"];
    // Each on a connection of its own, so that both workers write.
    for (const name of names) await send(credentials, "/rest/v1/agents", { body: { user_id: userId, name } });
    for (const socket of sockets)
      await socket.until(
        () => socket.frames.filter(([, , , event]) => event === "postgres_changes").length >= names.length,
      );
  });
});
