import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { ok, signInAgain } from "./support/clients.ts";
import { NEEDS_OWN_SERVICE } from "./support/given-service.ts";
import { newPerson, openSend, openServiceRole, type Person, type TableAnswer } from "./support/people.ts";
import { startSecondNode } from "./support/second-node.ts";
import { type Answer, type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";

let service: Service;
before(async () => {
  service = await startService(UNLIMITED);
});
after(() => service?.stop());

const FUNCTION = "POST /functions/v1/request-signing";
const BODY = '{ "name": "Signed – ünïcode",\n "framework": "provider_a" }';

function sign(body: string | Buffer, secret: string): string {
  return createHmac("sha256", secret).update(body).digest("hex");
}

function headersFor(body: string, secret: string): Record<string, string> {
  return { "x-request-signature": sign(body, secret) };
}

async function makeSecret({ send }: Pick<Person, "send">, headers: Record<string, string> = {}): Promise<string> {
  const answer = await send(FUNCTION, { body: REGENERATE, headers });
  assert.equal(answer.status, 200, answer.text);
  const { new_secret: secret } = answer.body;
  assert.ok(typeof secret === "string" && secret.length >= 32);
  return secret;
}
const REGENERATE = '{"action":"regenerate_secret"}';

async function newSigner(): Promise<Person & { secret: string }> {
  const person = await newPerson(service);
  return { ...person, secret: await makeSecret(person) };
}

function demand({ send, id }: Person, isDemanded: boolean, headers: Record<string, string> = {}): Promise<TableAnswer> {
  const body = JSON.stringify({ require_request_signature: isDemanded });
  return send(`PATCH /user_settings?user_id=eq.${id}`, { body, headers });
}

function statusOf({ headers }: Answer): string | undefined {
  return headers["x-request-signature-status"] as string | undefined;
}

function assertUnauthorized(answer: Answer, about: string): void {
  assert.equal(answer.status, 401, `${about}: ${answer.text}`);
  assert.deepEqual([answer.body["error"], answer.body["code"]], ["Unauthorized", "UNAUTHORIZED"], about);
}

test("5.8 a signature of a user without a secret is not checked, and the response says so", async () => {
  const { send } = await newPerson(service);
  const answer = await send("POST /agents", { body: BODY, headers: { "x-request-signature": "whatever" } });
  assert.deepEqual([answer.status, statusOf(answer)], [201, "unverified"]);
  assert.match(answer.headers["access-control-expose-headers"] ?? "", /x-request-signature-status/);
  const without = await send("GET /agents");
  assert.deepEqual([without.status, statusOf(without)], [200, undefined]);
});

test("5.8 once the user has a secret, the hex HMAC-SHA256 of the body's bytes is verified", async () => {
  const { send, secret } = await newSigner();
  const right = await send("POST /agents", { body: BODY, headers: headersFor(BODY, secret) });
  assert.deepEqual([right.status, statusOf(right)], [201, "verified"]);
  const upper = await send("POST /agents", {
    body: BODY,
    headers: { "x-request-signature": sign(BODY, secret).toUpperCase() },
  });
  assert.equal(upper.status, 201);
  const read = await send("GET /agents?select=name", { headers: headersFor("", secret) });
  assert.deepEqual([statusOf(read), read.rows.length], ["verified", 2]);

  const batch = '{"operations":[ {"method":"GET","path":"/agents"} ]}';
  const batched = await send("POST /functions/v1/batch", { body: batch, headers: headersFor(batch, secret) });
  assert.deepEqual([batched.status, statusOf(batched)], [200, "verified"]);
});

test("5.8 a wrong signature returns 401 and changes nothing", async () => {
  const { send, secret } = await newSigner();
  const signature = sign(BODY, secret);
  const wrong = {
    "of another body": sign("{}", secret),
    "of the same value, written otherwise": sign(JSON.stringify(JSON.parse(BODY)), secret),
    "with another secret": sign(BODY, `${secret}x`),
    "one digit off": signature.replace(/.$/, (digit) => (digit === "0" ? "1" : "0")),
    "cut short": signature.slice(0, 62),
    "two of them": `${signature}, ${signature}`,
    empty: "",
    "not hex": "z".repeat(64),
    "all zeros": "0".repeat(64),
  };
  for (const [about, value] of Object.entries(wrong)) {
    assertUnauthorized(await send("POST /agents", { body: BODY, headers: { "x-request-signature": value } }), about);
    assertUnauthorized(
      await send("POST /functions/v1/batch", { body: BODY, headers: { "x-request-signature": value } }),
      `a function, ${about}`,
    );
  }
  assert.deepEqual((await send("GET /agents")).rows, []);
});

test("5.8 a new secret invalidates the previous one; deleting it ends the verification", async () => {
  const person = await newSigner();
  const { send, secret } = person;
  const next = await makeSecret(person);
  assert.notEqual(next, secret);
  assertUnauthorized(await send("GET /agents", { headers: headersFor("", secret) }), "the old secret");
  assert.equal((await send("GET /agents", { headers: headersFor("", next) })).status, 200);

  const given = await send(FUNCTION, { body: { action: "delete_secret" } });
  assert.deepEqual([given.status, given.body], [200, { deleted: true }]);
  assert.equal(statusOf(await send("GET /agents", { headers: headersFor("", next) })), "unverified");
});

test("5.8 a user who requires signatures gets 401 for unsigned requests from the next request on", async () => {
  const person = await newSigner();
  const { send, secret, email, session } = person;
  assert.equal((await demand(person, true)).status, 204);

  assertUnauthorized(await send("GET /agents"), "a table");
  assertUnauthorized(await send("POST /agents", { body: BODY }), "a write");
  assertUnauthorized(await send("POST /functions/v1/webhooks", { body: {} }), "a function");
  assertUnauthorized(
    await send("POST /functions/v1/batch", { body: { operations: [{ method: "GET", path: "/agents" }] } }),
    "a batch",
  );
  assertUnauthorized(await send(FUNCTION, { body: REGENERATE }), "a new secret");
  assertUnauthorized(await demand(person, false), "the demand itself");
  const headers = { apikey: service.credentials.anon_key, authorization: `Bearer ${session.access_token}` };
  assertUnauthorized(await service.request("/auth/v1/user", { headers }), "the account");
  const broadcast = {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: '{"messages":[]}',
  };
  assertUnauthorized(await service.request("/realtime/v1/api/broadcast", broadcast), "a broadcast");
  const { session: other } = await signInAgain(service, email);
  assertUnauthorized(await openSend(service, { token: other.access_token })("GET /agents"), "a session begun later");

  assert.equal((await send("GET /agents", { headers: headersFor("", secret) })).status, 200);
  assert.equal((await send("POST /agents", { body: BODY, headers: headersFor(BODY, secret) })).status, 201);
  const signed = { ...headers, ...headersFor("", secret) };
  assert.equal((await service.request("/auth/v1/user", { headers: signed })).status, 200);
  const remove = '{"action":"delete_secret"}';
  const kept = await send(FUNCTION, { body: remove, headers: headersFor(remove, secret) });
  assert.deepEqual([kept.status, kept.body["code"]], [400, "VALIDATION_ERROR"]);

  const next = await makeSecret(person, headersFor(REGENERATE, secret));
  const off = JSON.stringify({ require_request_signature: false });
  assert.equal((await demand(person, false, headersFor(off, next))).status, 204);
  assert.equal((await send("GET /agents")).status, 200);
});

test("5.8 a user who requires signatures can create the first secret unsigned, and the service role can replace a lost one", async () => {
  const person = await newPerson(service);
  await demand(person, true);
  assertUnauthorized(await person.send("GET /agents"), "no secret, no signature");
  assertUnauthorized(
    await person.send("GET /agents", { headers: { "x-request-signature": "0".repeat(64) } }),
    "no secret, a signature",
  );
  const secret = await makeSecret(person);
  assert.equal((await person.send("GET /agents", { headers: headersFor("", secret) })).status, 200);

  const role = openServiceRole(service);
  assert.equal((await role.send(FUNCTION, { body: REGENERATE })).status, 400);
  const body = { action: "regenerate_secret", user_id: person.id };
  const { body: given, status } = await role.send(FUNCTION, { body });
  assert.equal(status, 200);
  assert.equal(
    (await person.send("GET /agents", { headers: headersFor("", String(given["new_secret"])) })).status,
    200,
  );
  const stranger = await newPerson(service);
  assert.equal((await stranger.send(FUNCTION, { body })).status, 403);
  assert.equal((await role.send("GET /agents", { headers: { "x-request-signature": "x" } })).status, 200);
});

test("5.8 no secret can be read back", async () => {
  const { client, send, secret } = await newSigner();
  const { data } = await client.from("user_settings").select();
  assert.ok(!JSON.stringify(data).includes(secret));
  assert.equal((await send("GET /request_signing_secrets")).status, 404);
});

test("5.9 X-Client-Info is accepted", async () => {
  const { send, client } = await newPerson(service);
  assert.equal((await send("GET /agents", { headers: { "x-client-info": "probe/1.0" } })).status, 200);
  assert.deepEqual(ok(await client.from("agents").select()), []);
});

describe("5.8 two nodes", { skip: NEEDS_OWN_SERVICE }, () => {
  test("5.8 a secret and the requirement of signatures apply on another node at once", async (t) => {
    const other = await startSecondNode(service, UNLIMITED);
    t.after(() => other.stop());
    const person = await newSigner();
    const there = openSend(other, { token: person.session.access_token });
    assert.equal(statusOf(await there("GET /agents", { headers: headersFor("", person.secret) })), "verified");
    await demand(person, true);
    assertUnauthorized(await there("GET /agents"), "the other node");
    const next = await makeSecret({ send: there }, headersFor(REGENERATE, person.secret));
    assertUnauthorized(await person.send("GET /agents", { headers: headersFor("", person.secret) }), "the old secret");
    assert.equal((await person.send("GET /agents", { headers: headersFor("", next) })).status, 200);
  });
});
