import assert from "node:assert/strict";
import { test } from "node:test";
import type { Extension, ExtensionContext, OpenedToolKind, ToolAnswer } from "../../src/extensions/port.ts";
import { AppError, ToolFailure } from "../../src/extensions/port.ts";
import { assignedTool, callContext } from "../support/assigned-tool.ts";
import { openToolsForTest } from "../support/open-tools-for-test.ts";

const PNG = { mediaType: "image/png", data: "iVBORw0KGgo=" };

function extensionOf(toolKinds: NonNullable<Extension["toolKinds"]>): Extension {
  return { name: "notes", summary: "for this test", docs: new URL(import.meta.url), toolKinds };
}

const kindOf = (parts: Partial<OpenedToolKind>): OpenedToolKind => ({
  findConfigFaults: () => [],
  run: async () => "",
  ...parts,
});

test("a kind with state is opened once, and closed with the service", async (t) => {
  const events: string[] = [];
  const open = ({ now }: ExtensionContext): OpenedToolKind => {
    events.push(`opened ${now().getUTCFullYear()}`);
    let calls = 0;
    return kindOf({ run: async () => `call ${(calls += 1)}`, close: async () => void events.push("closed") });
  };
  const tools = openToolsForTest(t, { extension: extensionOf([{ name: "count", open }]) });
  const texts = [];
  for (const _ of [1, 2]) {
    const outcome = await tools.run(assignedTool({ kind: "notes.count" }), {}, callContext());
    texts.push(outcome.status === "succeeded" && outcome.text);
  }
  assert.deepEqual(texts, ["call 1", "call 2"]);
  assert.deepEqual(events, ["opened 2026"]);
  await tools.close();
  assert.deepEqual(events, ["opened 2026", "closed"]);
});

test("a call returns images and questions, and fails with the error of its kind", async (t) => {
  const answers: Record<string, () => string | ToolAnswer> = {
    image: () => ({ text: "[image]", isCut: false, attempts: 2, images: [PNG] }),
    ask: () => {
      const questions = [{ id: "a", message: "Which?", schema: { type: "object" } }];
      return { text: "", isCut: false, attempts: 1, asking: { questions, state: "s", held: { id: "1" } } };
    },
    refuse: () => {
      throw new ToolFailure("TOOL_REMOTE_ERROR", "It refused.", { attempts: 3, text: "no" });
    },
    reject: () => {
      throw new AppError("VALIDATION_ERROR", "It is not valid.");
    },
    break: () => {
      throw new Error("a detail that no model may see");
    },
  };
  const extension = extensionOf([
    {
      name: "call",
      findConfigFaults: ({ name }) =>
        name === undefined ? [{ path: "name", message: "is missing" }] : [{ path: "url", message: "x", isUrl: true }],
      run: async ({ config }) => answers[String(config["name"])]?.() ?? "",
    },
  ]);
  const tools = openToolsForTest(t, { extension });
  const call = async (config: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const outcome = await tools.runAsking(assignedTool({ kind: "notes.call", config }), {}, callContext());
    const { durationMs: _, ...parts } = { durationMs: 0, ...outcome };
    return parts;
  };
  const image = await call({ name: "image" });
  assert.deepEqual([image["text"], image["attempts"], image["images"]], ["[image]", 2, [PNG]]);
  const asking = await call({ name: "ask" });
  assert.deepEqual([asking["status"], asking["state"], asking["held"]], ["asking", "s", { id: "1" }]);
  const failures = { refuse: "TOOL_REMOTE_ERROR", reject: "TOOL_FAILED", break: "TOOL_FAILED" };
  for (const [name, code] of Object.entries(failures)) {
    const failed = await call({ name });
    assert.equal((failed["error"] as { code: string }).code, code);
    assert.doesNotMatch(JSON.stringify(failed), /no model may see/);
  }
  // The address is checked with each connection, everything else with each call.
  assert.equal(((await call({}))["error"] as { code: string }).code, "TOOL_UNUSABLE");
});

test("kinds that are not complete, and two that have servers, stop the start", (t) => {
  const openWith = (...kinds: unknown[]) =>
    openToolsForTest(t, {
      extension: extensionOf(kinds.map((kind, at) => ({ name: `k${at}`, open: () => kind as OpenedToolKind }))),
    });
  assert.throws(() => openWith({}), {
    message: /open of the tool kind notes\.k0 must return run and findConfigFaults/,
  });
  const withServers = kindOf({ servers: {} as NonNullable<OpenedToolKind["servers"]> });
  assert.throws(() => openWith(withServers, withServers), { message: /claimed by notes\.k0 and notes\.k1/ });
});

test("a sealed value opens under its own label only", (t) => {
  let context: ExtensionContext | null = null;
  const open = (given: ExtensionContext): OpenedToolKind => {
    context = given;
    return kindOf({});
  };
  openToolsForTest(t, { extension: extensionOf([{ name: "seal", open }]) });
  assert.ok(context !== null);
  const { seal, unseal, newId } = context as ExtensionContext;
  const sealed = seal("row:1", "a secret");
  assert.equal(sealed.includes("a secret"), false);
  assert.equal(unseal("row:1", sealed), "a secret");
  assert.throws(() => unseal("row:2", sealed));
  assert.match(newId(), /^[0-9a-f-]{36}$/);
});
