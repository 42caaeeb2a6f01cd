import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { assertRejectedField, createBothWays } from "./support/both-ways.ts";
import { newPerson, onlyRow, type Person, REPRESENTATION, type Row } from "./support/people.ts";
import { assertValidationBody } from "./support/api-errors.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";

let service: Service;
let ada: Person;
before(async () => {
  service = await startService(UNLIMITED);
  ada = await newPerson(service);
});
after(() => service?.stop());

async function addAgent(row: Row = {}): Promise<Row> {
  return onlyRow(await ada.send("POST /agents", { body: { name: "Ada", ...row }, headers: REPRESENTATION }));
}

const SETTINGS: Record<string, { fine: unknown[]; rejected: unknown[] }> = {
  temperature: { fine: [0, 0.7, 2], rejected: [-0.01, 2.01, "1", null] },
  max_tokens: { fine: [1, 4096, 1_000_000], rejected: [0, -1, 1.5, "4096"] },
  presence_penalty: { fine: [-2, 0, 2], rejected: [-2.1, 2.1, true] },
  frequency_penalty: { fine: [-2, 0, 2], rejected: [-2.1, 2.1, []] },
  top_p: { fine: [0, 0.5, 1], rejected: [-0.1, 1.1, {}] },
  stop: { fine: [null, [], ["END", "\n"]], rejected: ["END", [1], Array.from({ length: 17 }, String)] },
};

for (const [key, { fine, rejected }] of Object.entries(SETTINGS)) {
  test(`2.2 settings.${key} is checked`, async () => {
    for (const value of fine) {
      const [byHand, byLibrary] = await createBothWays(ada, "agents", { name: "Ada", settings: { [key]: value } });
      assert.deepEqual(byHand["settings"], { [key]: value }, "stored as sent");
      assert.deepEqual(byLibrary["settings"], { [key]: value });
    }
    for (const value of rejected) {
      await assertRejectedField(ada, "agents", { name: "Ada", settings: { [key]: value } }, `settings.${key}`);
    }
  });
}

test("2.2 an agent's settings must be an object, and unknown keys are kept", async () => {
  const settings = { seed: 7, nested: { deep: [1, null, "x"] }, temperature: 1 };
  assert.deepEqual((await addAgent({ settings }))["settings"], settings);
  for (const value of [[], "{}", 1])
    await assertRejectedField(ada, "agents", { name: "Ada", settings: value }, "settings");
  const body = { name: "Ada", settings: { temperature: 9, top_p: 9 } };
  assertValidationBody(await ada.send("POST /agents", { body }), ["settings.temperature", "settings.top_p"]);
});
