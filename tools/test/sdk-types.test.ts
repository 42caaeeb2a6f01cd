import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, it } from "node:test";
import { createTestDatabase, type TestDatabase } from "../../server/test/support/database.ts";
import { GENERATED_FOLDERS, renderSdkFiles } from "../sdk/sdk-files.ts";

const root = resolve(import.meta.dirname, "../..");

describe("the types of the sdk", () => {
  let database: TestDatabase;
  let files: Map<string, string>;
  const closers: (() => Promise<void>)[] = [];
  const render = () => renderSdkFiles({ url: database.adminUrl, masterKey: database.masterKey });

  before(async () => {
    database = await createTestDatabase({ after: (close) => closers.push(close) });
    files = await render();
  });
  after(async () => {
    for (const close of closers) await close();
  });

  it("match the migrated schema and the event schemas", async () => {
    const written: string[] = [];
    for (const folder of GENERATED_FOLDERS) {
      for (const name of await readdir(join(root, folder))) written.push(`${folder}/${name}`);
    }
    assert.deepEqual(written.toSorted(), [...files.keys()].toSorted(), "run: npm run generate -- sdk-types");
    for (const [path, text] of files) {
      assert.ok(
        (await readFile(join(root, path), "utf8")) === text,
        `${path} is out of date; run: npm run generate -- sdk-types`,
      );
    }
  });

  it("change with the columns, enumerations, privileges, guards and keys in the schema", async () => {
    const agents = "clients/sdk/src/database/agents.ts";
    assert.doesNotMatch(files.get(agents) ?? "", /extra/);
    await database.owner.query(`
      alter table public.agents add column extra integer;
      alter table public.runs drop constraint runs_status_known;
      alter table public.models add column agent_id uuid references public.agents;
      revoke update on public.profiles from authenticated;
      drop trigger tools_freeze on public.tools`);
    const changed = await render();
    assert.match(changed.get(agents) ?? "", /Row: \{[^}]*extra: number \| null;/);
    assert.match(changed.get("clients/sdk/src/database/runs.ts") ?? "", /\n {4}status: string;/);
    assert.match(changed.get("clients/sdk/src/database/models.ts") ?? "", /foreignKeyName: "models_agent_id_fkey"/);
    assert.match(changed.get("clients/sdk/src/database/profiles.ts") ?? "", /Update: never;/);
    assert.match(
      changed.get("clients/sdk/src/database/tools.ts") ?? "",
      /Update: \{\n {4}\/\*\* .*\n {4}id\?: string;/,
    );
  });

  it("reject a column choice for a column that does not exist", async () => {
    await database.owner.query("alter table public.agents drop column settings cascade");
    await assert.rejects(render(), /agents\.settings has a column choice and does not exist/);
  });
});
