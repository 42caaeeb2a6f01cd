import pg from "pg";
import { createHistory, selectHistory, writeHistory } from "../sql/schema-history.ts";
import { selectOldestLevel } from "../sql/schema-levels.ts";
import { listFunctionVersions, revokeFunctionGrants } from "../sql/function-versions.ts";
import { applyExtension, type ExtensionPlan, type ExtensionSchema, planExtension } from "./extension-schemas.ts";
import { plannedNames, planSchema, type SchemaPlan } from "./plan-schema.ts";
import { type HashedFile, readSchemaFiles, type SqlFile } from "./schema-files.ts";

const DEFINITION = /^create or replace function ([a-z0-9_]+\.[a-z0-9_]+)/gm;
/** SQLSTATE invalid_function_definition: another return type, other names or defaults of parameters. */
const OTHER_SIGNATURE = "42P13";
const SIGNATURE_RULE =
  "A function with another signature is a new function, and the old one is dropped by a numbered migration (CONTRIBUTING.md).";

interface ApplySchemaOptions {
  /** Default: the files of the product. */
  readonly schemaDir?: string | undefined;
  readonly extensions?: readonly ExtensionSchema[];
}

export interface AppliedSchema {
  /** The names of what was applied. */
  readonly applied: string[];
  /** Contract migrations that nodes of an older release prevent. */
  readonly waiting: string[];
}

/**
 * Applies what the database lacks, in one transaction: first the core, then each extension. The caller holds the migration lock.
 */
export async function applySchema(client: pg.ClientBase, options: ApplySchemaOptions = {}): Promise<AppliedSchema> {
  const { schemaDir, extensions = [] } = options;
  const files = await readSchemaFiles(schemaDir);
  const core = planSchema(files, await selectHistory(client), await selectOldestLevel(client));
  const added: ExtensionPlan[] = [];
  for (const extension of extensions) added.push(await planExtension(client, extension));
  const plans = [core, ...added.map(({ plan }) => plan)];
  for (const { fault } of plans) if (fault !== null) throw new Error(fault);
  const namesFrom = (list: (plan: SchemaPlan) => readonly string[]): string[] => [
    ...list(core),
    ...added.flatMap(({ plan, schema }) => list(plan).map((name) => `${schema}/${name}`)),
  ];
  const result = { applied: namesFrom(plannedNames), waiting: namesFrom(({ waiting }) => waiting) };
  if (plans.every(isEmpty)) return result;
  // Function bodies name each other and tables of any file, so they are checked when they run, and by a test.
  await client.query("begin; set local check_function_bodies = off");
  try {
    if (!isEmpty(core)) await applyPlan(client, core);
    for (const each of added)
      if (!isEmpty(each.plan)) await applyExtension(client, each, () => applyPlan(client, each.plan, each.schema));
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  }
  return result;
}

/** Tables, then functions, then what refers to functions, then the descriptions of all. */
async function applyPlan(client: pg.ClientBase, plan: SchemaPlan, schema?: string): Promise<void> {
  const { migrations, functions, comments } = plan;
  await createHistory(client, schema);
  for (const { beforeFunctions } of migrations) await apply(client, beforeFunctions);
  await revokeFunctionGrants(client, functions.flatMap(definedNames));
  for (const file of functions) await apply(client, file);
  for (const { afterFunctions } of migrations) await apply(client, afterFunctions);
  for (const file of comments) await apply(client, file);
  await checkVersions(client, functions);
  await writeHistory(client, { migrations, hashedFiles: [...functions, ...comments] }, schema);
}

function isEmpty(plan: SchemaPlan): boolean {
  return plannedNames(plan).length === 0;
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
async function checkVersions(client: pg.ClientBase, files: readonly HashedFile[]): Promise<void> {
  const names = files.flatMap(definedNames);
  for (const { name, signatures } of await listFunctionVersions(client, [...new Set(names)])) {
    const written = names.filter((each) => each === name).length;
    if (signatures.length > written)
      throw new Error(`${name} is written ${written} times and exists as ${signatures.join(", ")}. ${SIGNATURE_RULE}`);
  }
}

function definedNames({ text }: HashedFile): string[] {
  return [...text.matchAll(DEFINITION)].map(([, name = ""]) => name);
}
