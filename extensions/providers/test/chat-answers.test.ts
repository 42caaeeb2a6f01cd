import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { ModelError } from "swarmbase/extension";
import { callOf, callsOf, finishOf, listen, openBench } from "../../../server/test/support/providers/models.ts";
import { createStreamPace } from "../../../server/test/support/providers/protocols.ts";
import { hang, openWireServer, say, type WireServer } from "../../../server/test/support/providers/wire-server.ts";
import { until } from "../../../server/test/support/until.ts";
import { PlainText } from "../src/plain-text.ts";
import { createProviderFetch } from "../src/provider-fetch.ts";

const frameOf = (delta: unknown, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const BEGIN = frameOf({ role: "assistant", content: "" });
const HELLO = frameOf({ content: "Grüße " });
const BEE = frameOf({ content: "an 🐝" });
const STOP = frameOf({}, "stop");
const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 7 } })}\n\n`;
const DONE = "data: [DONE]\n\n";
const fn = (name: string | undefined, text: string) => ({ function: { name, arguments: text } });
const CALL = [
  frameOf({ tool_calls: [{ index: 0, id: "call_1", type: "function", ...fn("search", '{"q":') }] }),
  frameOf({ tool_calls: [{ index: 0, ...fn(undefined, '"bees"}') }] }),
  frameOf({}, "tool_calls"),
];
const FAULT = `data: ${JSON.stringify({ error: { message: "overloaded", type: "server_error", code: null } })}\n\n`;

interface Case {
  readonly name: string;
  readonly frames: readonly string[];
  readonly text: string;
  /** The finish and its output tokens, or the code of the error. */
  readonly finish: readonly [string, number] | string;
  readonly inputs?: readonly string[];
  /** The part of the answer that the vendor's package gets; null means nothing. */
  readonly left: readonly string[] | null;
}

const TEXT = "Grüße an 🐝";
const CASES: readonly Case[] = [
  { name: "only text", frames: [BEGIN, HELLO, BEE, STOP, DONE], text: TEXT, finish: ["stop", 0], left: null },
  {
    name: "a usage frame at the end",
    frames: [BEGIN, HELLO, BEE, STOP, USAGE, DONE],
    text: TEXT,
    finish: ["stop", 7],
    left: null,
  },
  {
    name: "text, then a tool call",
    frames: [BEGIN, HELLO, ...CALL, USAGE, DONE],
    text: "Grüße ",
    finish: ["tool_calls", 7],
    inputs: ['{"q":"bees"}'],
    left: [BEGIN, ...CALL, USAGE, DONE],
  },
  {
    name: "a tool call first",
    frames: [...CALL, USAGE, DONE],
    text: "",
    finish: ["tool_calls", 7],
    inputs: ['{"q":"bees"}'],
    left: [...CALL, USAGE, DONE],
  },
  {
    name: "an error frame in the middle",
    frames: [BEGIN, HELLO, FAULT, BEE, STOP, DONE],
    text: "Grüße ",
    finish: "PROVIDER_OVERLOADED",
    left: [BEGIN, FAULT, BEE, STOP, DONE],
  },
  {
    name: "lines that end with CRLF",
    frames: [BEGIN, HELLO, BEE, STOP, USAGE, DONE].map((frame) => frame.replaceAll("\n", "\r\n")),
    text: TEXT,
    finish: ["stop", 7],
    left: null,
  },
  { name: "an early end", frames: [BEGIN, HELLO], text: "Grüße ", finish: "PROVIDER_ERROR", left: [BEGIN] },
];

describe("answers in OpenAI's format", () => {
  let provider: WireServer;
  before(async () => {
    provider = await openWireServer();
  });
  after(() => provider.close());

  for (const kind of ["openai", "openai-compatible"] as const)
    for (const { name, frames, text, finish, inputs = [] } of CASES)
      it(`${kind}: reads ${name}, with and without the vendor's package`, async () => {
        const { models } = openBench(kind, provider.url);
        const bytes = Buffer.from(frames.join(""));
        // The package parses the first answer, because its warnings are not known yet. Then come chunks of one byte.
        for (const cuts of [[], [], Array.from(bytes.keys())]) {
          provider.answer(say(frames, cuts));
          const heard = await listen(models, callOf());
          const end = finishOf(heard);
          assert.equal(heard.text, text);
          if (typeof finish === "string") {
            assert.ok(heard.error instanceof ModelError);
            assert.equal(heard.error.code, finish);
            continue;
          }
          assert.equal(heard.error, null);
          assert.deepEqual(
            callsOf(heard).map(({ inputText }) => inputText),
            inputs,
          );
          assert.equal(end?.reason, finish[0]);
          if (finish[1] > 0) assert.equal(end?.usage.outputTokens, finish[1]);
        }
      });

  it("a call that is cancelled while it waits ends, and so does its request", async () => {
    const { models } = openBench("openai", provider.url);
    provider.answer(say([BEGIN, HELLO, STOP, DONE]), hang([BEGIN, HELLO]), hang([BEGIN]));
    await listen(models, callOf());
    for (const requests of [2, 3]) {
      const caller = new AbortController();
      const listening = listen(models, callOf({ signal: caller.signal }), () => caller.abort());
      // The first is cancelled when its text has come; the second gets none.
      await until(() => provider.asked.length === requests);
      if (requests === 3) caller.abort();
      assert.ok((await listening).error !== null);
      await provider.asked.at(-1)?.closed;
    }
  });
});

describe("the fetch of the vendor's package", () => {
  for (const { name, frames, text, left } of CASES)
    it(`settles for ${name}, with ${left === null ? "nothing" : "the rest"} for the package`, async () => {
      const plain = new PlainText({ readsEnd: true });
      const { signal } = new AbortController();
      const watchers = new WeakMap([[signal, { text: plain, onBytes: () => {} }]]);
      const fetch = createProviderFetch(async () => new Response(frames.join("")), {
        hasKey: true,
        watchers,
        pace: createStreamPace(),
      });
      const fetched = fetch("https://provider.test", { signal });
      if (left === null) await assert.rejects(fetched);
      else assert.equal(await (await fetched).text(), left.join(""));
      let read = "";
      for (let deltas = await plain.next(); deltas !== null; deltas = await plain.next())
        read += deltas.map(({ delta }) => delta).join("");
      assert.equal(read, text);
      assert.equal(plain.end !== null, left === null);
    });
});
