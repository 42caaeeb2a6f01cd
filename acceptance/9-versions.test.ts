import assert from "node:assert/strict";
import { after, afterEach, before, describe, test } from "node:test";
import { NEEDS_RECEIVER } from "./support/given-service.ts";
import { newPerson, type Person } from "./support/people.ts";
import { firstOf, type Receiver, startReceiver } from "./support/receiver.ts";
import { assertValidationBody } from "./support/api-errors.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { addAgent, addWebhook, envelopeOf, removeWebhooks } from "./support/webhooks.ts";

interface Description {
  readonly description?: string;
  readonly properties: Record<string, { readonly description?: string }>;
}

let service: Service;
let receiver: Receiver;
let ada: Person;

describe("9 versions", { skip: NEEDS_RECEIVER }, () => {
  before(async () => {
    service = await startService(UNLIMITED);
    receiver = await startReceiver(service);
    ada = await newPerson(service);
  });
  after(async () => {
    await receiver?.stop();
    await service?.stop();
  });
  afterEach(() => removeWebhooks(ada));

  test("9 the envelope has the api_version of its webhook, which is a date and never changes", async () => {
    const endpoint = receiver.addEndpoint();
    const webhook = await addWebhook(ada, endpoint.url);
    await addAgent(ada);
    const { api_version } = envelopeOf(firstOf(await endpoint.waitFor(1)));
    assert.match(api_version, /^\d{4}-\d\d-\d\d$/);
    assert.equal(api_version, webhook["api_version"]);
    const body = { api_version: "1999-01-01" };
    assert.equal((await ada.send(`PATCH /webhooks?id=eq.${webhook.id}`, { body })).status, 400);
  });

  test("9 an unknown api_version is rejected with the list of versions, which the OpenAPI description has too", async () => {
    const row = { name: "Hook", url: receiver.addEndpoint().url, events: ["agent.created"] };
    const rejected = await ada.send("POST /webhooks", { body: { ...row, api_version: "1999-01-01" } });
    assertValidationBody(rejected, ["api_version"]);
    assert.match(JSON.stringify(rejected.body["details"]), /must be one of 2026-11-15/);
    const made = await ada.send("POST /webhooks", { body: { ...row, api_version: "2026-11-15" } });
    assert.equal(made.status, 201, made.text);
    const { definitions } = (await ada.send("GET /")).body as { definitions: Record<string, Description> };
    assert.match(definitions["webhooks"]?.properties["api_version"]?.description ?? "", /2026-11-15/);
    assert.match(definitions["webhooks"]?.description ?? "", /1,000/);
  });

  test("9 tables and functions are served only under their version prefix", async () => {
    const headers = {
      apikey: service.credentials.anon_key,
      authorization: `Bearer ${ada.session.access_token}`,
      "content-type": "application/json",
    };
    assert.equal((await service.request("/rest/v1/agents", { headers })).status, 200);
    const call = { method: "POST", headers, body: "{}" };
    assert.equal((await service.request("/functions/v1/test-webhook", call)).status, 400);
    for (const path of ["/rest/agents", "/rest/v2/agents", "/agents"])
      assert.equal((await service.request(path, { headers })).status, 404, path);
    for (const path of ["/functions/test-webhook", "/functions/v2/test-webhook"])
      assert.equal((await service.request(path, call)).status, 404, path);
  });
});
