import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type pg from "pg";
import type { Cleanup, TestDatabase } from "../support/database.ts";
import { EXTENSION_KEY_MATRIX, EXTENSION_MATRIX } from "./extension-access.ts";
import { KEY_MATRIX, PORTAL_REACHES } from "./key-matrix.ts";
import { MATRIX } from "./matrix.ts";
import { OPERATIONS } from "./operations.ts";
import { readMatrix } from "./read-matrix.ts";
import { type MatrixRun, openMatrixRun } from "./run-matrix.ts";

const EVERY_TABLE_HAS = ["select", "insert", "update", "delete"];

export interface ServerUnderCheck {
  /** Makes the server, with the schemas of extensions, and puts what ends it into `cleanup`. */
  open(cleanup: Cleanup): Promise<TestDatabase>;
  /** Proves that the server is of the kind that the title says. */
  verify?(database: TestDatabase): Promise<void>;
}

/** Declares the tests of the whole matrix on one kind of server. */
export function checkAccess(title: string, server: ServerUnderCheck): void {
  describe(title, () => {
    const matrix = readMatrix(MATRIX + EXTENSION_MATRIX);
    const keyLines = (KEY_MATRIX + EXTENSION_KEY_MATRIX).split("\n").filter((line) => line !== "");
    const keyMatrix = Map.groupBy(keyLines, (line) => line.split(" ")[0] ?? "");
    const closers: (() => Promise<void>)[] = [];
    let database: TestDatabase;
    let run: MatrixRun;

    before(async () => {
      database = await server.open({ after: (close) => closers.unshift(close) });
      run = await openMatrixRun(database);
      closers.unshift(() => run.close());
    });
    after(async () => {
      for (const close of closers) await close();
    });

    if (server.verify !== undefined) test("the server is of that kind", async () => server.verify?.(database));

    test("the matrix has every table and view, and no other", async () => {
      assert.deepEqual([...matrix.keys()].toSorted(), await listTables(database.owner));
    });

    test("every table has its four operations, and every statement its line", () => {
      for (const [table, lines] of matrix) {
        const operations = lines.map(({ operation }) => operation);
        const wanted = [...EVERY_TABLE_HAS, ...Object.keys(OPERATIONS[table] ?? {})];
        assert.deepEqual([...new Set(operations)].toSorted(), [...new Set(wanted)].toSorted(), table);
      }
    });

    for (const [table, lines] of matrix) {
      test(table, async () => {
        assert.deepEqual(await run.findWrongCells(lines), []);
        if (!isForKeys(table)) return;
        assert.deepEqual(await run.describeKeys(table, "programs"), keyMatrix.get(table));
        assert.deepEqual(await run.describeKeys(table, "people"), keyMatrix.get(table));
        assert.deepEqual(await run.listReachedByPortal(table), PORTAL_REACHES[table] ?? []);
      });
    }
  });
}

/** What no request of a user reaches needs no rules for keys. */
function isForKeys(table: string): boolean {
  return table.startsWith("public.") || table === "realtime.messages";
}

async function listTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select n.nspname || '.' || c.relname as name
     from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
     where (n.nspname in ('public', 'auth', 'private', 'realtime') or n.nspname like 'ext\\_%') and c.relkind in ('r', 'p', 'v', 'm', 'f')`,
  );
  return rows.map(({ name }) => name).toSorted();
}
