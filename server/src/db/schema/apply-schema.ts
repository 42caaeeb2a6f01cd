import pg from "pg";
import { createHistory, replaceHistory, selectHistory, writeHistory } from "../sql/schema-history.ts";
import { listFunctionVersions, revokeFunctionGrants } from "../sql/function-facts.ts";
import { planSchema } from "./plan-schema.ts";
import { type FunctionFile, readSchemaFiles, type SqlFile } from "./schema-files.ts";

const DEFINITION = /^create or replace function ([a-z_]+\.[a-z0-9_]+)/gm;
/** SQLSTATE invalid_function_definition: another return type, other names or defaults of parameters. */
const OTHER_SIGNATURE = "42P13";
const SIGNATURE_RULE =
  "A function with another signature is a new function, and the old one is dropped by a numbered migration (CONTRIBUTING.md).";

/**
 * Applies what the database lacks, in one transaction: tables, then functions, then what refers to functions. The caller holds the
 * migration lock. Answers with the names of what was applied.
 */
export async function applySchema(client: pg.ClientBase, schemaDir?: string): Promise<string[]> {
  const plan = planSchema(await readSchemaFiles(schemaDir), await selectHistory(client));
  if (plan.fault !== null) throw new Error(plan.fault);
  const { carriedOver, legacy, migrations, functions } = plan;
  if (carriedOver.length + legacy.length + migrations.length + functions.length === 0) return [];
  // Function bodies name each other and tables of any file, so they are checked when they run, and by a test.
  await client.query("begin; set local check_function_bodies = off");
  try {
    await createHistory(client);
    for (const file of legacy) await apply(client, file);
    if (carriedOver.length > 0) await replaceHistory(client, carriedOver);
    for (const { beforeFunctions } of migrations) await apply(client, beforeFunctions);
    await revokeFunctionGrants(client, functions.flatMap(definedNames));
    for (const file of functions) await apply(client, file);
    for (const { afterFunctions } of migrations) await apply(client, afterFunctions);
    await checkVersions(client, functions);
    await writeHistory(client, { migrations: migrations.map(({ name }) => name), functions });
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
  return [...legacy, ...migrations, ...functions].map(({ name }) => name);
}

async function apply(client: pg.ClientBase, { name, text }: SqlFile): Promise<void> {
  try {
    await client.query(text);
  } catch (error) {
    if (error instanceof pg.DatabaseError) {
      const line =
        error.position === undefined ? "" : `, line ${text.slice(0, Number(error.position)).split("\n").length}`;
      error.message = `${name}${line}: ${error.message}`;
      if (error.code === OTHER_SIGNATURE) error.message += `${nameIn(error.hint)}. ${SIGNATURE_RULE}`;
    }
    throw error;
  }
}

/** The error itself does not name the function; its hint does. */
function nameIn(hint = ""): string {
  const [, signature] = /DROP FUNCTION (.+) first/.exec(hint) ?? [];
  return signature === undefined ? "" : ` ${signature}`;
}

/** Other parameters do not replace a function but make a second one of the same name. */
async function checkVersions(client: pg.ClientBase, files: readonly FunctionFile[]): Promise<void> {
  const names = files.flatMap(definedNames);
  for (const { name, signatures } of await listFunctionVersions(client, [...new Set(names)])) {
    const written = names.filter((each) => each === name).length;
    if (signatures.length > written)
      throw new Error(`${name} is written ${written} times and exists as ${signatures.join(", ")}. ${SIGNATURE_RULE}`);
  }
}

function definedNames({ text }: FunctionFile): string[] {
  return [...text.matchAll(DEFINITION)].map(([, name = ""]) => name);
}
