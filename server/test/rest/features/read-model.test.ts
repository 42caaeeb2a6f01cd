import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { answerOf } from "./read-model.ts";
import { anyNode } from "./read-model-node.ts";
import { targetOf } from "./read-model-url.ts";
import { MODEL_SQL } from "./read-model-world.ts";
import { openRestStage } from "./rest-stage.ts";

const opened = openRestStage(MODEL_SQL, { schemas: ["model"] });

describe("reads", () => {
  it("return the rows of the model for any combination of parameters", async () => {
    await fc.assert(
      fc.asyncProperty(anyNode, async (node) => {
        const target = targetOf(node);
        const { status, json, text } = await opened.stage.ask(`GET ${target}`);
        assert.equal(status, 200, `${decodeURIComponent(target)}: ${text}`);
        assert.deepEqual(json, answerOf(node), decodeURIComponent(target));
      }),
      { numRuns: 150 },
    );
  });

  it("return the counts of the model for any combination of parameters", async () => {
    await fc.assert(
      fc.asyncProperty(anyNode, async (node) => {
        const { headers, text } = await opened.stage.ask(`HEAD ${targetOf({ ...node, offset: null })}`, {
          headers: { prefer: "count=exact" },
        });
        const total = answerOf({ ...node, limit: null, offset: null }).length;
        assert.equal(headers["content-range"]?.split("/")[1], String(total), text);
      }),
      { numRuns: 50 },
    );
  });
});
