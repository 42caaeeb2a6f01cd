import assert from "node:assert/strict";
import { test } from "node:test";
import { OWN_FUNCTIONS, OWN_RELATIONS } from "../../src/tables/own-names.ts";
import { openCatalogueStage } from "../rest/catalogue-stage.ts";

const stage = openCatalogueStage();

test("the own names are exactly what a new database serves", async () => {
  const { schemas } = await stage.stage.load("public");
  const served = schemas.get("public");
  assert.deepEqual([...(served?.relations.keys() ?? [])].sort(), [...OWN_RELATIONS].sort());
  assert.deepEqual([...(served?.functions.keys() ?? [])].sort(), [...OWN_FUNCTIONS].sort());
});
