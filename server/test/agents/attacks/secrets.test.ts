import assert from "node:assert/strict";
import { test } from "node:test";
import { startReceiver } from "../../support/receiver.ts";
import { assignedTool, callContext } from "../../support/assigned-tool.ts";
import { openToolsForTest, wrapped } from "../../support/open-tools-for-test.ts";

test("a truncated response that echoes a secret reveals no part of it", async (t) => {
  const token = Array.from({ length: 60 }, (_, at) => `part${at}`).join("-");
  const tools = openToolsForTest(t);
  const receiver = await startReceiver(t, ({ url, headers }, response) => {
    const [, status = "200", before = "0"] = (url ?? "").split("/");
    response.statusCode = Number(status);
    response.end(`${" ".repeat(Number(before))}${`${headers.authorization} `.repeat(20)}`);
  });
  for (const status of [200, 500]) {
    for (const maxOutputChars of [40, 100, 200]) {
      // Each limit truncates the response at another offset within the secret.
      for (let before = 0; before < 400; before += 37) {
        const id = assignedTool().id;
        const tool = assignedTool({
          config: {
            url: `https://hooks.example.com:${receiver.port}/${status}/${before}`,
            auth: { type: "bearer", secret: "token" },
          },
          configuration: { max_output_chars: maxOutputChars },
          secrets_wrapped: wrapped(id, { token }),
        });
        const outcome = await tools.run(tool, {}, callContext());
        assert.ok("text" in outcome);
        assert.doesNotMatch(JSON.stringify(outcome), /part\d/, `${status}, ${maxOutputChars}, ${before}`);
      }
    }
  }
});
