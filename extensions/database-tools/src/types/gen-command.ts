import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type ExtensionCommandContext, parseOptions, UsageError } from "swarmbase/extension";
import { renderAppTypes } from "./render-app-types.ts";
import { selectEnums } from "./sql/select-enums.ts";
import { selectMissingSchemas } from "./sql/select-missing-schemas.ts";

const OPTIONS = { out: { type: "string" }, schema: { type: "string", multiple: true } } as const;

export async function runGenCommand(context: ExtensionCommandContext): Promise<number> {
  const [what, ...args] = context.args;
  if (what === undefined) throw new UsageError("What to generate is missing: gen types");
  if (what !== "types") throw new UsageError(`Unknown action "${what}".`);
  const { values } = parseOptions(args, OPTIONS);
  const schemas = values.schema ?? context.serviceSettings.dbSchemas;
  const text = await context.withDatabase(async ({ client, loadCatalogue }) => {
    const missing = await selectMissingSchemas(client, schemas);
    if (missing.length > 0) throw new Error(`There is no schema ${missing.join(", ")}.`);
    return renderAppTypes(await loadCatalogue(schemas), await selectEnums(client, schemas));
  });
  if (values.out === undefined) context.stdout.write(text);
  else {
    await writeFile(resolve(values.out), text);
    context.stdout.write(`Wrote ${values.out}\n`);
  }
  return 0;
}
