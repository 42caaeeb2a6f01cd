import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { AppError } from "../../src/errors/index.ts";
import type { Principal } from "../../src/db/index.ts";
import { type Asked, openRestStage, SERVICE } from "../rest/features/rest-stage.ts";
import { openWorld, type Row } from "./support/swarms.ts";

const HOOK = { name: "Hook", url: "https://hooks.example.com/x", events: ["agent.created"] };

describe("lists of rows that differ in their keys", () => {
  const opened = openRestStage(
    `create table public.wares (id int primary key, name text default 'none', stock int default 1);
     grant all on public.wares to service_role;
     create sequence public.ticks;
     create function public.tick() returns bigint language sql security definer as $$ select nextval('public.ticks') $$;
     grant execute on function public.tick() to authenticated;
     insert into public.models (framework, id, is_default, position) values ('provider_a', 'gpt-4', true, 0);`,
  );

  const write = (as: Principal, line: string, body: readonly object[], prefer = ""): Promise<Asked> => {
    const [method = "", path = ""] = line.split(" ");
    // As the client library does it.
    const columns = [...new Set(body.flatMap((row) => Object.keys(row)))].join(",");
    const to = `${method} ${path}${path.includes("?") ? "&" : "?"}columns=${columns}`;
    return opened.stage.ask(to, { as, body, headers: { prefer: `return=representation,${prefer}` } });
  };

  async function rows(answer: Promise<Asked>, ...columns: readonly string[]): Promise<unknown[][]> {
    const { status, text, json } = await answer;
    assert.ok(status < 300, text);
    return (json as Row[]).map((row) => columns.map((column) => row[column]));
  }

  async function faults(answer: Promise<Asked>): Promise<unknown> {
    const { status, json } = await answer;
    const { code, details } = json as { code: string; details: unknown };
    return [status, code, ...(typeof details === "object" ? Object.keys(details ?? {}) : [])];
  }

  it("an absent key of a new row takes its default", async () => {
    const user = await opened.stage.addUser();
    const made = write(user, "POST /agents", [
      { name: "a" },
      { name: "b", framework: "provider_b", settings: { top_p: 1 } },
      { name: "c", role: "r", user_id: user.userId },
    ]);
    assert.deepEqual(await rows(made, "name", "framework", "settings", "role", "user_id", "status"), [
      ["a", "provider_a", {}, null, user.userId, "idle"],
      ["b", "provider_b", { top_p: 1 }, null, user.userId, "idle"],
      ["c", "provider_a", {}, "r", user.userId, "idle"],
    ]);
    const hooks = write(user, "POST /webhooks", [
      { ...HOOK, retry_count: 0 },
      { ...HOOK, is_active: false, headers: { "X-Team": "blue" } },
    ]);
    assert.deepEqual(await rows(hooks, "retry_count", "is_active", "headers", "timeout_ms"), [
      [0, true, {}, 30_000],
      [3, false, { "X-Team": "blue" }, 30_000],
    ]);
    const single = opened.stage.ask("POST /agents?columns=name,framework", {
      as: user,
      body: { name: "d" },
      headers: { prefer: "return=representation" },
    });
    assert.deepEqual(await rows(single, "name", "framework"), [["d", "provider_a"]]);
  });

  it("required fields are checked in every row and reported with its index", async () => {
    const user = await opened.stage.addUser();
    const as = { user_id: user.userId };
    assert.deepEqual(await faults(write(user, "POST /agents", [{ name: "a" }, { framework: "provider_b" }])), [
      400,
      "VALIDATION_ERROR",
      "1.name",
    ]);
    assert.deepEqual(await faults(write(user, "POST /agents", [{ name: "a" }, { name: "b", framework: null }])), [
      400,
      "VALIDATION_ERROR",
      "1.framework",
    ]);
    assert.deepEqual(await faults(write(SERVICE, "POST /agents", [{ name: "a", ...as }, { name: "b" }])), [
      400,
      "VALIDATION_ERROR",
      "1.user_id",
    ]);
    const unknown = opened.stage.ask("POST /agents?columns=name,nme", { as: user, body: [{ name: "a" }] });
    assert.deepEqual(await faults(unknown), [400, "PGRST204"]);
  });

  it("an upsert keeps the stored value of an absent key", async () => {
    const user = await opened.stage.addUser();
    const agent = { name: "a", framework: "provider_b", settings: { top_p: 1 }, role: "kept" };
    const made = await write(user, "POST /agents", [agent]);
    const [{ id } = { id: "" }] = made.json as Row[];
    const merged = write(
      user,
      "POST /agents?order=name",
      [
        { id, name: "b" },
        { name: "c", framework: "provider_c", role: "new", settings: {} },
        { name: "d", role: null },
      ],
      "resolution=merge-duplicates",
    );
    const shown = ["name", "framework", "settings", "role"];
    assert.deepEqual(await rows(merged, ...shown), [
      ["b", "provider_b", { top_p: 1 }, "kept"],
      ["c", "provider_c", {}, "new"],
      ["d", "provider_a", {}, null],
    ]);
    const ignored = write(
      user,
      "POST /agents",
      [
        { id, name: "x" },
        { name: "e", role: "r" },
      ],
      "resolution=ignore-duplicates",
    );
    assert.deepEqual(await rows(ignored, ...shown), [["e", "provider_a", {}, "r"]]);
  });

  it("an upsert by several columns keeps the stored value of an absent key", async () => {
    const { stage } = opened;
    const world = await openWorld(stage);
    const { owner } = world.people;
    const agents = [await world.addAgent(owner), await world.addAgent(owner)];
    const at = (agent: Row | undefined) => ({ swarm_id: world.swarm, agent_id: agent?.id ?? "" });
    await world.one(owner, "POST /swarm_agents", { ...at(agents[0]), enabled: false, role_override: "first" });
    const merged = write(
      owner,
      "POST /swarm_agents?on_conflict=swarm_id,agent_id&order=position",
      [at(agents[0]), { ...at(agents[1]), enabled: false, role_override: "second" }],
      "resolution=merge-duplicates",
    );
    assert.deepEqual(await rows(merged, "enabled", "role_override", "position"), [
      [false, "first", 0],
      [false, "second", 1],
    ]);
  });

  it("an update keeps the stored value of an absent key", async () => {
    const user = await opened.stage.addUser();
    const made = await write(user, "POST /agents", [
      { name: "a", role: "r", framework: "provider_b" },
      { name: "b", role: "r", framework: "provider_c" },
    ]);
    const [first, second] = (made.json as Row[]).map(({ id }) => id);
    const changed = write(user, "PATCH /agents?order=name", [
      { id: first, name: "aa" },
      { id: second, role: null },
    ]);
    assert.deepEqual(await rows(changed, "name", "role", "framework"), [
      ["aa", "r", "provider_b"],
      ["b", null, "provider_c"],
    ]);
    // One object under a filter, too.
    const one = opened.stage.ask(`PATCH /agents?id=eq.${first}&columns=name,role`, {
      as: user,
      body: { name: "aaa" },
      headers: { prefer: "return=representation" },
    });
    assert.deepEqual(await rows(one, "name", "role"), [["aaa", "r"]]);
    const unchanged = opened.stage.ask(`PATCH /agents?id=eq.${first}&columns=name`, {
      as: user,
      body: {},
      headers: { prefer: "return=representation" },
    });
    assert.deepEqual(await rows(unchanged, "name"), [["aaa"]]);
    assert.deepEqual(await faults(write(user, "PATCH /agents", [{ id: first, name: "x" }, { name: "y" }])), [
      400,
      "PGRST102",
    ]);
  });

  it("in user tables an absent key is null, or the default with missing=default, as in PostgREST", async () => {
    const sent = (from: number) => [
      { id: from, name: "a" },
      { id: from + 1, stock: 5 },
    ];
    assert.deepEqual(await rows(write(SERVICE, "POST /wares", sent(1)), "name", "stock"), [
      ["a", null],
      [null, 5],
    ]);
    assert.deepEqual(await rows(write(SERVICE, "POST /wares", sent(3), "missing=default"), "name", "stock"), [
      ["a", 1],
      ["none", 5],
    ]);
    assert.deepEqual(
      await rows(write(SERVICE, "POST /wares", sent(3), "resolution=merge-duplicates"), "name", "stock"),
      [
        ["a", null],
        [null, 5],
      ],
    );
  });

  describe("rejected by the database", () => {
    const post = (principal: Principal, path: string, body: unknown) => ({
      input: {
        method: "POST",
        path,
        search: "",
        headers: {},
        body: Buffer.from(JSON.stringify(body)),
        contentType: "application/json",
      },
      path: `/rest/v1${path}`,
      principal,
    });
    const swarmRow = (swarm: string, content: string) => ({ swarm_id: swarm, content });

    it("the error names the field with the index of its row", async () => {
      const { stage } = opened;
      const world = await openWorld(stage);
      const { owner } = world.people;
      const settings = { moderation: { enabled: true, blocklist: ["bad"], action: "block" } };
      await world.one(owner, `PATCH /swarms?id=eq.${world.swarm}`, { settings });
      const hook = await world.one(owner, "POST /webhooks", HOOK);
      const agent = await world.addAgent(owner);
      const gone = randomUUID();
      const said = (content: string) => swarmRow(world.swarm, content);
      const place = (agentId: string) => ({ swarm_id: world.swarm, agent_id: agentId });
      const cases: [line: string, rows: readonly object[], expected: unknown[], prefer?: string][] = [
        [
          "POST /agents",
          [{ name: "a" }, { name: "b", model: "gpt-2" }, { name: "c" }],
          [400, "INVALID_MODEL", "1.model"],
        ],
        ["POST /messages", [said("a"), said("b"), said("c"), said("bad")], [400, "CONTENT_BLOCKED", "3.content"]],
        ["POST /messages", [said("a"), swarmRow(gone, "b")], [404, "SWARM_NOT_FOUND", "1.swarm_id"]],
        ["POST /swarm_agents", [place(agent.id), place(gone)], [404, "AGENT_NOT_FOUND", "1.agent_id"]],
        [
          "POST /swarm_members",
          [
            { swarm_id: world.swarm, email: "a@example.test" },
            { swarm_id: world.swarm, user_id: gone },
          ],
          [400, "VALIDATION_ERROR", "1.user_id"],
        ],
        [
          "POST /webhooks",
          [{ ...HOOK }, { ...HOOK, id: hook.id, secret: "mine" }],
          [400, "VALIDATION_ERROR", "1.secret"],
          "resolution=merge-duplicates",
        ],
        ["PATCH /agents", [{ id: agent.id, model: "gpt-2" }], [400, "INVALID_MODEL", "0.model"]],
      ];
      for (const [line, body, expected, prefer] of cases)
        assert.deepEqual(await faults(write(owner, line, body, prefer)), expected, `${line} ${JSON.stringify(body)}`);
      const left = await opened.stage.ask(`GET /messages?swarm_id=eq.${world.swarm}`, { as: owner });
      assert.deepEqual(left.json, [], "what was tried to find the row is undone");
    });

    it("in a batch the rejected row is found after the operations before it", async () => {
      const world = await openWorld(opened.stage);
      const { owner } = world.people;
      const id = randomUUID();
      const made = post(owner, "/agents", { id, name: "Ada" });
      const placed = post(
        owner,
        "/swarm_agents",
        [id, randomUUID()].map((agent_id) => ({ swarm_id: world.swarm, agent_id })),
      );
      await assert.rejects(opened.stage.rest.answerBatch([made, placed]), (error: unknown) => {
        assert.ok(error instanceof AppError);
        assert.deepEqual(
          [error.code, Object.keys(error.extra.details ?? {}), error.extra.members],
          ["AGENT_NOT_FOUND", ["1.agent_id"], { operation: 1 }],
        );
        return true;
      });
    });

    it("user-defined functions are not called again to find the rejected row", async () => {
      const world = await openWorld(opened.stage);
      const { owner } = world.people;
      const rows = [world.swarm, randomUUID()].map((swarm_id) => swarmRow(swarm_id, "a"));
      const rejected = opened.stage.rest.answerBatch([post(owner, "/rpc/tick", {}), post(owner, "/messages", rows)]);
      await assert.rejects(rejected, { code: "SWARM_NOT_FOUND" });
      const { rows: ticks } = await opened.stage.run("select last_value::int as n from public.ticks");
      assert.deepEqual(ticks, [{ n: 1 }]);
    });

    it("a list that is too long to be searched reports the field without a row", async () => {
      const world = await openWorld(opened.stage);
      const rows = Array.from({ length: 1_001 }, () => swarmRow(world.swarm, "a"));
      const body = [...rows, swarmRow(randomUUID(), "b")];
      const answer = write(world.people.owner, "POST /messages", body);
      assert.deepEqual(await faults(answer), [404, "SWARM_NOT_FOUND", "swarm_id"]);
    });
  });
});
