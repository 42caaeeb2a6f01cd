import assert from "node:assert/strict";
import { test } from "node:test";
import { isServiceFunction, OWN_FUNCTIONS, OWN_RELATIONS } from "../../src/tables/own-names.ts";
import { openCatalogueStage } from "../rest/catalogue-stage.ts";

const stage = openCatalogueStage();
/** The test databases have the tables of the default extensions. */
const OF_EXTENSIONS = ["schedules", "triggers", "trigger_calls"];

test("the own names are exactly what a new database serves", async () => {
  const { schemas } = await stage.stage.load("public");
  const served = schemas.get("public");
  assert.deepEqual([...(served?.relations.keys() ?? [])].sort(), [...OWN_RELATIONS, ...OF_EXTENSIONS].sort());
  assert.deepEqual([...(served?.functions.keys() ?? [])].sort(), [...OWN_FUNCTIONS].sort());
});

test("functions of the service and its extensions are told from those of the app", () => {
  const others = ["auth.uid", "private.new_id", "realtime.send", "ext_notes.find", "pg_catalog.now"];
  const service = [...[...OWN_FUNCTIONS].map((name) => `public.${name}`), ...others];
  for (const [names, expected] of [
    [service, true],
    [["public.list_orders", "shop.tool", "external.f", "extensions.f", "authors.f"], false],
  ] as const)
    for (const qualified of names) {
      const [schema = "", name = ""] = qualified.split(".");
      assert.equal(isServiceFunction({ schema, name }), expected, qualified);
    }
});
