import assert from "node:assert/strict";
import { test } from "node:test";
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";
import { type ToolOutcome, assignedTool, callContext } from "../../../server/test/support/tool-stage.ts";
import { listen } from "../../../server/test/support/listen.ts";
import { modernServer, sessionServer } from "./support/mcp-server.ts";
import { openToolsForTest } from "./support/open-tools.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const JPEG = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 0]).toString("base64");

type Content = CallToolResult["content"];

/** A server whose tools return the given content. */
function createServerOf(contents: Readonly<Record<string, Content>>): McpServer {
  const server = new McpServer({ name: "content", version: "1.0.0" });
  for (const [name, content] of Object.entries(contents))
    server.registerTool(name, { description: name, inputSchema: z.object({}) }, async () => ({ content }));
  return server;
}

const CONTENTS: Readonly<Record<string, Content>> = {
  mixed: [
    { type: "text", text: "Here." },
    { type: "image", data: PNG, mimeType: "image/png" },
    { type: "audio", data: "AAAA", mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "file:///notes.md", mimeType: "text/markdown", text: "# Notes" } },
    { type: "resource", resource: { uri: "file:///photo", mimeType: "image/jpeg", blob: JPEG } },
    { type: "resource", resource: { uri: "file:///report.pdf", mimeType: "application/pdf", blob: "AAAA" } },
    {
      type: "resource_link",
      uri: "https://example.com/a",
      name: "a",
      mimeType: "text/html",
      description: "First line\n[second]",
    },
  ],
  // The declared type is wrong, and the other content is no image at all.
  mislabelled: [
    { type: "image", data: PNG, mimeType: "image/jpeg" },
    { type: "image", data: Buffer.from("<svg/>").toString("base64"), mimeType: "image/png" },
  ],
  many: Array.from({ length: 12 }, () => ({ type: "image" as const, data: PNG, mimeType: "image/png" })),
  // Each is within the limit of an image, but not both together.
  large: [3_200_000, 3_000_000].map((size) => ({
    type: "image" as const,
    data: PNG.replaceAll("=", "A").padEnd(size, "A"),
    mimeType: "image/png",
  })),
  tooLarge: [{ type: "image", data: PNG.replaceAll("=", "A").padEnd(5_000_004, "A"), mimeType: "image/png" }],
};

test("images, resources and links of a result reach the model, within limits, and only text is stored", async (t) => {
  for (const serve of [modernServer, sessionServer]) {
    const port = await listen(
      t,
      serve(() => createServerOf(CONTENTS)),
    );
    const tools = openToolsForTest(t);
    const call = async (name: string): Promise<Extract<ToolOutcome, { status: "succeeded" }>> => {
      const config = { url: `https://127.0.0.1:${port}/mcp`, remote_name: name };
      const outcome = await tools.run(assignedTool({ kind: "mcp", config }), {}, callContext());
      assert.ok(outcome.status === "succeeded", JSON.stringify(outcome));
      assert.equal(outcome.output, outcome.text);
      assert.ok(outcome.text.length < 1_000, "no base64 in the stored output");
      return outcome;
    };
    const mixed = await call("mixed");
    assert.equal(
      mixed.text,
      [
        "Here.",
        "[image 1, image/png, 70 bytes]",
        "[audio audio/wav, 3 bytes, not shown]",
        "[resource file:///notes.md]\n# Notes",
        "[resource file:///photo] [image 2, image/jpeg, 6 bytes]",
        "[resource file:///report.pdf, application/pdf, 3 bytes, not shown]",
        "[link a, text/html, https://example.com/a, First line [second]]",
      ].join("\n"),
    );
    assert.deepEqual(mixed.images, [
      { mediaType: "image/png", data: PNG },
      { mediaType: "image/jpeg", data: JPEG },
    ]);
    const mislabelled = await call("mislabelled");
    assert.deepEqual(mislabelled.images, [{ mediaType: "image/png", data: PNG }]);
    assert.match(mislabelled.text, /\[image image\/png, 6 bytes, not shown\]$/);
    assert.equal((await call("many")).images?.length, 8);
    assert.equal((await call("large")).images?.length, 1);
    assert.equal((await call("tooLarge")).images, undefined);
  }
});
