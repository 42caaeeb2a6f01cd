import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, type TestContext, test } from "node:test";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import type { Database } from "@swarmbase/sdk";
import { publishAskingAgent, trustToolServers } from "../../../server/test/support/asking-agent.ts";
import { type CuttingProxy, startCuttingProxy } from "../../../server/test/support/cutting-proxy.ts";
import {
  type ExtendedService,
  startExtendedService,
  type User,
} from "../../../server/test/support/extended-service.ts";
import { type Approval, INITIAL_STATE, type SwarmState } from "../src/swarm-state.ts";
import { SwarmStore } from "../src/swarm-store.ts";
import { until } from "../../../server/test/support/until.ts";

type Answer = () => Promise<Response>;

const PAYLOAD_LIMIT = 4_096;
const fail: Answer = async () => Response.json({ message: "The database cannot be reached" }, { status: 500 });

describe("the store of a swarm", () => {
  const closers: (() => Promise<void>)[] = [];
  let service: ExtendedService;
  let ada: User;
  let client: SupabaseClient<Database>;
  let proxy: CuttingProxy;
  /** Through the proxy. */
  let shaky: SupabaseClient<Database>;
  let swarmId: string;
  /** What the store has read, and how its reads are answered. */
  let finished: URL[] = [];
  let answer = (_url: URL, send: Answer): Promise<Response> => send();
  let state: SwarmState;

  before(async () => {
    const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
    const env = { REALTIME_PAYLOAD_LIMIT_BYTES: String(PAYLOAD_LIMIT), ...(await trustToolServers(cleanup)) };
    service = await startExtendedService(cleanup, env);
    const { credentials } = service.service;
    setDefaultCACertificates([...getCACertificates(), await readFile(credentials.ca_cert_file ?? "", "utf8")]);
    proxy = await startCuttingProxy(cleanup, Number(new URL(credentials.url).port));
    const open = (url: string, send: typeof fetch): SupabaseClient<Database> =>
      createClient<Database>(url, credentials.anon_key, {
        global: { fetch: send },
        auth: { persistSession: false, autoRefreshToken: false },
      });
    client = open(credentials.url, fetch);
    ada = await service.signUp("ada");
    const account = { email: "ada@example.com", password: "correct horse battery" };
    const { data } = await client.auth.signInWithPassword(account);
    const proxied = new URL(credentials.url);
    proxied.port = String(proxy.port);
    shaky = open(proxied.href, async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const response = await answer(url, () => fetch(input, init));
      finished.push(url);
      return response;
    });
    if (data.session !== null) await shaky.auth.setSession(data.session);
    const { data: swarm } = await client.from("swarms").insert({ name: "Room" }).select("id").single().throwOnError();
    swarmId = swarm.id;
  });
  after(async () => {
    for (const close of closers) await close();
  });

  const countRuns = (): number => finished.filter(({ pathname }) => pathname === "/rest/v1/runs").length;

  async function openStore(t: TestContext, openedId = swarmId): Promise<SwarmStore> {
    [state, finished, answer] = [INITIAL_STATE, [], (_url, send) => send()];
    const onChange = (changed: SwarmState): void => void (state = changed);
    const options = { presence: false, includeReasoning: false, onChange };
    const store = new SwarmStore(shaky, openedId, { id: null, name: "Ada" }, options);
    t.after(async () => {
      await store.close();
      await shaky.realtime.disconnect();
    });
    // It has loaded the swarm, and read what it missed before it joined.
    await until(() => state.isLive && countRuns() >= 2, "the store is live");
    return store;
  }

  const insert = async (content: string): Promise<void> =>
    void (await client.from("messages").insert({ swarm_id: swarmId, content }).throwOnError());
  const shows = (content: string): boolean => state.messages.some((message) => message.content === content);

  test("reads what it missed though an earlier read ends while the latest one fails", async (t) => {
    await openStore(t);
    const held: { release(answer: Answer): void; readonly received: Response }[] = [];
    answer = async (url, send) => {
      if (!url.searchParams.has("or")) return send();
      // With its body, so that cutting the connection does not break it.
      const response = await send();
      const received = new Response(await response.arrayBuffer(), response);
      const { promise, resolve } = Promise.withResolvers<Answer>();
      held.push({ release: resolve, received });
      return (await promise)();
    };
    proxy.cut();
    await until(() => held.length >= 1, "the first read is under way");
    proxy.cut();
    await insert("Said in the second gap");
    await until(() => held.length >= 2, "the second read is under way");
    const [first, second] = held;
    answer = (_url, send) => send();
    first?.release(async () => first.received);
    await until(() => countRuns() >= 3, "the first read has ended");
    second?.release(fail);
    await until(() => shows("Said in the second gap"), "the message is shown");
  });

  test("shows what waits for a signal, sends it, and does not end such a run with the others", async (t) => {
    const { id: agentId } = await ada.insert("agents", { name: "Waiter" });
    const { id: roomId } = await ada.insert("swarms", { name: "Waiting room" });
    await ada.insert("swarm_agents", { swarm_id: roomId, agent_id: agentId });
    const [tool] = await ada.send("GET", "/rest/v1/tools?name=eq.wait_for_event&select=id");
    await ada.insert("agent_tools", { agent_id: agentId, tool_id: tool.id });
    const store = await openStore(t, roomId);
    await store.send('/tool wait_for_event {"name":"go","seconds":3600}');
    await until(() => state.waits.length === 1, "the wait is shown");
    const [wait] = state.waits;
    assert.deepEqual([wait?.name, wait?.kind, wait?.agentName, state.isResponding], ["go", "event", "Waiter", false]);
    await store.cancel();
    await store.signal(wait?.runId ?? "", "go", { amount: 3 });
    await until(() => /"amount": ?3/.test(state.messages.at(-1)?.content ?? ""), "the agent has answered");
    assert.deepEqual(state.waits, []);
  });

  test("shows whoever asks what waits: approvals, questions of tools and sign-ins", async (t) => {
    const agent = await publishAskingAgent(t, service, await service.signUp("owner"));
    const first = { agent_id: agent.agentId, message: "Hello" };
    const { swarm_id } = await ada.send("POST", "/functions/v1/agent-respond", first);
    const store = await openStore(t, swarm_id);
    const wait = async (message: string): Promise<Approval> => {
      await store.send(message);
      await until(() => state.approvals.length === 1, "a call waits");
      const [approval] = state.approvals;
      assert.ok(approval);
      return approval;
    };
    const ends = (text: RegExp): Promise<void> =>
      until(() => state.approvals.length === 0 && text.test(state.messages.at(-1)?.content ?? ""), `${text} is shown`);

    const approval = await wait('/tool pay_back {"number":7}');
    assert.deepEqual([approval.input, approval.question], [{ number: 7 }, null]);
    await store.approve(approval);
    await ends(/refunded/);
    const question = await wait("/tool order {}");
    assert.equal(question.question?.message, "Which size?");
    await store.approve(question, { size: "m" });
    await ends(/ordered in m/);
    const declined = await wait("/tool whoami {}");
    await store.deny(declined);
    await ends(/declined to connect/);
    const connect = await wait("/tool whoami {}");
    assert.deepEqual([connect.question?.kind, connect.question?.server?.protocol], ["connect", "http"]);
    await agent.connect(ada, connect.id);
    await ends(/api for alice/);
  });

  test("reads a message again whose content was not delivered and could not be read", async (t) => {
    await openStore(t);
    let failures = 0;
    answer = (url, send) => {
      if (!url.searchParams.has("id") || failures > 0) return send();
      failures += 1;
      return fail();
    };
    const content = "long ".repeat(PAYLOAD_LIMIT).trim();
    await insert(content);
    await until(() => failures >= 1, "the read has failed");
    await until(() => shows(content), "the message is shown");
  });
});
