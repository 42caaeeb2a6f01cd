import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExtensionRequest, ExtensionResponse, Query } from "swarmbase/extension";
import { CALLBACK_ROUTE, hashOf } from "../src/oauth/callback-route.ts";
import type { McpContext } from "../src/settings.ts";

test("the callback sends the browser on to the app with the answer in the fragment, and only for a known state", async () => {
  const asked: unknown[] = [];
  const returns = new Map([
    [hashOf("known").toString("hex"), "https://app.example.com/tools?tab=1"],
    [hashOf("bare").toString("hex"), null],
  ]);
  const query = (async (_text: string, [hash]: readonly Buffer[]) => {
    asked.push(hash);
    const redirect_to = returns.get(hash?.toString("hex") ?? "");
    return redirect_to === undefined ? [] : [{ redirect_to }];
  }) as unknown as Query;
  const context = { database: { asService: (work: (query: Query) => unknown) => work(query) } };
  const request = async (search: string): Promise<ExtensionResponse> =>
    CALLBACK_ROUTE.handler({ search } as ExtensionRequest, context as unknown as McpContext);

  const known = await request("?state=known&code=a%26b%23c&iss=https%3A%2F%2Fas.example.com&other=1");
  assert.deepEqual(known, {
    status: 303,
    headers: {
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      location: "https://app.example.com/tools?tab=1#code=a%26b%23c&state=known&iss=https%3A%2F%2Fas.example.com",
    },
  });
  const declined = await request("?state=known&error=access_denied");
  assert.match(declined.headers?.["location"] ?? "", /#state=known&error=access_denied$/);

  const bare = await request("?state=bare&code=%3Cscript%3E");
  assert.equal(bare.headers?.["content-type"], "text/plain; charset=utf-8");
  assert.match(String(bare.body), /code: <script>\nstate: bare/);

  for (const search of ["?state=unknown&code=1", "?code=1", "?state=known&state=known", `?state=${"x".repeat(5_000)}`])
    await assert.rejects(request(search), { code: "VALIDATION_ERROR" }, search.slice(0, 40));
  assert.deepEqual(asked.slice(-4), ["unknown", "", "", ""].map(hashOf));
});
