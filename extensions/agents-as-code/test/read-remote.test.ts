import assert from "node:assert/strict";
import { test } from "node:test";
import { ServiceError } from "../src/service/client.ts";
import type { Session } from "../src/service/connect.ts";
import { readRemote } from "../src/service/read-remote.ts";

/** A service that does not know one table. */
function openSession(unknown: string): Session {
  const client = {
    call: async () => [],
    listRows: async (table: string) => {
      if (table === unknown) throw new ServiceError({ status: 404, body: { code: "PGRST205", message: "Not found" } });
      return [];
    },
  };
  return { client, owner: { id: "1" }, isService: false } as unknown as Session;
}

test("a service without the extension schedules or triggers has none, and must have every other table", async () => {
  for (const table of ["schedules", "triggers"]) assert.deepEqual((await readRemote(openSession(table))).rows, []);
  await assert.rejects(readRemote(openSession("webhooks")), /Not found/);
});
