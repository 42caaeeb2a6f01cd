import assert from "node:assert/strict";
import { test } from "node:test";
import { openRestStage } from "../rest/features/rest-stage.ts";

const stage = openRestStage();

test("a JSON column of the service's tables can be written by CSV and is validated", async () => {
  const as = await stage.stage.addUser();
  const write = (settings: string) =>
    stage.stage.ask("POST /agents?select=settings", {
      as,
      headers: { "content-type": "text/csv", prefer: "return=representation" },
      body: `name,settings\nAda,"${settings.replaceAll('"', '""')}"\n`,
    });
  assert.deepEqual((await write('{"temperature":1.5}')).json, [{ settings: { temperature: 1.5 } }]);
  for (const [settings, field] of [
    ['{"temperature":9}', "0.settings.temperature"],
    ["nonsense", "0.settings"],
    [`{"x":${"[".repeat(50_000)}${"]".repeat(50_000)}}`, "0.settings"],
  ] as const) {
    const rejected = await write(settings);
    assert.equal(rejected.status, 400);
    assert.deepEqual(Object.keys((rejected.json as { details: object }).details), [field]);
  }
});
