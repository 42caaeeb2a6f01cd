import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { createTestDatabase } from "../support/database.ts";

const MIGRATION = new URL("../../migrations/0001_foundations.sql", import.meta.url);

/** The server that tests run on makes such ids itself, so the text for older ones is taken from the migration. */
test("ids of servers before PostgreSQL 18 are of version 7 too, and grow with time", async (t) => {
  const { owner } = await createTestDatabase(t);
  const migration = await readFile(MIGRATION, "utf8");
  const [, body] = /else\s+create function private\.new_id\(\)[^$]*\$\$(.*?)\$\$/s.exec(migration) ?? [];
  assert.ok(body !== undefined, "the migration has a text for older servers");
  await owner.query(`create function private.older_id() returns uuid language sql volatile as $$ ${body} $$`);

  const before = Date.now();
  const ids: string[] = [];
  for (let place = 0; place < 3; place += 1) {
    const { rows } = await owner.query<{ id: string }>("select private.older_id() as id, pg_sleep(0.002)");
    ids.push(...rows.map(({ id }) => id));
  }
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.deepEqual(ids, [...ids].sort());
  const [first = ""] = ids;
  const madeAt = Number.parseInt(first.replaceAll("-", "").slice(0, 12), 16);
  assert.ok(Math.abs(madeAt - before) < 60_000, "the first 48 bits are the time in milliseconds");
});
