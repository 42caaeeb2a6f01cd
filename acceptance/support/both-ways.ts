import assert from "node:assert/strict";
import { ok } from "./clients.ts";
import { onlyRow, type Person, REPRESENTATION, type Row } from "./people.ts";
import { assertFields, assertValidationBody, libraryErrorOf } from "./api-errors.ts";

/** Creates the same row over plain HTTPS and through the library. */
export async function createBothWays({ send, client }: Person, table: string, row: Row): Promise<[Row, Row]> {
  const byHand = await send(`POST /${table}`, { body: row, headers: REPRESENTATION });
  const byLibrary = ok(await client.from(table).insert(row).select().single()) as Row;
  return [onlyRow(byHand), byLibrary];
}

/** Asserts that both ways reject the field on create. */
export async function assertRejectedField(
  { send, client }: Person,
  table: string,
  row: Row,
  field: string,
): Promise<void> {
  assertValidationBody(await send(`POST /${table}`, { body: row }), [field]);
  const rejection = libraryErrorOf(await client.from(table).insert(row));
  assert.deepEqual([rejection.status, rejection.code], [400, "VALIDATION_ERROR"]);
  assertFields(rejection.details, [field]);
}
