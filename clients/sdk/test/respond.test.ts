import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { SupabaseClient } from "@supabase/supabase-js";
import {
  attach,
  ConnectionError,
  type Database,
  invokeFunction,
  isFunctionError,
  respond,
  type RunStream,
  type RunStreamEvent,
  submitToolResults,
} from "@swarmbase/sdk";
import { z } from "zod";
import { type CuttingProxy, startCuttingProxy } from "../../../server/test/support/cutting-proxy.ts";
import { addSwarm, startTypedService, type TypedService } from "./support/typed-service.ts";

const QUICK = { initialDelayMs: 1, maxDelayMs: 20, attempts: 200 };
/** The handshake with its certificates is shorter. */
const HANDSHAKE_BYTES = 3_000;

describe("the stream of a run", () => {
  const closers: (() => Promise<void>)[] = [];
  let service: TypedService;
  let proxy: CuttingProxy;
  let client: SupabaseClient<Database>;
  /** Through the proxy. */
  let shaky: SupabaseClient<Database>;
  let swarmId: string;
  let soloId: string;

  before(async () => {
    const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
    service = await startTypedService(cleanup, { SIMULATED_TOKENS_PER_SECOND: "200" });
    proxy = await startCuttingProxy(cleanup, service.port);
    client = await service.signIn(service.port);
    shaky = await service.signIn(proxy.port);
    swarmId = await addSwarm(client, "Optimist", "Sceptic");
    soloId = await addSwarm(client, "Guide");
  });
  after(async () => {
    for (const close of closers) await close();
  });

  test("delivers typed events in order, and the run at the end", async () => {
    const stream = respond(client, { swarm_id: swarmId, message: "Shall we?" });
    assert.equal(stream.runId, null);
    const events = await collect(stream);
    assert.deepEqual(events.map(({ type }) => type).slice(0, 3), ["message.created", "run.started", "turn.started"]);
    assert.equal(events.at(-1)?.type, "done");
    const run = await stream.result();
    assert.deepEqual([run.status, run.run_id], ["completed", stream.runId]);
    assert.deepEqual(
      run.responses.map(({ message }) => message.content),
      [textOf(events, run.responses[0]?.turn_id), textOf(events, run.responses[1]?.turn_id)],
    );
    assert.ok(!("seq" in run));
  });

  test("loses and repeats nothing when connections break at any byte", async (t) => {
    const { opened } = proxy;
    // Stored events come in one piece, which is encrypted as a whole: later connections have to be longer.
    proxy.limitBytes((connection) => HANDSHAKE_BYTES + 797 * (connection - opened));
    t.after(() => proxy.limitBytes(null));
    proxy.cut();
    const changes: boolean[] = [];
    const stream = respond(
      shaky,
      { swarm_id: swarmId, message: "Go on." },
      { reconnect: QUICK, onConnectionChange: (isConnected) => void changes.push(isConnected) },
    );
    const events = await collect(stream);
    const connections = proxy.opened - opened;
    t.diagnostic(`${connections} connections for ${events.length} events`);
    assert.ok(connections > 5, `${connections} connections`);
    assert.ok(changes.filter((isConnected) => isConnected).length > 2);
    assert.deepEqual(events, await collect(attach(client, stream.runId ?? "")));
  });

  test("starts one run when the response to the first call is lost", async () => {
    let lost = 0;
    const lossy = await service.signIn(service.port, (send) => async (input, init) => {
      const response = await send(input, init);
      if (lost > 1 || input instanceof Request || !input.toString().endsWith("/agent-respond")) return response;
      lost += 1;
      await response.body?.cancel();
      throw new TypeError("fetch failed");
    });
    const run = await respond(lossy, { swarm_id: swarmId, message: "Once." }, { reconnect: QUICK }).result();
    assert.equal(lost, 2);
    const { data: messages } = await client.from("messages").select("id").eq("content", "Once.").throwOnError();
    assert.deepEqual(messages, [{ id: run.message?.id }]);
  });

  test("gives up a silent connection, and continues on another one", async () => {
    const reconnect = { ...QUICK, maxSilenceMs: 300 };
    const changes: boolean[] = [];
    const onConnectionChange = (isConnected: boolean): void => {
      changes.push(isConnected);
      if (!isConnected) proxy.silence(false);
    };
    const stream = respond(shaky, { swarm_id: swarmId, message: "Slowly." }, { reconnect, onConnectionChange });
    const events: RunStreamEvent[] = [];
    for await (const event of stream) {
      events.push(event);
      if (event.type === "message.delta" && changes.length === 1) proxy.silence(true);
    }
    assert.ok(changes.includes(false));
    assert.deepEqual(events, await collect(attach(client, stream.runId ?? "")));
  });

  test("fails with the position when the service stays away", async () => {
    const stream = respond(
      shaky,
      { swarm_id: swarmId, message: "Hello?" },
      { reconnect: { ...QUICK, attempts: 3, startAttempts: 0 } },
    );
    const reading = (async () => {
      for await (const event of stream) {
        if (event.type !== "turn.started") continue;
        proxy.limitBytes(() => 0);
        proxy.cut();
      }
    })();
    await assert.rejects(reading, (error) => {
      assert.ok(error instanceof ConnectionError);
      assert.deepEqual([error.runId, error.lastEventId], [stream.runId, stream.lastEventId]);
      return error.lastEventId > 0;
    });
    proxy.limitBytes(null);
    const rest = await collect(attach(client, stream.runId ?? "", { lastEventId: stream.lastEventId }));
    assert.equal(rest[0]?.id, stream.lastEventId + 1);
    assert.equal(rest.at(-1)?.type, "done");
  });

  test("continues where a loop was left, and ends for a reader that has seen everything", async () => {
    const stream = respond(client, { swarm_id: swarmId, message: "In two loops." });
    const events: RunStreamEvent[] = [];
    for await (const event of stream) {
      events.push(event);
      if (event.type === "message.delta") break;
    }
    for await (const event of stream) events.push(event);
    assert.deepEqual(events, await collect(attach(client, stream.runId ?? "")));
    const { lastEventId } = stream;
    const again = attach(client, stream.runId ?? "", { lastEventId, reconnect: QUICK });
    assert.deepEqual(await collect(again), []);
    assert.equal((await again.result()).status, "completed");
  });

  test("ends with the reason of an aborted signal, during a response and before it", async () => {
    const controller = new AbortController();
    const stream = respond(client, { swarm_id: swarmId, message: "Stop!" }, { signal: controller.signal });
    const reading = (async () => {
      for await (const event of stream) if (event.type === "message.delta") controller.abort(new Error("enough"));
    })();
    await assert.rejects(reading, /enough/);
    await assert.rejects(collect(stream), /enough/);
    // The run does not depend on its reader.
    assert.equal((await attach(client, stream.runId ?? "").result()).status, "completed");
    const early = respond(client, { swarm_id: swarmId, message: "Never." }, { signal: AbortSignal.abort() });
    await assert.rejects(collect(early), { name: "AbortError" });
  });

  test("rejects with the typed error of the service, and is read by one loop at a time", async () => {
    const nowhere = respond(client, { swarm_id: crypto.randomUUID(), message: "Anyone?" });
    await assert.rejects(collect(nowhere), (error) => {
      assert.ok(isFunctionError(error, "agent-respond"));
      return error.code === "SWARM_NOT_FOUND" && error.status === 404;
    });
    const stream = respond(client, { swarm_id: swarmId, message: "For two." });
    const first = stream[Symbol.asyncIterator]();
    await first.next();
    await assert.rejects(collect(stream), TypeError);
    await first.return();
    await stream.result();
  });

  test("executes the tools of the call, and submits their results", async () => {
    const inputs: unknown[] = [];
    const stream = respond(client, {
      swarm_id: soloId,
      message: '/tool locate {"precise":true} /tool locate {"precise":false}',
      tools: {
        locate: {
          description: "Returns the position of the user.",
          schema: z.object({ precise: z.boolean() }),
          execute: async ({ precise }) => {
            inputs.push(precise);
            if (precise) throw new Error("no permission");
            return { city: "Delft" };
          },
        },
      },
    });
    const events = await collect(stream);
    assert.deepEqual(new Set(inputs), new Set([false, true]));
    const types = events.map(({ type }) => type).filter((type) => type.startsWith("tool."));
    assert.deepEqual(types.toSorted(), ["tool.client_call", "tool.client_call", "tool.error", "tool.executed"]);
    const run = await stream.result();
    assert.deepEqual([run.status, run.pending_client_calls], ["completed", null]);
    const { data: results } = await client
      .from("tool_executions")
      .select("status, error, tool_execution_payloads(output)")
      .eq("run_id", run.run_id)
      .order("status")
      .throwOnError();
    assert.deepEqual(results, [
      {
        status: "failed",
        error: { code: "CLIENT_TOOL_FAILED", message: "no permission", retryable: false },
        tool_execution_payloads: { output: null },
      },
      { status: "succeeded", error: null, tool_execution_payloads: { output: { city: "Delft" } } },
    ]);
  });

  test("rejects tools and results that are not valid", async () => {
    const schema = { type: "array" };
    const tools = { locate: { description: "", schema, execute: () => null } };
    const invalid = respond(client, { swarm_id: soloId, message: "Hi", tools }).result();
    await assert.rejects(invalid, (error) => {
      assert.ok(isFunctionError(error));
      assert.deepEqual(error.body["details"], { "client_tools.0.input_schema.type": 'must be "object"' });
      return true;
    });
    const waiting = await invokeFunction(client, "agent-respond", {
      swarm_id: soloId,
      message: "/tool locate",
      client_tools: [{ name: "locate", description: "Returns the position of the user." }],
    });
    const [call] = waiting.pending_client_calls ?? [];
    const submit = (...results: Parameters<typeof submitToolResults>[1]["results"]): Promise<unknown> =>
      submitToolResults(client, { run_id: waiting.run_id, results }).then(
        ({ status }) => status,
        (error: unknown) => (isFunctionError(error) ? [error.status, error.code, error.body["details"]] : error),
      );
    const tool_execution_id = call?.tool_execution_id ?? "";
    const detail = (path: string, text: string) => [400, "VALIDATION_ERROR", { [path]: text }];
    const either = detail("results.0", "must have either output or error");
    assert.deepEqual(await submit({ tool_execution_id }), either);
    assert.deepEqual(await submit({ tool_execution_id, output: 1, error: "no" }), either);
    assert.deepEqual(
      await submit({ tool_execution_id: waiting.run_id, output: 1 }),
      detail("results.0.tool_execution_id", "is not a tool execution of this run"),
    );
    assert.equal(typeof (await submit({ tool_execution_id, output: "\ud800\0 here" })), "string");
    const again = await submit({ tool_execution_id, output: null });
    assert.deepEqual(again, [409, "TOOL_RESULT_SUBMITTED", null]);
    assert.equal((await attach(client, waiting.run_id).result()).status, "completed");
  });

  test("can be cancelled, and functions return what their action returns", async () => {
    const stream = respond(client, { swarm_id: swarmId, message: "/sleep 60000" });
    for await (const event of stream) {
      if (event.type !== "turn.started") continue;
      const run = await invokeFunction(client, "agent-respond", { action: "cancel", run_id: event.data.run_id });
      assert.match(run.status, /^(?:running|cancelled)$/);
    }
    assert.equal((await stream.result()).stop_reason, "cancelled");
    const waited = await invokeFunction(client, "agent-respond", { swarm_id: swarmId, message: "Not streamed." });
    assert.equal(waited.status, "completed");
    const { new_secret: secret } = await invokeFunction(client, "request-signing", { action: "regenerate_secret" });
    assert.ok(secret.length > 20);
    const { deleted } = await invokeFunction(client, "request-signing", { action: "delete_secret" });
    assert.equal(deleted, true);
    const invalid = invokeFunction(client, "webhooks", { action: "revoke_previous_secrets", webhook_id: "no id" });
    await assert.rejects(invalid, (error) => {
      assert.ok(isFunctionError(error, "webhooks") && error.code === "VALIDATION_ERROR");
      assert.deepEqual(Object.keys(error.details as object), ["webhook_id"]);
      return true;
    });
  });
});

async function collect(stream: RunStream): Promise<RunStreamEvent[]> {
  const events: RunStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

function textOf(events: readonly RunStreamEvent[], turnId: string | undefined): string {
  return events
    .map((event) => (event.type === "message.delta" && event.data.turn_id === turnId ? event.data.delta : ""))
    .join("");
}
