import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { before, describe, it } from "node:test";
import type { UserPrincipal } from "../../../src/db/index.ts";
import { ANON, type AskOptions, openRestStage, SERVICE } from "./rest-stage.ts";

const REPRESENTATION = "return=representation";

describe("inserts with an Idempotency-Key", () => {
  const opened = openRestStage(
    `create table public.notes (id bigint generated always as identity primary key, name text not null unique, more text);
     grant select, insert, update on public.notes to anon, authenticated, service_role`,
  );
  let ada: UserPrincipal;
  let bob: UserPrincipal;
  before(async () => {
    ada = await opened.stage.addUser();
    bob = await opened.stage.addUser();
  });

  const post = (target: string, key: string, options: AskOptions & { readonly prefer?: string } = {}) => {
    const { prefer = REPRESENTATION, headers = {}, ...others } = options;
    return opened.stage.ask(`POST ${target}`, {
      as: ada,
      ...others,
      headers: { "idempotency-key": key, prefer, ...headers },
    });
  };
  const countAgents = async (name: string): Promise<number> => {
    const { rows } = await opened.stage.run("select count(*)::int as found from agents where name = $1", [name]);
    return (rows[0] as { found: number }).found;
  };
  const agent = (name: string) => ({ name, framework: "provider_a", model: "simulated" });

  for (const [form, target, options] of [
    ["the stored row", "/agents", {}],
    ["selected columns and an embedded list", "/agents?select=name,agent_tools(id)", {}],
    ["no body", "/agents", { prefer: "return=minimal" }],
    ["the location of the row", "/agents", { prefer: "return=headers-only" }],
    ["a single object", "/agents", { headers: { accept: "application/vnd.pgrst.object+json" } }],
    ["CSV", "/agents?select=name,model", { headers: { accept: "text/csv" } }],
    ["a count", "/agents?select=name", { prefer: "return=representation,count=exact" }],
  ] as const) {
    it(`return the first response when they are repeated: ${form}`, async () => {
      const [key, name] = [randomUUID(), `Ada ${randomUUID()}`];
      const first = await post(target, key, { ...options, body: agent(name) });
      assert.equal(first.status, 201, first.text);
      const second = await post(target, key, { ...options, body: agent(name) });
      assert.deepEqual(second, { ...first, headers: { ...first.headers, "idempotent-replayed": "true" } });
      assert.equal(first.headers["idempotent-replayed"], undefined);
      assert.equal(await countAgents(name), 1);
    });
  }

  it("return the first response to a list of rows, and to an upsert that returns none", async () => {
    const name = randomUUID();
    const list = { body: [{ name: `${name} 1` }, { name: `${name} 2` }] };
    const key = randomUUID();
    const first = await post("/notes", key, list);
    assert.equal((first.json as unknown[]).length, 2);
    assert.deepEqual((await post("/notes", key, list)).json, first.json);
    const ignored = { ...list, prefer: "return=representation,resolution=ignore-duplicates" };
    const other = randomUUID();
    for (const _ of [1, 2]) {
      const answer = await post("/notes?on_conflict=name", other, ignored);
      assert.deepEqual([answer.status, answer.json], [201, []]);
    }
  });

  it("are rejected when the key was used for a different request", async () => {
    const [key, name] = [randomUUID(), randomUUID()];
    assert.equal((await post("/agents", key, { body: agent(name) })).status, 201);
    for (const [target, options] of [
      ["/agents", { body: agent(`${name} 2`) }],
      ["/agents?select=id", { body: agent(name) }],
      ["/swarms", { body: { name } }],
      ["/agents", { body: agent(name), prefer: "return=minimal" }],
    ] as const) {
      const answer = await post(target, key, options);
      assert.equal(answer.status, 422);
      assert.equal((answer.json as { code: string }).code, "IDEMPOTENCY_KEY_REUSED");
    }
  });

  it("run again after an error, which leaves no key", async () => {
    const [key, name] = [randomUUID(), randomUUID()];
    await post("/notes", randomUUID(), { body: { name } });
    assert.equal((await post("/notes", key, { body: { name } })).status, 409);
    await opened.stage.run("delete from notes where name = $1", [name]);
    const answer = await post("/notes", key, { body: { name } });
    assert.deepEqual([answer.status, answer.headers["idempotent-replayed"]], [201, undefined]);
  });

  it("have the keys of their own user", async () => {
    const [key, name] = [randomUUID(), randomUUID()];
    const [first, second] = [
      await post("/agents?select=user_id", key, { body: agent(name) }),
      await post("/agents?select=user_id", key, { body: agent(name), as: bob }),
    ];
    assert.deepEqual(first.json, [{ user_id: ada.userId }]);
    assert.deepEqual(second.json, [{ user_id: bob.userId }]);
  });

  it("create one row when they arrive at the same time", async () => {
    const [key, name] = [randomUUID(), randomUUID()];
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post("/agents", key, { body: agent(name) })));
    // A request that waits for the lock of the first for too long is told to try again.
    for (const { status } of answers) assert.ok(status === 201 || status === 503, String(status));
    const repeated = await post("/agents", key, { body: agent(name) });
    assert.equal(repeated.headers["idempotent-replayed"], "true");
    for (const { status, text } of answers) if (status === 201) assert.equal(text, repeated.text);
    assert.equal(await countAgents(name), 1);
  });

  it("insert again when the key is older than a day", async () => {
    const [key, name] = [randomUUID(), randomUUID()];
    await post("/agents", key, { body: agent(name) });
    await opened.stage.run(
      "update private.idempotency_keys set created_at = now() - interval '25 hours' where key = $1",
      [key],
    );
    const answer = await post("/agents", key, { body: agent(`${name} 2`) });
    assert.deepEqual([answer.status, answer.headers["idempotent-replayed"]], [201, undefined]);
    assert.equal((await post("/agents", key, { body: agent(`${name} 2`) })).headers["idempotent-replayed"], "true");
  });

  it("insert nothing when the response is too large to be kept", async () => {
    const key = randomUUID();
    const body = { name: randomUUID(), more: "x".repeat(70_000) };
    const answer = await post("/notes", key, { body });
    assert.equal(answer.status, 413);
    assert.equal((answer.json as { code: string }).code, "RESPONSE_TOO_LARGE");
    assert.equal((await post("/notes", key, { body, prefer: "return=minimal" })).status, 201);
  });

  it("need the token of a user and a key of up to 255 characters", async () => {
    for (const [key, as] of [
      [randomUUID(), SERVICE],
      [randomUUID(), ANON],
      ["x".repeat(256), ada],
    ] as const) {
      const answer = await post("/notes", key, { body: { name: randomUUID() }, as });
      assert.equal(answer.status, 400);
      assert.deepEqual(Object.keys((answer.json as { details: object }).details), ["Idempotency-Key"]);
    }
  });

  it("are no other requests: an update with a key that was used changes its row", async () => {
    const [key, name] = [randomUUID(), randomUUID()];
    await post("/notes", key, { body: { name } });
    const headers = { "idempotency-key": key };
    const updated = await opened.stage.ask(`PATCH /notes?name=eq.${name}`, {
      as: ada,
      headers,
      body: { more: "changed" },
    });
    assert.equal(updated.status, 204);
    const { rows } = await opened.stage.run("select more from notes where name = $1", [name]);
    assert.deepEqual(rows, [{ more: "changed" }]);
  });
});
