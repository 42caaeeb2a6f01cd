import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { createSignedFetch } from "@swarmbase/sdk";
import { type ProxiedNode, startProxiedNodes } from "./support/proxied-node.ts";

const AGENTS = "/rest/v1/agents";

test("HTTP message signatures", async (t) => {
  const { database, nodes } = await startProxiedNodes(t, 2);
  const [first, second] = nodes as [ProxiedNode, ProxiedNode];
  const ada = await first.newUser();
  const there = second.adopt(ada);
  type Sender = Pick<typeof ada, "id" | "send">;
  const regenerate = { action: "regenerate_secret" };

  /** The headers that sign a request, without sending it. */
  const signed = async (
    method: string,
    path: string,
    body?: string,
    { secret, userId = ada.id, at = 0 }: { secret: string; userId?: string; at?: number } = { secret: adaSecret },
  ): Promise<Record<string, string>> => {
    let headers: Record<string, string> = {};
    const sign = createSignedFetch({
      secret,
      userId,
      now: () => new Date(Date.now() + at * 1000),
      fetch: async (_url, init) => {
        headers = Object.fromEntries(new Headers(init.headers));
        return new Response();
      },
    });
    await sign(`http://localhost${path}`, { method, ...(body !== undefined && { body }) });
    const { signature = "", "signature-input": input = "", "content-digest": digest } = headers;
    return { signature, "signature-input": input, ...(digest !== undefined && { "content-digest": digest }) };
  };
  const assertRejected = (
    { status, headers, body, text }: Awaited<ReturnType<typeof ada.send>>,
    reason: "REQUIRED" | "INVALID" | "EXPIRED" | "REPLAYED",
  ): void => {
    assert.equal(status, 401, text);
    assert.deepEqual([body["error"], body["code"]], ["Unauthorized", `MESSAGE_SIGNATURE_${reason}`]);
    const states = { REQUIRED: "missing", INVALID: "invalid", EXPIRED: "expired", REPLAYED: "replayed" };
    assert.equal(headers.get("x-request-signature-status"), states[reason]);
  };
  const countAgents = async (): Promise<number> =>
    (await database.owner.query("select from public.agents where user_id = $1", [ada.id])).rowCount ?? 0;
  const without = await ada.send("GET", AGENTS, undefined, await signed("GET", AGENTS, undefined, { secret: "any" }));
  assert.deepEqual([without.status, without.headers.get("x-request-signature-status")], [200, "unverified"]);
  let adaSecret = String((await ada.send("POST", "/functions/v1/request-signing", regenerate)).body["new_secret"]);
  const BODY = '{ "name":\n "Zoë" }';

  await t.test("a signed request is accepted once, on one node", async () => {
    const headers = await signed("POST", `${AGENTS}?select=id`, BODY);
    const made = await ada.send("POST", `${AGENTS}?select=id`, BODY, headers);
    assert.deepEqual([made.status, made.headers.get("x-request-signature-status")], [201, "verified"], made.text);
    assertRejected(await ada.send("POST", `${AGENTS}?select=id`, BODY, headers), "REPLAYED");
    assertRejected(await there.send("POST", `${AGENTS}?select=id`, BODY, headers), "REPLAYED");
    const read = await signed("GET", AGENTS);
    const answers = await Promise.all([ada, there, ada, there].map(({ send }) => send("GET", AGENTS, undefined, read)));
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((one, other) => one - other),
      [200, 401, 401, 401],
    );
    assert.equal(await countAgents(), 1);
  });

  await t.test("a captured signature fits no other request", async () => {
    const headers = await signed("POST", AGENTS, BODY);
    assertRejected(await ada.send("POST", `${AGENTS}?select=*`, BODY, headers), "INVALID");
    assertRejected(await ada.send("POST", "/rest/v1/swarms", BODY, headers), "INVALID");
    assertRejected(await ada.send("POST", AGENTS, JSON.stringify(JSON.parse(BODY)), headers), "INVALID");
    assertRejected(await ada.send("PATCH", AGENTS, BODY, headers), "INVALID");
    assertRejected(await ada.send("POST", AGENTS, BODY, { signature: String(headers["signature"]) }), "INVALID");
    assertRejected(await ada.send("POST", AGENTS, BODY, { "signature-input": "sig=(" }), "INVALID");
    const { "content-digest": _digest, ...undigested } = headers;
    assertRejected(await ada.send("POST", AGENTS, BODY, undigested), "INVALID");
    const bodiless = await signed("POST", AGENTS);
    assertRejected(await ada.send("POST", AGENTS, BODY, bodiless), "INVALID");
    for (const at of [-310, 310])
      assertRejected(
        await ada.send("POST", AGENTS, BODY, await signed("POST", AGENTS, BODY, { secret: adaSecret, at })),
        "EXPIRED",
      );
    const wrong = await signed("POST", AGENTS, BODY, { secret: `${adaSecret}x` });
    assertRejected(await ada.send("POST", AGENTS, BODY, wrong), "INVALID");
    const eve = await first.newUser();
    await eve.send("POST", "/functions/v1/request-signing", regenerate);
    assertRejected(await eve.send("POST", AGENTS, BODY, headers), "INVALID");
    assert.equal((await ada.send("POST", AGENTS, BODY, headers)).status, 201, "none of these used the nonce up");
    assert.equal(await countAgents(), 2);
  });

  await t.test("a user who requires message signatures gets 401 for everything else, on every node", async () => {
    const settings = `/rest/v1/user_settings?user_id=eq.${ada.id}`;
    assert.equal((await ada.send("PATCH", settings, { require_message_signature: true })).status, 200);
    const bodySigned = (body: string): Record<string, string> => ({
      "x-request-signature": createHmac("sha256", adaSecret).update(body).digest("hex"),
    });
    const batch = JSON.stringify({ operations: [{ method: "GET", path: "/agents" }] });
    const calls = [
      ["GET", AGENTS, undefined],
      ["POST", AGENTS, BODY],
      ["POST", "/functions/v1/batch", batch],
      ["POST", "/functions/v1/webhooks", "{}"],
      ["POST", "/functions/v1/request-signing", JSON.stringify(regenerate)],
      ["GET", "/auth/v1/user", undefined],
      ["POST", "/realtime/v1/api/broadcast", '{"messages":[]}'],
      ["PATCH", settings, '{"require_message_signature":false}'],
    ] as const;
    for (const { send } of [ada, there] as Sender[])
      for (const [method, path, body] of calls) {
        assertRejected(await send(method, path, body), "REQUIRED");
        assertRejected(await send(method, path, body, bodySigned(body ?? "")), "REQUIRED");
      }
    for (const [method, path, body] of calls.slice(0, 4)) {
      const { status, headers, text } = await there.send(method, path, body, await signed(method, path, body));
      assert.ok(status !== 401 && headers.get("x-request-signature-status") === "verified", `${path}: ${text}`);
    }
    const removal = '{"action":"delete_secret"}';
    const path = "/functions/v1/request-signing";
    const kept = await ada.send("POST", path, removal, await signed("POST", path, removal));
    assert.match(String((kept.body["details"] as Record<string, string>)["action"]), /require_message_signature/);
    const renewed = await ada.send(
      "POST",
      path,
      JSON.stringify(regenerate),
      await signed("POST", path, JSON.stringify(regenerate)),
    );
    adaSecret = String(renewed.body["new_secret"]);

    // The two requirements are independent.
    const both = JSON.stringify({ require_request_signature: true });
    assert.equal((await ada.send("PATCH", settings, both, await signed("PATCH", settings, both))).status, 200);
    const onlyMessage = await ada.send("GET", AGENTS, undefined, await signed("GET", AGENTS));
    assert.deepEqual([onlyMessage.status, onlyMessage.body["code"]], [401, "UNAUTHORIZED"]);
    assertRejected(await ada.send("GET", AGENTS, undefined, bodySigned("")), "REQUIRED");
    const off = JSON.stringify({ require_request_signature: false, require_message_signature: false });
    const headers = { ...(await signed("PATCH", settings, off)), ...bodySigned(off) };
    assert.equal((await ada.send("PATCH", settings, off, headers)).status, 200);
    assert.equal((await there.send("GET", AGENTS)).status, 200);
  });

  await t.test("a user who requires message signatures can create the first secret unsigned", async () => {
    const bob = await second.newUser();
    const settings = `/rest/v1/user_settings?user_id=eq.${bob.id}`;
    assert.equal((await bob.send("PATCH", settings, { require_message_signature: true })).status, 200);
    assertRejected(await bob.send("GET", AGENTS), "REQUIRED");
    const forged = await signed("GET", AGENTS, undefined, { secret: "guessed", userId: bob.id });
    assertRejected(await bob.send("GET", AGENTS, undefined, forged), "REQUIRED");
    const made = await bob.send("POST", "/functions/v1/request-signing", regenerate);
    assert.equal(made.status, 200, made.text);
    assertRejected(await bob.send("POST", "/functions/v1/request-signing", regenerate), "REQUIRED");
    const secret = String(made.body["new_secret"]);
    const headers = await signed("GET", AGENTS, undefined, { secret, userId: bob.id });
    assert.equal((await bob.send("GET", AGENTS, undefined, headers)).status, 200);
  });

  await t.test("a request whose signature is malformed in any way is never a 500", async () => {
    const values = [
      "",
      "sig",
      "sig=",
      "sig=()",
      "sig=:",
      "a=1, a=2",
      '"',
      "\u00ff",
      "sig=(1 2)",
      "sig=?1",
      `sig=${"(".repeat(2_000)}`,
    ];
    for (const input of values)
      for (const signature of [...values.slice(0, 5), "sig=:AAAA:"]) {
        const { status, text } = await ada.send("GET", AGENTS, undefined, { signature, "signature-input": input });
        assert.equal(status, 401, `${input} ${signature}: ${text}`);
      }
  });
});
