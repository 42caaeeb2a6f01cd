import { type ExtensionCommandContext, parseOptions, UsageError } from "swarmbase/extension";
import { type GrantedKind, grantDefaults, selectAppObjects, selectSchema } from "./sql/grant-defaults.ts";

/** Gives the roles of requests the privileges that Supabase gives them in a schema. */
export async function grant(context: ExtensionCommandContext): Promise<number> {
  const { values, positionals } = parseOptions(context.args, { "without-rls": { type: "boolean" } }, 1);
  const [schema] = positionals;
  if (schema === undefined) throw new UsageError("Name the schema, as in swarmbase db grant app");
  return context.withDatabase(async ({ client }) => {
    // Types of parameters are then named with their schemas.
    await client.query("begin; set local search_path = ''; set local lock_timeout = '30s'");
    try {
      const found = await selectSchema(client, schema);
      if (found === false) throw new Error(`The schema ${schema} does not exist.`);
      if (found === null) throw new Error(`The schema ${schema} is not one of the app.`);
      const objects = await selectAppObjects(client, schema);
      const open = objects.filter(({ is_open: isOpen }) => isOpen);
      if (open.length > 0 && values["without-rls"] !== true)
        throw new Error(
          `These tables have no row-level security, so that everybody could read and change all of their rows:\n${open.map(({ name }) => `  ${name}\n`).join("")}Enable it (alter table … enable row level security), or add --without-rls. Nothing was granted.`,
        );
      await grantDefaults(client, schema, objects);
      await client.query("commit");
      const count = (kind: GrantedKind): number => objects.filter((each) => each.kind === kind).length;
      const later = schema === "public" ? "" : " Later ones get the same.";
      context.stdout.write(
        `Granted all privileges in ${schema} to anon, authenticated and service_role: tables and views ${count("table")}, sequences ${count("sequence")}, functions ${count("routine")}.${later}\n`,
      );
      return 0;
    } catch (error) {
      await client.query("rollback").catch(() => {});
      throw error;
    }
  });
}
