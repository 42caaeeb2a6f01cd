import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { createAppFolder } from "./support/app-folder.ts";

const fixture = (name: string): Promise<string> => readFile(new URL(`fixtures/${name}`, import.meta.url), "utf8");

// `npm run check` compiles the file, and use-app-database.ts with supabase-js.
test("gen types adds the tables, views, functions and enumerations of the app to the type of the SDK", async (t) => {
  const app = await createAppFolder(t);
  const bare = await app.run(["gen", "types"]);
  assert.equal(bare.code, 0, bare.stderr);
  assert.match(bare.stdout, /Tables: SwarmbaseDatabase\["public"\]\["Tables"\];/);
  await app.owner.query(await fixture("app.sql"));
  const out = join(app.folder, "database.ts");
  const written = await app.run(["gen", "types", "--schema", "public", "--schema", "shop", "--out", out]);
  assert.deepEqual(written, { code: 0, stdout: `Wrote ${out}\n`, stderr: "" });
  assert.equal(await readFile(out, "utf8"), await fixture("app-database.ts"));

  const missing = await app.run(["gen", "types", "--schema", "nothing"]);
  assert.deepEqual([missing.code, missing.stdout, missing.stderr], [1, "", "There is no schema nothing.\n"]);
  assert.match((await app.run(["gen"])).stderr, /^What to generate is missing: gen types/);
});
