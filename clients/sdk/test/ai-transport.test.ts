import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { SupabaseClient } from "@supabase/supabase-js";
import { attach, type Database, isFunctionError, signal } from "@swarmbase/sdk";
import { SwarmChatTransport, type SwarmChatTransportOptions, type SwarmUIMessage } from "@swarmbase/sdk/ai";
import {
  AbstractChat,
  type ChatOnToolCallCallback,
  type ChatState,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
} from "ai";
import { addSwarm, startTypedService } from "./support/typed-service.ts";
import { until } from "../../../server/test/support/until.ts";

/** `useChat` without React: the same class drives both. */
class PlainChat extends AbstractChat<SwarmUIMessage> {
  constructor(
    id: string,
    options: SwarmChatTransportOptions,
    messages: SwarmUIMessage[] = [],
    onToolCall: ChatOnToolCallCallback<SwarmUIMessage> = () => {},
  ) {
    const state: ChatState<SwarmUIMessage> = {
      status: "ready",
      error: undefined,
      messages,
      pushMessage: (message) => void (state.messages = [...state.messages, message]),
      popMessage: () => void (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (index, message) => void (state.messages = state.messages.with(index, message)),
      snapshot: (value) => structuredClone(value),
    };
    super({
      id,
      state,
      transport: new SwarmChatTransport(options),
      onToolCall,
      sendAutomaticallyWhen: (given) =>
        lastAssistantMessageIsCompleteWithApprovalResponses(given) ||
        lastAssistantMessageIsCompleteWithToolCalls(given),
    });
  }
}

describe("the transport of the AI SDK", () => {
  const closers: (() => Promise<void>)[] = [];
  let client: SupabaseClient<Database>;
  let swarmId: string;

  before(async () => {
    const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
    const service = await startTypedService(cleanup, {});
    client = await service.signIn(service.port);
    swarmId = await addSwarm(client, "Optimist", "Sceptic");
    const { data: agent } = await client.from("agents").select("id").eq("name", "Sceptic").single().throwOnError();
    const { data: tools } = await client
      .from("tools")
      .insert(
        ["probe", "guarded"].map((name) => ({
          name,
          description: "Asks whether the service is healthy.",
          kind: "http" as const,
          requires_approval: name === "guarded",
          config: { method: "GET", url: `https://localhost:${service.port}/health` },
        })),
      )
      .select("id")
      .throwOnError();
    const { data: waits } = await client.from("tools").select("id").eq("name", "wait_for_event").throwOnError();
    await client
      .from("agent_tools")
      .insert([...tools, ...waits].map(({ id }) => ({ agent_id: agent.id, tool_id: id })))
      .throwOnError();
  });
  after(async () => {
    for (const close of closers) await close();
  });

  test("streams the answers of all agents as the steps of one message", async () => {
    const chat = new PlainChat(swarmId, { client });
    await chat.sendMessage({ text: "Shall we?" });
    assert.deepEqual([chat.status, chat.error, chat.messages.length], ["ready", undefined, 2]);
    const [question, answer] = chat.messages;
    assert.deepEqual(typesOf(answer), ["step-start", "data-turn", "text", "step-start", "data-turn", "text"]);
    const speakers = answer?.parts.flatMap((part) => (part.type === "data-turn" ? [part.data.agentName] : []));
    assert.deepEqual(speakers, ["Optimist", "Sceptic"]);
    const texts = answer?.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const runId = answer?.metadata?.runId ?? "";
    const { data: stored } = await client
      .from("messages")
      .select("content")
      .eq("run_id", runId)
      .order("seq")
      .throwOnError();
    assert.deepEqual(
      texts,
      stored.map(({ content }) => content),
    );
    assert.equal(answer?.metadata?.stopReason, "all_replied");
    const { data: sent } = await client
      .from("messages")
      .select("content")
      .eq("client_message_id", question?.id ?? "");
    assert.deepEqual(sent, [{ content: "Shall we?" }]);
  });

  test("shows tool calls, and passes on members of the request", async () => {
    const chat = new PlainChat("any id", { client, swarmId });
    const agents = await client.from("agents").select("id").eq("name", "Sceptic").throwOnError();
    const agent_ids = agents.data.map(({ id }) => id);
    await chat.sendMessage({ text: "/tool probe {}\n/tool nothing {}" }, { body: { agent_ids } });
    const answer = chat.messages.at(-1);
    assert.deepEqual(typesOf(answer), ["step-start", "data-turn", "dynamic-tool", "text"]);
    const [call] = answer?.parts.filter((part) => part.type === "dynamic-tool") ?? [];
    assert.deepEqual([call?.toolName, call?.state], ["probe", "output-available"]);
    assert.match(String(call?.output), /"status"/);
  });

  for (const isApproved of [true, false]) {
    test(`waits for an approval, and continues in the same message when it is ${isApproved ? "given" : "denied"}`, async () => {
      const chat = new PlainChat(swarmId, { client });
      await chat.sendMessage({ text: "@Sceptic\n/tool guarded {}" });
      const waiting = chat.messages.at(-1)?.parts.find((part) => part.type === "dynamic-tool");
      assert.equal(waiting?.state, "approval-requested");
      const { id } = waiting.approval;
      await chat.addToolApprovalResponse({ id, approved: isApproved, reason: "Because" });
      await until(() => chat.status === "ready" && chat.messages.at(-1)?.metadata?.status !== undefined);
      const answer = chat.messages.at(-1);
      assert.deepEqual([chat.messages.length, chat.error], [2, undefined]);
      assert.deepEqual(typesOf(answer), ["step-start", "data-turn", "dynamic-tool", "text"]);
      const call = answer?.parts.find((part) => part.type === "dynamic-tool");
      assert.equal(call?.state, isApproved ? "output-available" : "output-denied");
    });
  }

  test("waits until all approvals of a step are answered", async () => {
    const chat = new PlainChat(swarmId, { client });
    await chat.sendMessage({ text: '@Sceptic\n/tool guarded {"n":1} /tool guarded {"n":2}' });
    const calls = chat.messages.at(-1)?.parts.filter((part) => part.type === "dynamic-tool") ?? [];
    assert.deepEqual(
      calls.map(({ state }) => state),
      ["approval-requested", "approval-requested"],
    );
    for (const { approval } of calls) await chat.addToolApprovalResponse({ id: approval?.id ?? "", approved: false });
    await until(() => chat.status === "ready" && chat.messages.at(-1)?.metadata?.status !== undefined);
    assert.deepEqual([chat.messages.length, chat.error], [2, undefined]);
  });

  test("ends with a run that waits for a signal, and does not follow it again", async () => {
    const chat = new PlainChat(swarmId, { client });
    await chat.sendMessage({ text: '@Sceptic\n/tool wait_for_event {"name":"go","seconds":3600}' });
    const { runId = "", status } = chat.messages.at(-1)?.metadata ?? {};
    assert.deepEqual([chat.status, status], ["ready", "waiting"]);
    const transport = new SwarmChatTransport({ client });
    assert.equal(await transport.reconnectToStream({ chatId: swarmId }), null);
    await signal(client, { run_id: runId, name: "go", data: "now" });
    assert.match((await attach(client, runId).result()).responses[0]?.message.content ?? "", /now/);
  });

  test("lets the chat execute tools of the client", async () => {
    const executed: unknown[] = [];
    const chat = new PlainChat(swarmId, { client }, [], ({ toolCall: { toolName, toolCallId, input } }) => {
      executed.push([toolName, input]);
      const call = { tool: toolName, toolCallId };
      // The service accepts a shorter text.
      const errorText = `no position ${"😀".repeat(2_000)}`;
      const isLast = (input as { n: number }).n === 3;
      void chat.addToolOutput(
        isLast ? { ...call, state: "output-error", errorText } : { ...call, output: { city: "Delft" } },
      );
    });
    const client_tools = [{ name: "locate", description: "Returns the position of the user." }];
    const text = '@Sceptic\n/tool probe {} /tool locate {"n":1} /tool locate {"n":2}\n/tool locate {"n":3}';
    await chat.sendMessage({ text }, { body: { client_tools } });
    await until(() => chat.status === "ready" && chat.messages.at(-1)?.metadata?.status !== undefined);
    const answer = chat.messages.at(-1);
    assert.deepEqual([chat.messages.length, chat.error, answer?.metadata?.status], [2, undefined, "completed"]);
    assert.deepEqual(
      new Set(executed.map((call) => JSON.stringify(call))),
      new Set([1, 2, 3].map((n) => `["locate",{"n":${n}}]`)),
    );
    assert.equal(executed.length, 3);
  });

  for (const kind of ["a swarm", "an agent"])
    test(`stops the run of ${kind} with the chat, and follows a run after a reload`, async () => {
      const { data: agent } = await client.from("agents").select("id").eq("name", "Sceptic").single().throwOnError();
      const target = kind === "an agent" ? { agentId: agent.id } : { swarmId };
      const chat = new PlainChat("chat", { client, ...target });
      const sending = chat.sendMessage({ text: "/sleep 60000" });
      await until(() => typesOf(chat.messages.at(-1)).includes("data-turn"));
      const reloaded = new PlainChat("chat", { client, ...target }, [...chat.messages].slice(0, 1));
      const resuming = reloaded.resumeStream();
      await until(() => typesOf(reloaded.messages.at(-1)).includes("data-turn"));
      await chat.stop();
      await sending;
      await resuming;
      assert.deepEqual(reloaded.messages.at(-1)?.metadata?.status, "cancelled");
      await reloaded.resumeStream();
      assert.equal(reloaded.messages.length, 2);
    });

  test("replaces an answer, and everything that followed, in the swarm too", async () => {
    const other = await addSwarm(client, "Writer");
    const chat = new PlainChat(other, { client });
    const listTexts = async (): Promise<string[]> => {
      const stored = client.from("messages").select("content,sender_type").eq("swarm_id", other);
      const { data } = await stored.is("deleted_at", null).order("seq").throwOnError();
      return data.map(({ sender_type, content }) => (sender_type === "user" ? String(content) : "answer"));
    };
    await chat.sendMessage({ text: "First" });
    const [question, answer] = chat.messages;
    await chat.regenerate();
    assert.notEqual(chat.messages.at(-1)?.metadata?.runId, answer?.metadata?.runId);
    await chat.regenerate();
    assert.deepEqual([chat.error, await listTexts()], [undefined, ["First", "answer"]]);

    await client.from("messages").insert({ swarm_id: other, content: "A note for people" }).throwOnError();
    await chat.sendMessage({ text: "Second" });
    await chat.regenerate({ messageId: chat.messages[1]?.id ?? "" });
    assert.deepEqual(await listTexts(), ["First", "A note for people", "answer"]);
    await chat.sendMessage({ text: "Second" });
    await chat.sendMessage({ text: "Other words", messageId: question?.id ?? "" });
    assert.deepEqual([chat.error, await listTexts()], [undefined, ["Other words", "A note for people", "answer"]]);

    // A chat that was loaded from the table has the ids of rows.
    const { data: stored } = await client
      .from("messages")
      .select("id")
      .eq("content", "Other words")
      .single()
      .throwOnError();
    const loaded = new PlainChat(other, { client }, [
      { id: stored.id, role: "user", parts: [{ type: "text", text: "Other words" }] },
    ]);
    await loaded.regenerate();
    assert.deepEqual(await listTexts(), ["Other words", "A note for people", "answer"]);
    // One from elsewhere is not stored yet.
    const foreign = new PlainChat(other, { client }, [
      { id: "elsewhere", role: "user", parts: [{ type: "text", text: "Hello" }] },
    ]);
    await foreign.regenerate();
    await foreign.regenerate();
    assert.deepEqual(await listTexts(), ["Other words", "A note for people", "answer", "Hello", "answer"]);
  });

  test("ends a run that has not ended before it replaces its answer", async () => {
    const other = await addSwarm(client, "Sleeper");
    const chat = new PlainChat(other, { client, cancelOnStop: false });
    const sending = chat.sendMessage({ text: "/sleep 60000" });
    await until(() => typesOf(chat.messages.at(-1)).includes("data-turn"));
    await chat.stop();
    await sending;
    const again = new PlainChat(other, { client }, [
      { id: chat.messages[0]?.id ?? "", role: "user", parts: [{ type: "text", text: "Quickly now" }] },
    ]);
    await again.regenerate();
    assert.deepEqual([again.error, again.messages.at(-1)?.metadata?.status], [undefined, "completed"]);
    const { data: runs } = await client.from("runs").select("status").eq("swarm_id", other).order("id").throwOnError();
    assert.deepEqual(
      runs.map(({ status }) => status),
      ["cancelled", "completed"],
    );
  });

  test("answers again, and reports errors of the service and of agents", async () => {
    const chat = new PlainChat(swarmId, { client });
    await chat.sendMessage({ text: "@Optimist Again." });
    const runId = chat.messages.at(-1)?.metadata?.runId;
    await chat.regenerate();
    assert.equal(chat.messages.length, 2);
    assert.notEqual(chat.messages.at(-1)?.metadata?.runId, runId);
    await chat.sendMessage({ text: "/fail 5xx" });
    assert.match(chat.error?.message ?? "", /overloaded/);
    const nowhere = new PlainChat(crypto.randomUUID(), { client });
    await nowhere.sendMessage({ text: "Anyone?" });
    assert.ok(isFunctionError(nowhere.error, "agent-respond") && nowhere.error.code === "SWARM_NOT_FOUND");
    await nowhere.sendMessage({ parts: [{ type: "file", mediaType: "image/png", url: "data:," }] });
    assert.match(nowhere.error?.message ?? "", /text only/);
  });
});

function typesOf(message: SwarmUIMessage | undefined): string[] {
  return message?.parts.map(({ type }) => type) ?? [];
}
