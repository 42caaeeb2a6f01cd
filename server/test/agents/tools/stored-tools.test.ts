import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { createToolChecks } from "../../../src/agents/create-tool-checks.ts";
import { openSecrets } from "../../../src/agents/tools/seal-secrets.ts";
import { type Asked, openRestStage, SERVICE } from "../../rest/features/rest-stage.ts";
import type { Principal, UserPrincipal } from "../../../src/db/index.ts";
import { createTableRules } from "../../../src/tables/index.ts";
import { assignedTool, callContext } from "../../support/assigned-tool.ts";
import { KEY, openToolsForTest, type TestTools } from "../../support/open-tools-for-test.ts";

type User = UserPrincipal;
type Row = Readonly<Record<string, unknown>>;

const REPRESENTATION = { prefer: "return=representation" };
const CONFIG = { method: "POST", url: "https://api.example.com/v1/{id}", auth: { type: "bearer", secret: "token" } };
const SECRET = "sk-very-secret-value";

const checks = createToolChecks({
  key: KEY,
  newId: randomUUID,
  findUrlFault: (url) => (url.includes("10.0.0.1") ? "The address must not be reached." : null),
});
const opened = openRestStage("", { tools: checks });
const closers: (() => Promise<void>)[] = [];
let tools: TestTools;
let ada: User;
let eve: User;

function send(
  line: string,
  body: unknown,
  as: Principal = ada,
  headers: Record<string, string> = REPRESENTATION,
): Promise<Asked> {
  return opened.stage.ask(line, { as, body, headers: { "content-type": "application/json", ...headers } });
}

async function add(parts: Row = {}, as: Principal = ada): Promise<Row & { readonly id: string }> {
  const row = { name: `t_${randomUUID().slice(0, 8)}`, description: "A tool", config: CONFIG, ...parts };
  const { status, json, text } = await send("POST /tools", row, as);
  assert.equal(status, 201, text);
  return (json as (Row & { id: string })[])[0] ?? assert.fail();
}

async function readSecrets(id: string): Promise<Readonly<Record<string, string>> | null> {
  const { rows } = await opened.stage.run(
    "select encode(secrets_wrapped, 'base64') as wrapped from private.tool_secrets where tool_id = $1",
    [id],
  );
  const [row] = rows as { wrapped: string }[];
  return row === undefined ? null : openSecrets(KEY, id, row.wrapped);
}

