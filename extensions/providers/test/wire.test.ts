import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { ModelError } from "swarmbase/extension";
import {
  callOf,
  callsOf,
  finishOf,
  KEY,
  KINDS,
  listen,
  MODEL_OF,
  openBench,
  replaceProviders,
} from "../../../server/test/support/providers/models.ts";
import { WIRE, WIRE_TRAITS } from "../../../server/test/support/providers/wire.ts";
import {
  cut,
  failWith,
  hang,
  openWireServer,
  say,
  STREAM,
  type WireServer,
} from "../../../server/test/support/providers/wire-server.ts";

const TOOL = {
  name: "look",
  description: "Looks",
  inputSchema: { type: "object", properties: { at: { type: "string" } } },
};
const TIMES = { PROVIDER_FIRST_BYTE_TIMEOUT_MS: "60" };
/** Long enough that at least one of ten pings within it is on time. */
const IDLE_MS = 800;
const SHORT = { tools: [TOOL] };
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

let server: WireServer;
before(async () => {
  server = await openWireServer();
});
after(() => server.close());

for (const kind of KINDS) {
  describe(`${kind}, over the wire`, () => {
    const wire = WIRE[kind];
    const traits = WIRE_TRAITS[kind];

    it("reads text and usage for any chunking of the bytes", async () => {
      const { models } = openBench(kind, server.url);
      const texts = ["Grüße", " ", "an 🐝 alle", "\n\ndata: x"];
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat(2000), { maxLength: 40 }), async (cuts) => {
          server.answer(say(wire({ texts }), cuts));
          const heard = await listen(models, callOf());
          assert.equal(heard.error, null);
          assert.deepEqual(heard.events[0], {
            type: "start",
            framework: "provider_a",
            model: MODEL_OF[kind],
            attempt: 1,
          });
          assert.equal(heard.text, texts.join(""));
          const finish = finishOf(heard);
          assert.equal(finish?.reason, "stop");
          const { reasoningTokens, ...usage } = finish.usage;
          assert.deepEqual(usage, { inputTokens: 12, cachedInputTokens: 4, outputTokens: 7, isEstimated: false });
          assert.equal(reasoningTokens, traits.reasoningTokens);
        }),
        { numRuns: 8, examples: [[Array.from({ length: 2000 }, (_, index) => index)]] },
      );
      assert.ok(JSON.stringify(server.asked[0]?.headers).includes(KEY));
    });

    it("reads tool calls with and without arguments, and sends their results back", async () => {
      const { models } = openBench(kind, server.url);
      const calls = [
        { id: "c1", name: "look", input: { at: "the ☂ sky" } },
        { id: "c2", name: "look", input: null },
      ];
      server.answer(say(wire({ texts: ["Looking."], calls }), [101, 202, 303, 404]));
      const heard = await listen(models, callOf(SHORT));
      assert.equal(heard.error, null);
      assert.equal(finishOf(heard)?.reason, "tool_calls");
      const made = callsOf(heard);
      assert.deepEqual(
        made.map(({ name, inputText }) => [name, JSON.parse(inputText)]),
        [
          ["look", { at: "the ☂ sky" }],
          ["look", {}],
        ],
      );
      assert.equal(new Set(made.map(({ id }) => id)).size, 2);

      server.answer(say(wire({ texts: ["Blue."] })));
      const results = made.map(({ id }, index) => ({
        role: "tool" as const,
        toolCallId: id,
        toolName: "look",
        output: `seen ${index}`,
        isError: index === 1,
      }));
      const { messages } = callOf();
      const answered = [...messages, { role: "assistant" as const, content: "Looking.", toolCalls: made }, ...results];
      const next = await listen(models, callOf({ ...SHORT, messages: answered, toolChoice: "none" }));
      assert.equal(next.text, "Blue.");
      const sent = JSON.stringify(server.asked[0]?.body);
      for (const part of ["the ☂ sky", "seen 0", "seen 1"]) assert.ok(sent.includes(part), part);
      if (traits.signature !== null) assert.ok(sent.includes(traits.signature));
    });

    it("sends the images of tool results to models that accept them, and names them to others", async () => {
      const { models } = openBench(kind, server.url);
      const images = [{ mediaType: "image/png", data: PIXEL }];
      const result = { role: "tool" as const, toolName: "look", isError: false };
      const messages = [
        ...callOf().messages,
        {
          role: "assistant" as const,
          content: "",
          toolCalls: ["c1", "c2"].map((id) => ({ id, name: "look", inputText: "{}" })),
        },
        { ...result, toolCallId: "c1", output: "[image 1]", images },
        { ...result, toolCallId: "c2", output: "nothing" },
      ];
      for (const isAccepted of [true, false]) {
        const model = { id: MODEL_OF[kind], supports: { images: isAccepted } };
        const file = { provider_a: { kind, base_url: server.url, models: [model] } };
        replaceProviders(models, file);
        server.answer(say(wire({ texts: ["A pixel."] })));
        const heard = await listen(models, callOf({ ...SHORT, messages }));
        assert.deepEqual([heard.text, heard.error], ["A pixel.", null]);
        const sent = JSON.stringify(server.asked[0]?.body);
        assert.equal(sent.includes(PIXEL), isAccepted);
        assert.equal(sent.includes("does not accept images"), !isAccepted);
        assert.ok(sent.indexOf("[image 1]") > 0 && sent.indexOf("nothing") > 0);
        // Providers reject anything between the results of one step.
        const isInResult = kind === "anthropic" || kind === "openai-responses";
        if (isAccepted) assert.equal(sent.indexOf(PIXEL) < sent.indexOf("nothing"), isInResult);
      }
    });

    it("sends the images of a user after the message that names them, to models that accept them", async () => {
      const { models } = openBench(kind, server.url);
      const images = [{ name: "image 1", mediaType: "image/png", data: PIXEL }];
      const messages = [{ role: "user" as const, content: "What is this?", images }];
      for (const isAccepted of [true, false]) {
        const model = { id: MODEL_OF[kind], supports: { images: isAccepted } };
        replaceProviders(models, { provider_a: { kind, base_url: server.url, models: [model] } });
        server.answer(say(wire({ texts: ["A pixel."] })));
        const heard = await listen(models, callOf({ ...SHORT, messages }));
        assert.deepEqual([heard.text, heard.error], ["A pixel.", null]);
        const sent = JSON.stringify(server.asked[0]?.body);
        assert.deepEqual([sent.includes(PIXEL), sent.includes("[image 1]")], [isAccepted, isAccepted]);
        assert.equal(sent.includes("does not accept images"), !isAccepted);
        if (isAccepted) assert.ok(sent.indexOf("What is this?") < sent.indexOf(PIXEL));
      }
    });

    it("leaves out tool calls of earlier turns where the model gets no tools, and no other text", async () => {
      const { models } = openBench(kind, server.url);
      const past = { executionId: "e1" };
      const messages = [
        ...callOf().messages,
        {
          role: "assistant" as const,
          content: "First.",
          toolCalls: [{ id: "c1", name: "look", inputText: "{}", ...past }],
        },
        { role: "tool" as const, toolCallId: "c1", toolName: "look", output: "seen", isError: false, ...past },
        { role: "assistant" as const, content: "Second." },
        { role: "user" as const, content: "note\n\nHi\n\nthere", starts: [6, 10], names: ["Ann", "Ben"] },
      ];
      for (const tools of [[TOOL], []]) {
        server.answer(say(wire({ texts: ["Yes."] })));
        const heard = await listen(models, callOf({ tools, messages }));
        assert.deepEqual([heard.text, heard.error], ["Yes.", null]);
        const sent = JSON.stringify(server.asked[0]?.body);
        assert.equal(sent.includes("seen"), tools.length > 0);
        for (const text of ["First.", "Second.", "note", "Hi", "there"]) assert.ok(sent.includes(text), text);
      }
    });

    it("reads a declined answer, a truncated one, and one without usage", async () => {
      const { models } = openBench(kind, server.url);
      server.answer(say(wire({ end: "refusal", texts: traits.isRefusalText ? ["I cannot."] : [] })));
      const declined = await listen(models, callOf());
      if (traits.isRefusalText) assert.equal(finishOf(declined)?.reason, "content_filter");
      else assert.equal((declined.error as ModelError).code, "CONTENT_FILTERED");

      server.answer(say(wire({ texts: ["one two"], end: "length", hasUsage: false })));
      const finish = finishOf(await listen(models, callOf()));
      assert.equal(finish?.reason, "length");
      if (traits.canOmitUsage) assert.deepEqual([finish.usage.outputTokens, finish.usage.isEstimated], [2, true]);
    });

    it("retries an answer that breaks off before its first text, and no other", async () => {
      const { models, slept } = openBench(kind, server.url);
      const whole = say(wire({ texts: ["fine"] }));
      const frames = wire({ texts: ["first", "second"] });
      const begun = frames.slice(0, frames.findIndex((frame) => frame.includes("first")) + 1);
      const calls = wire({ calls: [{ id: "c", name: "look", input: { at: "everywhere" } }] });
      const half = calls.slice(0, calls.findIndex((frame) => frame.includes('"look"')) + 1);
      const early = [cut([]), failWith(503, {}), say(["data: {nonsense\n\n"]), cut(half), say(half)];
      for (const broken of early) {
        server.answer(broken, whole);
        const heard = await listen(models, callOf(SHORT));
        assert.equal(heard.error, null);
        assert.deepEqual([heard.text, callsOf(heard).length, server.asked.length], ["fine", 0, 2]);
        const attempts = heard.events.flatMap((event) => (event.type === "start" ? [event.attempt] : []));
        assert.equal(attempts.at(-1), 2);
      }
      assert.deepEqual(
        slept,
        early.map(() => 125),
      );

      const read = Promise.withResolvers<void>();
      for (const broken of [cut(begun, read.promise), say([...begun, "data: {nonsense\n\n"]), say(begun)]) {
        server.answer(broken, whole);
        const heard = await listen(models, callOf(), ({ type }) => type === "text" && read.resolve());
        assert.equal(heard.text, "first");
        assert.ok(heard.error instanceof ModelError);
        assert.deepEqual([heard.error.code, heard.error.attempts, server.asked.length], ["PROVIDER_ERROR", 1, 1]);
      }
    });

    it("a timeout and an abort end the call and close the connection", async () => {
      const frames = WIRE[kind]({ texts: ["first", "second"] });
      const begun = frames.slice(0, frames.findIndex((frame) => frame.includes("first")) + 1);
      for (const [answer, env, said] of [
        [hang(null), TIMES, ""],
        // Only the case that must time out has a short timeout: the first text must arrive even on a busy machine.
        [hang(begun), { PROVIDER_IDLE_TIMEOUT_MS: "300" }, "first"],
        [hang(begun), { PROVIDER_TOTAL_TIMEOUT_MS: "1000" }, "first"],
      ] as const) {
        const { models } = openBench(kind, server.url, env);
        server.answer(answer);
        const heard = await listen(models, callOf());
        assert.ok(heard.error instanceof ModelError);
        // Not the requests that the server has seen: on a busy machine the first may end before it arrives.
        assert.deepEqual([heard.text, heard.error.code, heard.error.attempts], [said, "PROVIDER_TIMEOUT", 1]);
        await server.asked[0]?.closed;
      }

      const { models } = openBench(kind, server.url);
      server.answer(hang(begun));
      const aborting = new AbortController();
      const stream = models.stream(callOf({ signal: aborting.signal }))[Symbol.asyncIterator]();
      while ((await stream.next()).value?.type !== "text");
      const next = stream.next();
      const reason = new Error("enough");
      const isFirst = Promise.race([next.catch((error: unknown) => error), new Promise(setImmediate)]);
      aborting.abort(reason);
      assert.equal(await isFirst, reason);
      await server.asked[0]?.closed;

      server.answer(hang(begun));
      for await (const event of models.stream(callOf())) if (event.type === "text") break;
      await server.asked[0]?.closed;
    });

    it("bytes without text restart the idle timer, before and after the first text", async () => {
      const frames = WIRE[kind]({ texts: ["first", "second"] });
      const { models } = openBench(kind, server.url, { PROVIDER_IDLE_TIMEOUT_MS: String(IDLE_MS) });
      server.answer(async (response) => {
        response.writeHead(200, STREAM);
        for (const frame of frames) {
          if (/"(first|second)"/.test(frame))
            for (
              const untilMs = performance.now() + IDLE_MS * 1.1;
              performance.now() < untilMs;
              await sleep(IDLE_MS / 20)
            )
              response.write(": ping\n\n");
          response.write(frame);
        }
        response.end();
      });
      const { text, error } = await listen(models, callOf());
      assert.deepEqual([text, error], ["firstsecond", null]);
    });
  });
}
