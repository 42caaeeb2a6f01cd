import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import OpenAI, { APIError } from "openai";
import {
  type ExtendedService,
  startExtendedService,
  type User,
} from "../../../server/test/support/extended-service.ts";

const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.unshift(close) };
let service: ExtendedService;
let ada: User;
let client: OpenAI;
let model: string;

before(async () => {
  service = await startExtendedService(cleanup, { EXTENSIONS: "openai-api", LIMIT_API: "1000", LIMIT_AI: "1000" });
  ada = await service.signUp("ada");
  client = new OpenAI({ apiKey: ada.token, baseURL: `${service.url}/v1`, fetch: service.fetch, maxRetries: 0 });
  const { id } = await ada.insert("agents", { name: "Ann" });
  model = `agent:${id}`;
  const [{ id: tool_id }] = await ada.send("GET", "/rest/v1/tools?name=eq.calculator&select=id");
  await ada.insert("agent_tools", { agent_id: id, tool_id });
});
after(async () => {
  for (const close of closers) await close();
});

const NAMES = ["locate", "greet"];
const parameters = { type: "object", properties: { precise: { type: "boolean" } }, required: ["precise"] };
const tools = NAMES.map((name) => ({ type: "function" as const, function: { name, parameters } }));
const flat = NAMES.map((name) => ({ type: "function" as const, name, parameters, strict: false }));
type Choice = OpenAI.ChatCompletionToolChoiceOption;

/** The names of the functions that the answer calls, and its text. */
async function chat(choice: Choice, content = "Hello"): Promise<readonly [string[], string | null]> {
  const { choices } = await client.chat.completions.create({
    model,
    messages: [{ role: "user", content }],
    tools,
    tool_choice: choice,
  });
  const calls = choices[0]?.message.tool_calls ?? [];
  return [
    calls.map((call) => (call.type === "function" ? call.function.name : "")),
    choices[0]?.message.content ?? null,
  ];
}

async function respond(
  tool_choice: NonNullable<OpenAI.Responses.ResponseCreateParams["tool_choice"]>,
): Promise<string[]> {
  const { output } = await client.responses.create({ model, input: "Hello", tools: flat, tool_choice, stream: false });
  return output.map((item) => (item.type === "function_call" ? item.name : item.type));
}

async function reject(promise: Promise<unknown>): Promise<unknown[]> {
  const error = await promise.then(
    () => assert.fail("the call succeeded"),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof APIError, String(error));
  return [error.status, error.code, error.param];
}

test("tool_choice leaves the choice to the model, or requires a function of the caller", async () => {
  assert.match((await chat("auto"))[1] ?? "", /, 3 tools;/);
  assert.match((await chat("none"))[1] ?? "", /, 1 tool;/);
  assert.deepEqual(await chat("required"), [["locate"], null]);
  // The tool of the agent would satisfy the model, but not the caller.
  const sum = '/tool calculator {"expression":"6*7"}';
  assert.deepEqual((await chat({ type: "function", function: { name: "greet" } }, sum))[0], ["greet"]);
  assert.deepEqual(await respond("required"), ["locate"]);
  assert.deepEqual(await respond({ type: "function", name: "greet" }), ["greet"]);
});

test("after a required call, the agent answers with all its tools", async () => {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: "Hello" }];
  const body = { model, tools, tool_choice: "required" as const };
  const { choices } = await client.chat.completions.create({ ...body, messages });
  const message = choices[0]?.message;
  assert.ok(message);
  const results = (message.tool_calls ?? []).map(({ id }) => ({
    role: "tool" as const,
    tool_call_id: id,
    content: "at home",
  }));
  const second = await client.chat.completions.create({ ...body, messages: [...messages, message, ...results] });
  assert.match(second.choices[0]?.message.content ?? "", /returned: at home \(.*, 3 tools, 1 tool result;/);
});

test("allowed_tools restricts the functions of the caller", async () => {
  const allowed = [{ type: "function", function: { name: "greet" } }];
  const allow = (mode: "auto" | "required"): Choice => ({
    type: "allowed_tools",
    allowed_tools: { mode, tools: allowed },
  });
  assert.match((await chat(allow("auto")))[1] ?? "", /, 2 tools;/);
  assert.deepEqual(await chat(allow("required")), [["greet"], null]);
  const ofResponse = { type: "allowed_tools", mode: "required", tools: [{ type: "function", name: "greet" }] } as const;
  assert.deepEqual(await respond({ ...ofResponse, tools: [...ofResponse.tools] }), ["greet"]);
});

test("a choice of what was not sent is an error", async () => {
  const INVALID = [400, "invalid_value", "tool_choice"];
  assert.deepEqual(await reject(chat({ type: "function", function: { name: "calculator" } })), INVALID);
  assert.deepEqual(await reject(respond({ type: "function", name: "unknown" })), INVALID);
  const body = { model, messages: [{ role: "user" as const, content: "Hello" }] };
  assert.deepEqual(await reject(client.chat.completions.create({ ...body, tool_choice: "required" })), INVALID);
  const lacking = { type: "allowed_tools" as const, allowed_tools: { mode: "auto" as const, tools: [{ name: "x" }] } };
  assert.deepEqual(await reject(chat(lacking)), [400, "invalid_value", "tool_choice.tools"]);
  for (const choice of ["sometimes", { type: "file_search" }, 7, []])
    assert.deepEqual(await reject(chat(choice as Choice)), [400, "unsupported_parameter", "tool_choice"]);
  // The function of the service checks it, too.
  const ask = { agent_id: model.slice("agent:".length), message: "Hello", tool_choice: { name: "locate" } };
  const { details } = await ada.send("POST", "/functions/v1/agent-respond", ask, 400);
  assert.deepEqual(Object.keys(details), ["tool_choice"]);
});