describe("stored tools", () => {
  before(async () => {
    tools = openToolsForTest(
      { after: (close) => void closers.push(close as () => Promise<void>) },
      { pool: opened.stage.pools.service },
    );
    ada = await opened.stage.addUser();
    eve = await opened.stage.addUser();
  });
  after(async () => {
    for (const close of closers) await close();
  });

  describe("secrets of tools", () => {
    it("can be written and never read", async () => {
      const tool = await add({ secrets: { token: SECRET, other: "another-one" } });
      assert.deepEqual(tool["secret_names"], ["other", "token"]);
      assert.equal(Object.hasOwn(tool, "secrets"), false);
      assert.deepEqual(await readSecrets(tool.id), { token: SECRET, other: "another-one" });
      const reads = await Promise.all([
        opened.stage.ask(`GET /tools?id=eq.${tool.id}`, { as: ada }),
        opened.stage.ask(`GET /tools?id=eq.${tool.id}`),
        opened.stage.ask(`GET /tools?id=eq.${tool.id}&select=secrets`, { as: ada }),
        opened.stage.ask("GET /tool_secrets", { as: ada }),
        send(`PATCH /tools?id=eq.${tool.id}`, { secrets: { token: `${SECRET}2` }, name: "9 not legal" }),
      ]);
      assert.deepEqual(
        reads.map(({ status }) => status),
        [200, 200, 400, 404, 400],
      );
      for (const { text } of reads) assert.doesNotMatch(text, /sk-very|another-one|=A/);
      // A row can be written back as it was read.
      const back = await send(`PATCH /tools?id=eq.${tool.id}`, tool);
      assert.equal(back.status, 200, back.text);
      assert.deepEqual(Object.keys((await readSecrets(tool.id)) ?? {}), ["token", "other"]);
      // Neither the rows nor the write-ahead log contain the secret in plain text.
      const { rows } = await opened.stage.run("select t::text as row from public.tools t where id = $1", [tool.id]);
      assert.doesNotMatch(String((rows[0] as { row: string }).row), /=|sk-very/);
    });

    it("can be replaced and removed, and are deleted when the host changes", async () => {
      const { id } = await add({ secrets: { token: SECRET } });
      const patch = async (body: unknown): Promise<unknown> => {
        const { json, text } = await send(`PATCH /tools?id=eq.${id}`, body);
        return (json as Row[])[0]?.["secret_names"] ?? text;
      };
      assert.deepEqual(await patch({ description: "B" }), ["token"]);
      assert.deepEqual(await patch({ config: { ...CONFIG, url: "https://API.example.com/other" } }), ["token"]);
      assert.deepEqual(await patch({ secrets: { token: "next-secret" } }), ["token"]);
      assert.deepEqual(await readSecrets(id), { token: "next-secret" });
      assert.deepEqual(await patch({ config: { ...CONFIG, url: "https://evil.example.com/" } }), []);
      assert.equal(await readSecrets(id), null);
      assert.deepEqual(await patch({ config: CONFIG, secrets: { token: SECRET } }), ["token"]);
      assert.deepEqual(
        await patch({ config: { ...CONFIG, url: "https://b.example.com/" }, secrets: { token: "b-secret" } }),
        ["token"],
      );
      assert.deepEqual(await readSecrets(id), { token: "b-secret" });
      assert.deepEqual(await patch({ secrets: null }), []);
      assert.equal(await readSecrets(id), null);
      const list = await send("PATCH /tools", [{ id, secrets: { token: "from-list" } }]);
      assert.equal(list.status, 200, list.text);
      assert.deepEqual(await readSecrets(id), { token: "from-list" });
      assert.equal((await send(`DELETE /tools?id=eq.${id}`, undefined)).status, 200);
      assert.equal(await readSecrets(id), null);
    });

    it("cannot be added to, removed from or moved to the tool of another user", async () => {
      const { id } = await add({ secrets: { token: SECRET }, visibility: "shared" });
      const stolen = await send(`PATCH /tools?id=eq.${id}`, { secrets: { token: "mine" } }, eve);
      assert.deepEqual([stolen.status, stolen.json], [200, []]);
      const row = { id, name: "copy", description: "x", secrets: { token: "mine" } };
      assert.equal((await send("POST /tools", row, eve)).status, 409);
      assert.deepEqual(await readSecrets(id), { token: SECRET });
      // The column cannot be written directly.
      const forged = await send(
        "POST /tools",
        { name: "forged", description: "x", secret_names: ["=AAAA", "token"] },
        eve,
      );
      assert.deepEqual((forged.json as Row[])[0]?.["secret_names"], []);
    });

    it("are sealed before the statement is sent to the database", () => {
      const rules = createTableRules({ pool: opened.stage.pools.service, tools: checks });
      const row = { name: "a", description: "x", secrets: { token: SECRET } };
      for (const columns of [
        ["name", "description", "secrets"],
        ["name", "description"],
      ]) {
        const rewritten = rules.beforeWrite({
          relation: { schema: "public", name: "tools" },
          operation: "insert",
          rows: [row],
          columns,
          source: "json",
          isArray: false,
          pinnedId: null,
          principal: { role: "authenticated", userId: ada.userId },
        });
        assert.ok(rewritten !== null);
        assert.doesNotMatch(JSON.stringify(rewritten), /sk-very/);
        assert.equal(rewritten.columns.includes("secret_names"), columns.includes("secrets"));
      }
    });

    it("are rejected with a reason when they are not valid", async () => {
      const { id } = await add();
      const cases: [string, unknown, Record<string, string>][] = [
        ["POST /tools", { name: "a", description: "x", secrets: "text" }, {}],
        ["POST /tools", { name: "a", description: "x", secrets: { "a b": "x" } }, {}],
        ["POST /tools", { name: "a", description: "x", secrets: { a: 5 } }, {}],
        ["POST /tools", { name: "a", description: "x", secrets: { a: "line\nbreak" } }, {}],
        [
          "POST /tools",
          { id, name: "a", description: "x", secrets: { a: SECRET } },
          { prefer: "resolution=merge-duplicates" },
        ],
        [`PATCH /tools?owner_id=eq.${ada.userId}`, { secrets: { a: SECRET } }, {}],
        [
          `PATCH /tools?id=eq.${id}`,
          { secrets: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`s${n}`, "x"])) },
          {},
        ],
      ];
      for (const [line, body, headers] of cases) {
        const { status, text } = await send(line, body, ada, headers);
        assert.equal(status, 400, line);
        assert.match(text, /"secrets/);
        assert.doesNotMatch(text, /sk-very|break/);
      }
    });
  });

  describe("the validation of a tool", () => {
    it("reports faults by field", async () => {
      const cases: [Row, string][] = [
        [{ config: { url: "http://example.com/" } }, "config.url"],
        [{ config: { url: "https://{host}.example.com/" } }, "config.url"],
        [{ config: { url: "https://10.0.0.1/{x}" } }, "config.url"],
        [{ config: { url: "https://a.example.com/{not legal}" } }, "config.url"],
        [{ config: { ...CONFIG, method: "TRACE" } }, "config.method"],
        [{ config: { ...CONFIG, headers: { Host: "x" } } }, "config.headers"],
        [{ config: { ...CONFIG, headers: { Authorization: "Bearer x" } } }, "config.headers"],
        [{ config: { ...CONFIG, auth: { type: "magic" } } }, "config.auth.type"],
        [{ config: { ...CONFIG, shell: "rm" } }, "config"],
        [{ input_schema: { type: "object", properties: { a: { pattern: "(?=x)" } } } }, "input_schema"],
        [{ input_schema: { type: "object", properties: { a: { $ref: "#" } } } }, "input_schema"],
        [{ name: "has space" }, "name"],
      ];
      for (const [parts, field] of cases) {
        const row = { name: "tool", description: "x", config: CONFIG, ...parts };
        const { status, json } = await send("POST /tools", row);
        const { code, details } = json as { code: string; details: Row };
        assert.deepEqual([status, Object.keys(details)], [400, [field]], JSON.stringify(parts));
        assert.equal(code, field === "config.url" ? "INVALID_URL" : "VALIDATION_ERROR");
      }
      const unknown = await send(
        "POST /tools",
        { kind: "builtin", name: "shell", description: "x", owner_id: null },
        SERVICE,
      );
      assert.deepEqual(Object.keys((unknown.json as { details: Row }).details), ["name"]);
    });

    it("lets everybody use built-in tools", async () => {
      const { json } = await opened.stage.ask(
        "GET /tools?kind=eq.builtin&order=name&select=name,input_schema,visibility",
        { as: eve },
      );
      const rows = json as { name: string; input_schema: Row; visibility: string }[];
      assert.deepEqual(
        rows.map(({ name }) => name),
        ["calculator", "current_time", "http_get", "json_query", "search_messages", "sleep", "wait_for_event"],
      );
      for (const { name, input_schema } of rows) {
        assert.equal(checks.isBuiltin(name), true);
        assert.equal(checks.findSchemaFault(input_schema), null, name);
      }
    });
  });

  describe("search_messages", () => {
    it("searches one swarm, skips deleted messages and treats the query literally", async () => {
      const swarms = await Promise.all(
        [ada, eve].map(async (user) => {
          const { json } = await send("POST /swarms", { name: "Room" }, user);
          return String((json as Row[])[0]?.["id"]);
        }),
      );
      const [swarmId = "", elsewhere = ""] = swarms;
      const say = async (swarm_id: string, content: string, user: User): Promise<string> =>
        String(((await send("POST /messages", { swarm_id, content }, user)).json as Row[])[0]?.["id"]);
      await say(swarmId, "The 100% budget is 5", ada);
      const gone = await say(swarmId, "old BUDGET", ada);
      await say(elsewhere, "secret budget of others", eve);
      assert.equal((await send(`DELETE /messages?id=eq.${gone}`, undefined, ada)).status, 200);
      const search = assignedTool({ kind: "builtin", name: "search_messages", owner_id: null });
      const find = async (query: string): Promise<unknown[]> => {
        const outcome = await tools.run(search, { query }, callContext({ swarmId: swarmId }));
        assert.ok(outcome.status === "succeeded");
        return outcome.output as unknown[];
      };
      const [only, ...others] = (await find("Budget")) as { excerpt: string }[];
      assert.deepEqual([only?.excerpt, others], ["The 100% budget is 5", []]);
      assert.equal((await find("0% b")).length, 1);
      for (const query of ["%", "_", "' or true --"])
        assert.equal((await find(query)).length, query === "%" ? 1 : 0, query);
    });
  });

  describe("what the app vouches for", () => {
    const vouchedOf = async (line: string, body: Row, as: Principal = ada): Promise<unknown> =>
      ((await send(line, body, as)).json as Row[])[0]?.["is_vouched"];
    const newAgent = async (): Promise<string> =>
      ((await send("POST /agents", { name: "Ada" })).json as { id: string }[])[0]?.id ?? assert.fail();

    it("is a tool that the service role made, until its owner changes it", async () => {
      const { id } = await add({ owner_id: ada.userId, requires_approval: true }, SERVICE);
      const line = `PATCH /tools?id=eq.${id}`;
      assert.equal(await vouchedOf(line, { enabled: false }), true);
      const changes: readonly Row[] = [
        { description: "Another tool" },
        { config: CONFIG },
        { secrets: { token: SECRET } },
        { input_schema: { type: "object", properties: { all: { type: "boolean" } } } },
        { requires_approval: false },
        { idempotent: true },
        { max_retries: 5 },
        { is_vouched: true },
      ];
      for (const change of changes) {
        assert.equal(await vouchedOf(line, { is_vouched: true }, SERVICE), true);
        assert.equal(await vouchedOf(line, change), false, JSON.stringify(change));
      }
      assert.equal((await add({ is_vouched: true }))["is_vouched"], false);
      assert.equal((await add({ owner_id: ada.userId, is_vouched: false }, SERVICE))["is_vouched"], false);
    });

    it("is not what the owner wrote and the service role corrected", async () => {
      const { id } = await add();
      const line = `PATCH /tools?id=eq.${id}`;
      assert.equal(await vouchedOf(line, { description: "Another tool" }, SERVICE), false);
      for (let time = 0; time < 2; time += 1)
        assert.equal(await vouchedOf(line, { is_vouched: false }, SERVICE), false, "however often it is said");
      assert.equal(await vouchedOf(line, { config: CONFIG, is_vouched: true }, SERVICE), true);
    });

    it("is not what an upsert of the owner writes", async () => {
      const made = await add({ owner_id: ada.userId }, SERVICE);
      const merge = { prefer: "resolution=merge-duplicates,return=representation" };
      const row = { name: made["name"], description: "A tool", config: { ...CONFIG, url: "https://evil.example/" } };
      const rows = (await send("POST /tools?on_conflict=owner_id,name", row, ada, merge)).json as Row[];
      assert.deepEqual([rows[0]?.["id"], rows[0]?.["is_vouched"]], [made.id, false]);
    });

    it("is an agent for which the service role says so", async () => {
      const line = `PATCH /agents?id=eq.${await newAgent()}`;
      assert.equal((await send(line, { acts_for_askers: true })).status, 403);
      assert.equal((await send("POST /agents", { name: "Ben", acts_for_askers: true })).status, 403);
      assert.equal((await send(line, { acts_for_askers: true }, SERVICE)).status, 200);
      assert.equal((await send(line, { acts_for_askers: false })).status, 403);
      assert.equal((await send(line, { name: "Ada", acts_for_askers: true })).status, 200);
    });

    it("is an assignment that the service role made, until the owner changes or restores it", async () => {
      const { id } = await add({ owner_id: ada.userId }, SERVICE);
      const agentId = await newAgent();
      const assigned = { agent_id: agentId, tool_id: id };
      const line = `PATCH /agent_tools?tool_id=eq.${id}`;
      assert.equal(await vouchedOf("POST /agent_tools", { ...assigned, is_vouched: true }), false);
      assert.equal(await vouchedOf(line, { configuration: { a: 1 } }, SERVICE), false);
      assert.equal(await vouchedOf(line, { is_vouched: true }, SERVICE), true);
      assert.equal(await vouchedOf(line, { enabled: false, approver: "asker" }), true);
      assert.equal(await vouchedOf(line, { configuration: { a: 2 } }), false);

      await send(`DELETE /agent_tools?tool_id=eq.${id}`, undefined);
      assert.equal(await vouchedOf("POST /agent_tools", assigned, SERVICE), true);
      const latest = `GET /agent_versions?agent_id=eq.${agentId}&select=number&order=number.desc&limit=1`;
      const versions = (await opened.stage.ask(latest, { as: ada })).json as { number: number }[];
      const restored = async (as: Principal): Promise<unknown> => {
        await send(`DELETE /agent_tools?tool_id=eq.${id}`, undefined);
        await send("POST /rpc/restore_agent_version", { agent_id: agentId, number: versions[0]?.number }, as);
        const rows = (await opened.stage.ask(`GET /agent_tools?tool_id=eq.${id}`, { as: ada })).json as Row[];
        return rows[0]?.["is_vouched"];
      };
      assert.equal(await restored(ada), false);
      assert.equal(await restored(SERVICE), true);
    });
  });

  describe("the tools function", () => {
    it("tests tools for their owner, and built-in ones for everybody", async () => {
      const { id } = await add();
      const test = (userId: string, toolId: string, input = {}): ReturnType<TestTools["test"]> =>
        tools.test({ principal: { role: "authenticated", userId, claims: {}, session: null }, toolId, input });
      await assert.rejects(test(eve.userId, id), { code: "TOOL_NOT_FOUND" });
      const builtin = (await opened.stage.ask("GET /tools?name=eq.calculator", { as: eve })).json as { id: string }[];
      const { outcome } = await test(eve.userId, builtin[0]?.id ?? "", { expression: "6 * 7" });
      assert.ok(outcome.status === "succeeded" && outcome.text === "42");
    });

    it("rejects calls of servers, and of their tools, when no extension adds them", async () => {
      const server = { url: "https://mcp.example.com/", secrets: {} };
      const missing = { code: "VALIDATION_ERROR", message: "This service has no tools of servers" };
      await assert.rejects(tools.listRemote({ callerId: ada.userId, server }), missing);
      const call = { callerId: ada.userId, ownerId: ada.userId, server, names: ["x"], visibility: "private" } as const;
      await assert.rejects(tools.importRemote(call), missing);
      await assert.rejects(tools.authorizations.start({ ownerId: ada.userId, url: server.url }), missing);
      await assert.rejects(tools.authorizations.list(ada.userId), missing);
      (await tools.authorizations.prepareWithdrawal(ada.userId))();
      const outcome = await tools.run(assignedTool({ kind: "mcp" }), {}, callContext());
      assert.deepEqual(outcome.status === "failed" && [outcome.error.code, outcome.error.message], [
        "TOOL_UNUSABLE",
        "This node has no tools of the kind mcp.",
      ]);
      const { status, json } = await send("POST /tools", { name: "remote", description: "x", kind: "mcp" });
      assert.deepEqual(
        [status, (json as { details: Row }).details],
        [400, { kind: "must be one of builtin, http, client, swarm" }],
      );
    });
  });
});
