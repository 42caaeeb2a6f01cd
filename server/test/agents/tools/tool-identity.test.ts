import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { type ToolCallClaims, verifyToolCall } from "@swarmbase/sdk";
import { openCallSigner } from "../../../src/agents/tools/http/call-signer.ts";
import type { OpenStarter, ToolOutcome, ToolStarter } from "../../../src/agents/tools/tool-port.ts";
import { deriveKey } from "../../../src/crypto/index.ts";
import { ToolFailure } from "../../../src/errors/index.ts";
import { assignedTool, callContext } from "../../support/assigned-tool.ts";
import { BASE_URL, openToolsForTest, wrapped } from "../../support/open-tools-for-test.ts";
import { type Answerer, startReceiver } from "../../support/receiver.ts";

const USER = "019a8000-0000-7000-8000-0000000000dd";
const EXECUTION = "019a8000-0000-7000-8000-0000000000ee";
const NOW = new Date("2026-11-15T12:00:00Z");
const STARTED = { runId: "run", agentId: "agent", toolId: assignedTool().id, executionId: EXECUTION };
const IDENTITY = { identity: "required" } as const;

function starterOf(open: () => Partial<OpenStarter["principal"]> = () => ({}), call: OpenStarter["call"] = STARTED) {
  const principal = { role: "authenticated", userId: USER, claims: {}, session: null } as const;
  const starter: ToolStarter = {
    userId: USER,
    open: async () => ({ principal: { ...principal, ...open() }, call }),
  };
  return starter;
}

/** A server whose tool verifies for whom it is called. */
async function stage(t: TestContext, answer: Answerer = (_request, response) => response.end("ok")) {
  const tools = openToolsForTest(t);
  const tokens: (string | undefined)[] = [];
  const verified: Promise<ToolCallClaims>[] = [];
  const receiver = await startReceiver(t, (request, response) => {
    const token = request.headers["x-service-identity"];
    tokens.push(typeof token === "string" ? token : undefined);
    const options = { issuer: BASE_URL, audience: origin, jwks: tools.callKeys, now: NOW };
    const { method, url, headers, body } = request;
    const claims = verifyToolCall({ method, url, headers, body }, options);
    // Reported where the claims are read.
    claims.catch(() => {});
    verified.push(claims);
    answer(request, response);
  });
  const origin = `https://hooks.example.com:${receiver.port}`;
  const call = (
    { url = "/", ...config }: Record<string, unknown>,
    context: Parameters<typeof callContext>[0] = {},
    input: Record<string, unknown> = {},
  ): Promise<ToolOutcome> => {
    const secrets_wrapped = wrapped(assignedTool().id, { token: "s3cr3t-value" });
    const tool = assignedTool({
      name: "orders",
      config: { ...config, url: `${origin}${String(url)}` },
      secrets_wrapped,
    });
    return tools.run(tool, input, callContext({ executionId: EXECUTION, starter: starterOf(), ...context }));
  };
  return { tools, tokens, claims: () => Promise.all(verified), origin, call };
}

function codeOf(outcome: ToolOutcome): string {
  return outcome.status === "succeeded" ? "succeeded" : outcome.error.code;
}

test("a server verifies for whom, by whom and with which request its tool is called", async (t) => {
  const { call, claims, origin, tokens } = await stage(t);
  const auth = { type: "bearer", secret: "token" };
  await call({ ...IDENTITY, method: "POST", url: "/{id}?q={q}&", auth }, {}, { id: "a/b", q: "ü", name: "Zoë" });
  const key = { sessionId: "key", userId: USER, inactivitySeconds: 0, isAal2Required: false };
  await call(IDENTITY, { starter: starterOf(() => ({ scopes: ["run"], resources: null, session: key }), null) });
  const [first, second] = await claims();
  const { jti, body_sha256, ...rest } = first ?? assert.fail();
  assert.ok(jti !== "" && body_sha256 !== "");
  assert.deepEqual(rest, {
    iss: BASE_URL,
    aud: `${origin}/a%2Fb?q=%C3%BC&`,
    htm: "POST",
    tool: { id: assignedTool().id, name: "orders" },
    sub: USER,
    act: { sub: "agent" },
    run_id: "run",
    tool_call_id: EXECUTION,
    iat: NOW.getTime() / 1000,
    exp: NOW.getTime() / 1000 + 60,
  });
  const { act, run_id, api_key_id, scopes } = second ?? assert.fail();
  assert.deepEqual([act, run_id, api_key_id, scopes], [undefined, undefined, "key", ["run"]]);
  assert.equal(codeOf(await call({})), "succeeded");
  assert.equal(codeOf(await call({ identity: "off" }, { starter: null })), "succeeded");
  assert.deepEqual(tokens.slice(2), [undefined, undefined]);
});

