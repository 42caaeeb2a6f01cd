import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import {
  type ExtendedService,
  type Parsed,
  startExtendedService,
  type User,
} from "../../../server/test/support/extended-service.ts";
import { until } from "../../../server/test/support/until.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let a2a: ExtendedService;
let ada: User;
let agentId: string;

before(async () => {
  // The service is its own remote system.
  a2a = await startExtendedService(cleanup, { EXTENSIONS: "a2a,a2a-client" });
  ada = await a2a.signUp("ada");
  ({ id: agentId } = await ada.insert("agents", { name: "Ann" }));
});
after(async () => {
  for (const close of closers) await close();
});

describe("tools of the kind a2a", () => {
  const remote = { name: "ask_ann", description: "Asks Ann.", kind: "a2a" };
  const card = (id = agentId): string => `${a2a.url}/a2a/agents/${id}/.well-known/agent-card.json`;
  const withSecret = (token: string, cardUrl = card()) => ({
    config: { card_url: cardUrl, auth: { type: "bearer", secret: "token" } },
    secrets: { token },
  });
  const call = (tool_id: string, input: object): Promise<Parsed> =>
    ada.send("POST", "/functions/v1/tools", { action: "test", tool_id, input });

  test("send a message to a remote agent, with the secret of the tool, and return its answer", async () => {
    const key = await ada.makeKey(["run"]);
    const { id } = await ada.insert("tools", { ...remote, ...withSecret(key) });
    const { status, output, error } = await call(id, { message: "Hello", city: "Delft" });
    assert.equal(status, "succeeded", JSON.stringify(error));
    assert.match(output, /^\[simulated\]/);
    const [sent] = await ada.send(
      "GET",
      "/rest/v1/messages?select=content&sender_type=eq.user&order=created_at.desc&limit=1",
    );
    assert.equal(sent.content, 'Hello\n\n{"city":"Delft"}');

    // An agent uses it like every other tool.
    const { id: callerId } = await ada.insert("agents", { name: "Cal" });
    await ada.insert("agent_tools", { agent_id: callerId, tool_id: id });
    const message = '/tool ask_ann {"message": "Hello"}';
    const run = await ada.send("POST", "/functions/v1/agent-respond", { agent_id: callerId, message });
    assert.deepEqual(
      run.responses[0].tool_executions.map(({ tool_name, status: state }: Parsed) => [tool_name, state]),
      [["ask_ann", "succeeded"]],
    );
    const [{ secret_names: names }] = await ada.send("PATCH", `/rest/v1/tools?id=eq.${id}`, {
      config: withSecret("", "https://evil.example.com/card.json").config,
    });
    assert.deepEqual(names, [], "a secret is not sent to another host");
  });

  test("report what the remote agent asks for, and why it cannot be called", async () => {
    const key = await ada.makeKey(["run"]);
    const approval = { name: "publish", description: "Publishes.", requires_approval: true };
    const { id: publishId } = await ada.insert("tools", { ...approval, config: { url: "https://news.example.com/" } });
    await ada.insert("agent_tools", { agent_id: agentId, tool_id: publishId });
    const { id } = await ada.insert("tools", { ...remote, name: "ask_again", ...withSecret(key) });
    const { output: waiting } = await call(id, { message: "/tool publish {}" });
    assert.deepEqual([waiting.state, waiting.message.includes("publish")], ["input_required", true]);
    await ada.send("DELETE", `/rest/v1/tools?id=eq.${publishId}`);

    const failed = await call(id, { message: "/fail refusal" });
    assert.deepEqual([failed.status, failed.error.code], ["failed", "TOOL_FAILED"]);
    assert.match(failed.error.message, /^The remote agent could not do the task: ./);

    const cases: readonly [object, RegExp][] = [
      [withSecret("sk_wrong"), /cannot be called: Failed to fetch Agent Card .*401/],
      [withSecret(key, card(crypto.randomUUID())), /cannot be called: Failed to fetch Agent Card/],
      [{ config: { card_url: card(), auth: { type: "bearer", secret: "token" } } }, /has no secret token/],
    ];
    for (const [row, reason] of cases) {
      await ada.send("PATCH", `/rest/v1/tools?id=eq.${id}`, { secrets: null, ...row });
      const { status, error } = await call(id, { message: "Hello" });
      assert.equal(status, "failed");
      assert.match(error.message, reason);
      assert.ok(!error.message.includes(key));
    }
  });

  test("cancel the remote task when the call is cancelled", async () => {
    const tool = { ...remote, name: "ask_long", ...withSecret(await ada.makeKey(["run"])) };
    const { id: toolId } = await ada.insert("tools", tool);
    const { id: callerId } = await ada.insert("agents", { name: "Cal" });
    await ada.insert("agent_tools", { agent_id: callerId, tool_id: toolId });
    const message = '/tool ask_long {"message": "/sleep 600000"}';
    const ask = { agent_id: callerId, message, background: true };
    const { run_id } = await ada.send("POST", "/functions/v1/agent-respond", ask, 202);
    const query = `/rest/v1/runs?select=status&order=created_at.desc&limit=1&request->agent_ids=cs.["${agentId}"]`;
    const isRemote = async (status: string): Promise<boolean> => (await ada.send("GET", query))[0].status === status;
    await until(() => isRemote("running"));
    await ada.send("POST", "/functions/v1/agent-respond", { action: "cancel", run_id });
    await until(() => isRemote("cancelled"));
  });

  test("are checked when they are stored", async () => {
    const faultsOf = async (config: object): Promise<string[]> => {
      const { details } = await ada.send("POST", "/rest/v1/tools", { ...remote, config }, 400);
      return Object.keys(details).filter((path) => path !== "config");
    };
    assert.deepEqual(await faultsOf({ card_url: "http://example.com/" }), ["config.card_url"]);
    for (const host of ["10.0.0.1", "169.254.169.254", "[fd00::1]"]) {
      const config = { card_url: `https://${host}/card.json` };
      assert.deepEqual(await faultsOf(config), ["config.card_url"], host);
    }
    assert.deepEqual(await faultsOf({ card_url: card(), other: 1 }), ["config.other"]);
    assert.deepEqual(await faultsOf({ card_url: card(), auth: { type: "basic" } }), [
      "config.auth.type",
      "config.auth.secret",
    ]);
    assert.deepEqual(await faultsOf({ card_url: card(), auth: { type: "header", header: "Host", secret: "a" } }), [
      "config.auth.header",
    ]);
    const { details } = await ada.send(
      "POST",
      "/rest/v1/tools",
      { ...remote, kind: "http", config: { card_url: card() } },
      400,
    );
    assert.ok(details["config.url"]);
  });
});
