import assert from "node:assert/strict";
import pg from "pg";
import type { AppError } from "../../../src/errors/index.ts";
import type { TableRules, WriteAttempt } from "../../../src/rest/index.ts";
import type { Caller, Stage } from "../../schema/support/stage.ts";
import { attempt, type Operation } from "./attempts.ts";

/** A write that bypasses the checks of the table rules, so that the database rejects it. */
export interface RejectedWrite {
  readonly table: string;
  readonly operation: Operation;
  readonly row: Record<string, unknown>;
  /** The row that is changed or that conflicts. */
  readonly id?: string;
}

export async function rejectionOf(
  stage: Stage,
  rules: TableRules,
  caller: Caller,
  { table, operation, row, id = "" }: RejectedWrite,
): Promise<AppError | pg.DatabaseError> {
  const error = await write(stage, caller, { table, operation, row, id }).then(
    () => assert.fail(`not rejected: ${table} ${JSON.stringify(row)}`),
    (rejected: unknown) => {
      if (rejected instanceof pg.DatabaseError) return rejected;
      throw rejected;
    },
  );
  const attempted = attempt(table, operation, row, { principal: principalOf(caller) });
  return (await rules.explainRejection(error, attempted, null)) ?? error;
}

export function principalOf(caller: Caller): WriteAttempt["principal"] {
  if (caller === "anon" || caller === "service_role") return { role: caller, userId: null };
  return { role: "authenticated", userId: caller };
}

function write(stage: Stage, caller: Caller, { table, operation, row, id }: Required<RejectedWrite>): Promise<unknown> {
  switch (operation) {
    case "insert":
      return stage.insert(caller, table, row);
    case "upsert": {
      const columns = Object.keys(row);
      const text = `insert into ${table} (${columns.join(", ")}) values (${columns.map((_, at) => `$${at + 1}`).join(", ")})
        on conflict (id) do update set ${columns.map((column) => `${column} = excluded.${column}`).join(", ")} returning id`;
      return stage.run(caller, text, Object.values(row));
    }
    case "update":
      return stage.update(caller, table, id, row);
    case "delete":
      return stage.remove(caller, table, id);
  }
}