test("each attempt has a token of its own, and none is made for a starter who may not act any more", async (t) => {
  let failures = 2;
  const { call, claims, tokens } = await stage(t, (request, response) => {
    failures -= 1;
    if (failures >= 0) request.socket.destroy();
    else response.end("up");
  });
  const retried = await call({ ...IDENTITY, url: "/a" });
  assert.equal(codeOf(retried), "TOOL_UNREACHABLE");
  const ids = (await claims()).map(({ jti }) => jti);
  assert.deepEqual([ids.length, new Set(ids).size, ids.includes("")], [2, 2, false]);

  failures = 1;
  let isBanned = false;
  const open = () => {
    if (isBanned) throw new ToolFailure("TOOL_UNUSABLE", "The tool may not act for the person who asked any more.");
    isBanned = true;
    return {};
  };
  assert.equal(codeOf(await call(IDENTITY, { starter: starterOf(open) })), "TOOL_UNUSABLE");
  assert.equal(tokens.length, 3);
  const broken = starterOf(() => {
    throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
  });
  assert.equal(codeOf(await call(IDENTITY, { starter: broken })), "TOOL_FAILED");
  assert.equal(tokens.length, 3);
});

test("a tool that needs an identity is not called without a starter", async (t) => {
  const { call, tokens } = await stage(t);
  for (const starter of [null, undefined]) {
    const outcome = await call(IDENTITY, { starter: starter as null });
    assert.ok(outcome.status === "failed");
    assert.equal(outcome.error.code, "TOOL_UNUSABLE");
    assert.match(outcome.error.message, /nobody has asked/);
  }
  assert.equal(tokens.length, 0);
});

test("a redirect does not carry the token elsewhere", async (t) => {
  const elsewhere = await startReceiver(t);
  const statuses = [301, 302, 303, 307, 308];
  const { call, tokens } = await stage(t, (_request, response) => {
    const location = `https://hooks.example.com:${elsewhere.port}/`;
    response.writeHead(statuses[tokens.length - 1] ?? 302, { location }).end();
  });
  for (const _ of statuses) assert.equal(codeOf(await call(IDENTITY)), "TOOL_HTTP_ERROR");
  assert.deepEqual([tokens.length, elsewhere.accepted], [statuses.length, 0]);
});

test("a token that a server returns, whole or in parts, is hidden", async (t) => {
  const { call, tokens } = await stage(t, ({ headers, url }, response) => {
    const token = String(headers["x-service-identity"]);
    response.statusCode = url === "/fail" ? 400 : 200;
    response.end(url === "/parts" ? JSON.stringify(token.split(".")) : `you sent ${token}`);
  });
  for (const url of ["/", "/parts", "/fail"]) {
    const shown = JSON.stringify(await call({ ...IDENTITY, url }));
    const signature = tokens.at(-1)?.split(".")[2] ?? assert.fail();
    assert.ok(shown.includes("[secret]") && !shown.includes(signature), shown);
  }
});

test("an identity is off or required, and not combined with a secret in the URL, which the token contains", async (t) => {
  const { tools, call, tokens } = await stage(t);
  const find = (config: object) =>
    tools.checks.findConfigFaults("http", { url: "https://hooks.example.com/", ...config });
  for (const identity of ["off", "required"]) assert.deepEqual(find({ identity }), []);
  for (const identity of ["optional", true, null])
    assert.deepEqual(
      find({ identity }).map(({ path }) => path),
      ["identity"],
    );
  const auth = { type: "query", parameter: "key", secret: "token" };
  assert.deepEqual(find({ auth }), []);
  assert.deepEqual(
    find({ ...IDENTITY, auth }).map(({ path }) => path),
    ["auth.type"],
  );
  assert.equal(codeOf(await call({ ...IDENTITY, auth })), "TOOL_UNUSABLE");
  assert.equal(tokens.length, 0);
});

test("all nodes with a master key sign with the same key, which has no private part in public", () => {
  const open = (masterKey: string) =>
    openCallSigner({
      key: deriveKey(masterKey, "tool-call-identity"),
      baseUrl: () => BASE_URL,
      clock: { now: () => NOW },
      newId: () => "id",
    }).keySet;
  assert.deepEqual(open("one"), open("one"));
  assert.notDeepEqual(open("one").keys[0]?.["x"], open("two").keys[0]?.["x"]);
  const [key] = open("one").keys;
  assert.deepEqual(Object.keys(key ?? {}).toSorted(), ["alg", "crv", "key_ops", "kid", "kty", "use", "x"]);
});
