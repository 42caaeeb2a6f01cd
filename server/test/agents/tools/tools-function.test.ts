import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ToolModule } from "../../../src/agents/tools/open-tools.ts";
import { createTools } from "../../../src/functions/tools.ts";
import type { Principal } from "../../../src/db/index.ts";

const ADA = "019a8000-0000-7000-8000-0000000000a1";
const TOOL = "019a8000-0000-7000-8000-0000000000a2";
const URL_TEXT = "https://mcp.example.com/";
const user: Principal = { role: "authenticated", userId: ADA, claims: {}, session: null };
const service: Principal = { role: "service_role", userId: null, claims: {}, session: null };

function call(body: unknown, principal: Principal, tools: Partial<ToolModule> = {}) {
  return createTools(tools as ToolModule).run({ body, headers: {}, principal } as never);
}

describe("the body of the tools function", () => {
  it("is rejected with a reason for each field", async () => {
    const cases: [unknown, Principal, string][] = [
      [{ action: "delete" }, user, "action"],
      [{ action: "list" }, user, "url"],
      [{ action: "list", url: URL_TEXT, tool_id: TOOL }, user, "url"],
      [{ action: "list", url: URL_TEXT, secrets: { a: "b\n" } }, user, "secrets.a"],
      [{ action: "list", url: URL_TEXT, auth: { type: "magic" } }, user, "auth.type"],
      [{ action: "import", url: URL_TEXT, names: [] }, user, "names"],
      [{ action: "import", url: URL_TEXT, names: ["a"] }, service, "visibility"],
      [{ action: "authorize" }, user, "url"],
      [{ action: "authorize", url: URL_TEXT, tool_execution_id: TOOL }, user, "url"],
      [{ action: "authorize", url: URL_TEXT, account: "somebody" }, user, "account"],
      [{ action: "authorize", url: URL_TEXT, scope: "a\nb" }, user, "scope"],
      [{ action: "authorize", url: `${URL_TEXT}\0` }, user, "url"],
      [{ action: "revoke_authorization", url: `${URL_TEXT}\0` }, user, "url"],
      [{ action: "finish_authorization", code: "a" }, user, "state"],
      [{ action: "revoke_authorization" }, user, "url"],
      [{ action: "test", tool_id: "x" }, user, "tool_id"],
      [{ action: "test", tool_id: TOOL, input: [] }, user, "input"],
    ];
    for (const [body, principal, field] of cases) {
      await assert.rejects(call(body, principal), (error: { code: string; extra: { details: object } }) => {
        assert.deepEqual(
          [error.code, Object.keys(error.extra.details)],
          ["VALIDATION_ERROR", [field]],
          JSON.stringify(body),
        );
        return true;
      });
    }
    const foreign = { url: URL_TEXT, names: ["a"], user_id: TOOL };
    for (const action of ["import", "authorize", "list_authorizations", "revoke_authorization"])
      await assert.rejects(call({ action, ...foreign }, user), { code: "FORBIDDEN" });
    // Nobody connects an account for somebody else.
    for (const body of [{ tool_execution_id: TOOL }, { url: URL_TEXT, account: "asker" }])
      await assert.rejects(call({ action: "authorize", ...body, user_id: ADA }, service), { code: "FORBIDDEN" });
  });

  it("connects an account for the caller, by a call that waits or by a URL", async () => {
    const asked: unknown[] = [];
    const started = { authorization_url: "https://x", state: "s", expires_at: "later" };
    const authorizations: Partial<ToolModule["authorizations"]> = {
      start: async ({ ownerId, account, url }) => (asked.push({ ownerId, account, url }), started),
      connect: async (given) => (asked.push(given), started),
      revoke: async (key) => (asked.push(key), true),
    };
    const tools = { authorizations } as Partial<ToolModule>;
    const redirect_to = "https://app.example.com/";
    await call({ action: "authorize", tool_execution_id: TOOL, redirect_to }, user, tools);
    await call({ action: "authorize", url: URL_TEXT, account: "asker" }, user, tools);
    await call({ action: "revoke_authorization", url: URL_TEXT, account: "asker" }, user, tools);
    assert.deepEqual(asked, [
      { personId: ADA, executionId: TOOL, redirectTo: redirect_to },
      { ownerId: ADA, account: "asker", url: URL_TEXT },
      { ownerId: ADA, account: "asker", url: URL_TEXT },
    ]);
  });

  it("reaches the tools module with the user, and the outcome is returned unchanged", async () => {
    const asked: unknown[] = [];
    const tools: Partial<ToolModule> = {
      listRemote: async (list) => (asked.push(list), []),
      importRemote: async (imported) => (
        asked.push(imported.ownerId, imported.visibility), { imported: [], skipped: [] }
      ),
      test: async ({ toolId }) => ({
        toolId,
        outcome: {
          status: "failed",
          error: { code: "TOOL_HTTP_ERROR", message: "The server answered with status 500.", retryable: true },
          text: "it broke",
          attempts: 1,
          durationMs: 5,
        },
      }),
    };
    assert.deepEqual(await call({ action: "list", tool_id: TOOL }, user, tools), { status: 200, body: { tools: [] } });
    await call({ action: "import", url: URL_TEXT, names: ["a"] }, user, tools);
    await call({ action: "import", url: URL_TEXT, names: ["a"], visibility: "public" }, service, tools);
    assert.deepEqual(asked, [{ callerId: ADA, server: { toolId: TOOL } }, ADA, "private", null, "public"]);
    const tested = await call({ action: "test", tool_id: TOOL }, user, tools);
    assert.deepEqual("body" in tested && tested.body, {
      tool_id: TOOL,
      success: false,
      status: "failed",
      attempts: 1,
      duration_ms: 5,
      error: { code: "TOOL_HTTP_ERROR", message: "The server answered with status 500.", retryable: true },
      output: "it broke",
    });
  });
});
