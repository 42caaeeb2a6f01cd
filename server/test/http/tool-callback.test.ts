import assert from "node:assert/strict";
import { test } from "node:test";
import { TOOL_CALLBACK_PATH, toolCallbackRoutes } from "../../src/http/index.ts";
import { startServer } from "./support/test-server.ts";

test("the callback sends the browser on to the app with the answer in the fragment, and only for a known state", async (t) => {
  const asked: string[] = [];
  const returns = new Map<string, { readonly redirectTo: string | null }>([
    ["known", { redirectTo: "https://app.example.com/tools?tab=1" }],
    ["bare", { redirectTo: null }],
  ]);
  const routes = toolCallbackRoutes({
    findReturn: async (state) => (asked.push(state), returns.get(state) ?? null),
  });
  const { request } = await startServer(t, { routes });
  const path = (query: string): string => `${TOOL_CALLBACK_PATH}?${query}`;

  const known = await request(path("state=known&code=a%26b%23c&iss=https%3A%2F%2Fas.example.com&other=1"));
  assert.equal(known.status, 303);
  assert.equal(
    known.headers.location,
    "https://app.example.com/tools?tab=1#code=a%26b%23c&state=known&iss=https%3A%2F%2Fas.example.com",
  );
  assert.deepEqual([known.headers["cache-control"], known.headers["referrer-policy"]], ["no-store", "no-referrer"]);
  const declined = await request(path("state=known&error=access_denied"));
  assert.match(String(declined.headers.location), /#state=known&error=access_denied$/);

  const bare = await request(path("state=bare&code=%3Cscript%3E"));
  assert.deepEqual([bare.status, bare.headers["content-type"]], [200, "text/plain; charset=utf-8"]);
  assert.match(bare.text, /code: <script>\nstate: bare/);

  for (const query of ["state=unknown&code=1", "code=1", "state=a&state=known"]) {
    const rejected = await request(path(query));
    assert.deepEqual([rejected.status, rejected.json["code"]], [400, "VALIDATION_ERROR"], query);
  }
  assert.deepEqual(asked.slice(-3), ["unknown", "", ""]);
});
