import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { AGENT_STATUSES, FRAMEWORKS } from "@swarmbase/sdk";
import { FORBIDDEN, openStage, violates, rejects } from "./support/stage.ts";

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
/** A character of two UTF-16 units, so that bounds counted in units show. */
const WIDE = "𝕏";
const URL_OF = (length: number): string => "https://example.com/".padEnd(length, "a");
const JSON_OF = (bytes: number): object => ({ k: "a".repeat(bytes - '{"k": ""}'.length) });

const ACCEPTED: readonly Record<string, unknown>[] = [
  ...FRAMEWORKS.map((framework) => ({ framework })),
  { name: "a" },
  { name: WIDE.repeat(100) },
  { name: ` ${WIDE.repeat(100)}\u3000` },
  { role: WIDE.repeat(200) },
  { role: null },
  { avatar: URL_OF(2048) },
  { avatar: "HTTP://example.com" },
  { avatar: null },
  { description: WIDE.repeat(2000) },
  { starter_questions: [] },
  { starter_questions: Array.from({ length: 10 }, () => ` ${WIDE.repeat(200)}\u3000`) },
  { model: "m".repeat(200) },
  { system_prompt: WIDE.repeat(100_000) },
  { settings: {} },
  { settings: { temperature: 0, max_tokens: 1, presence_penalty: -2, frequency_penalty: -2, top_p: 0, stop: [] } },
  { settings: { temperature: 2, max_tokens: 2147483647, presence_penalty: 2, frequency_penalty: 2, top_p: 1 } },
  { settings: { stop: Array.from({ length: 16 }, String), unknown: { kept: [1] } } },
  { settings: { stop: null } },
  { settings: JSON_OF(32_768) },
];

const REJECTED: readonly [string, Record<string, unknown>][] = [
  ["agents_name_length", { name: "" }],
  ["agents_name_length", { name: " \t\n\u00a0\u1680\u2003\u2028\u202f\u205f\u3000\ufeff" }],
  ["agents_name_length", { name: WIDE.repeat(101) }],
  ["agents_role_length", { role: WIDE.repeat(201) }],
  ["agents_avatar_length", { avatar: URL_OF(2049) }],
  ["agents_avatar_http", { avatar: "javascript:alert(1)" }],
  ["agents_avatar_http", { avatar: "https://" }],
  ["agents_description_length", { description: WIDE.repeat(2001) }],
  ["agents_starter_questions_count", { starter_questions: Array.from({ length: 11 }, String) }],
  ["agents_starter_questions_length", { starter_questions: ["a", WIDE.repeat(201)] }],
  ["agents_starter_questions_length", { starter_questions: ["a", " \u3000"] }],
  ["agents_starter_questions_length", { starter_questions: ["a", null] }],
  ["agents_starter_questions_length", { starter_questions: [["a"]] }],
  ["agents_framework_known", { framework: "openai" }],
  ["agents_model_length", { model: "m".repeat(201) }],
  ["agents_system_prompt_length", { system_prompt: "a".repeat(100_001) }],
  ["agents_settings_object", { settings: "[]" }],
  ["agents_settings_object", { settings: "null" }],
  ["agents_settings_size", { settings: JSON_OF(32_769) }],
  ...[-0.1, 2.1, "1", null, true].map((temperature): [string, Record<string, unknown>] => [
    "agents_settings_temperature",
    { settings: { temperature } },
  ]),
  ...[0, 1.5, -1, "1", null, 1e300].map((max_tokens): [string, Record<string, unknown>] => [
    "agents_settings_max_tokens",
    { settings: { max_tokens } },
  ]),
  ["agents_settings_presence_penalty", { settings: { presence_penalty: 2.01 } }],
  ["agents_settings_frequency_penalty", { settings: { frequency_penalty: -2.01 } }],
  ["agents_settings_top_p", { settings: { top_p: 1.1 } }],
  ["agents_settings_stop", { settings: { stop: "x" } }],
  ["agents_settings_stop", { settings: { stop: ["x", 1] } }],
  ["agents_settings_stop", { settings: { stop: Array.from({ length: 17 }, String) } }],
];

describe("agents", () => {
  const opened = openStage();

  it("get their defaults", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const given = {
      created_at: "2000-01-01",
      updated_at: "2000-01-01",
      status: "error",
      status_changed_at: "2000-01-01",
    };
    const agent = await stage.insert(user, "agents", { name: "\u2003 Ada Lovelace\ufeff\n", ...given });
    const { id, created_at, updated_at, status_changed_at, ...rest } = agent;
    assert.match(id, UUID_V7);
    for (const time of [created_at, updated_at, status_changed_at])
      assert.ok(Math.abs(Date.now() - (time as Date).getTime()) < 60_000, String(time));
    assert.deepEqual(rest, {
      user_id: user,
      name: "Ada Lovelace",
      role: null,
      avatar: null,
      description: null,
      starter_questions: [],
      framework: "provider_a",
      model: null,
      system_prompt: null,
      settings: {},
      acts_for_askers: false,
      status: "idle",
    });
  });

  it("accept what is within bounds", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    for (const record of ACCEPTED) await stage.insert(user, "agents", { name: "Ada", ...record });
    const agent = await stage.newAgent(user);
    for (const record of ACCEPTED) assert.equal((await stage.update(user, "agents", agent, record)).length, 1);
  });

  it("reject what is not, naming the field", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const agent = await stage.newAgent(user);
    for (const [constraint, record] of REJECTED) {
      const hint = JSON.stringify(record).slice(0, 80);
      await rejects(stage.insert(user, "agents", { name: "Ada", ...record }), violates(constraint), hint);
      await rejects(stage.update(user, "agents", agent, record), violates(constraint), hint);
    }
    await rejects(stage.insert(user, "agents", {}), { code: "23502", column: "name" });
    await rejects(stage.update(user, "agents", agent, { starter_questions: null }), { code: "23502" });
    await rejects(stage.update(user, "agents", agent, { status: "asleep" }), violates("agents_status_known"));
    await rejects(stage.insert("service_role", "agents", { name: "Ada" }), { code: "23502", column: "user_id" });
  });

  it("trim the starter questions and keep their order", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const sent = { name: "Ada", starter_questions: [" b\u3000", "\ta", "b"] };
    const agent = await stage.insert(user, "agents", sent);
    assert.deepEqual(agent["starter_questions"], ["b", "a", "b"]);
    const [changed] = await stage.update(user, "agents", agent.id, { starter_questions: [" c "] });
    assert.deepEqual(changed?.["starter_questions"], ["c"]);
  });

  it("take an id from the client once and an empty model as none", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const id = randomUUID();
    const agent = await stage.insert(user, "agents", { id, name: "Ada", model: "" });
    assert.deepEqual([agent.id, agent["model"]], [id, null]);
    assert.equal((await stage.update(user, "agents", id, { id }))[0]?.id, id);
    const rejection = { ...violates("agents_id_immutable"), column: "id" };
    await rejects(stage.update(user, "agents", id, { id: randomUUID() }), rejection);
    await rejects(stage.update("service_role", "agents", id, { id: randomUUID() }), rejection);
  });

  it("cannot be made for, or given to, somebody else", async () => {
    const { stage } = opened;
    const [user, other] = [await stage.newUser(), await stage.newUser()];
    const agent = await stage.newAgent(user);
    await rejects(stage.insert(user, "agents", { name: "Ada", user_id: other }), FORBIDDEN);
    for (const caller of [user, "service_role"])
      await rejects(stage.update(caller, "agents", agent, { user_id: other }), {
        ...FORBIDDEN,
        constraint: "agents_user_id_transfer",
      });
    assert.deepEqual(await stage.update(other, "agents", agent, { name: "Mine" }), []);
    assert.deepEqual(await stage.remove(other, "agents", agent), []);
    await rejects(stage.find("anon", "agents", agent), FORBIDDEN);
  });

  it("move updated_at with an owner's change and leave it to the status machine", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const made = await stage.insert(user, "agents", { name: "Ada" });
    // The driver's dates are in milliseconds, and both statements can be through within one.
    for (const since = Date.now(); Date.now() <= since + 1; ) await nextTurn();
    const [machine] = await stage.update("internal", "public.agents", made.id, { status: "thinking" });
    assert.deepEqual(machine?.["updated_at"], made["updated_at"]);
    assert.notDeepEqual(machine?.["status_changed_at"], made["status_changed_at"]);
    const [whole] = await stage.update(user, "agents", made.id, {
      name: "Ada",
      created_at: "2000-01-01",
      updated_at: "2000-01-01",
    });
    assert.deepEqual(whole?.["created_at"], made["created_at"]);
    assert.ok((whole?.["updated_at"] as Date) > (made["updated_at"] as Date));
    assert.deepEqual(whole?.["status_changed_at"], machine?.["status_changed_at"]);
    for (const status of AGENT_STATUSES) {
      const [row] = await stage.update(user, "agents", made.id, { status });
      assert.equal(row?.["status"], status);
    }
  });

  it("stop at the limit, whoever makes them and however many at once", async () => {
    const { stage } = opened;
    const limit = 5;
    await stage.database.owner.query("update private.settings set value = $1 where name = 'agent_limit_per_user'", [
      limit,
    ]);
    try {
      const [user, other] = [await stage.newUser(), await stage.newUser()];
      const rejection = violates("agents_limit_per_user");
      const bulk = "insert into agents (name) select 'a' from generate_series(1, $1)";
      await rejects(stage.run(user, bulk, [limit + 1]), rejection);
      await stage.run(user, bulk, [limit - 1]);
      const outcomes = await Promise.allSettled(Array.from({ length: 10 }, () => stage.newAgent(user)));
      assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 1);
      await rejects(stage.insert("service_role", "agents", { name: "Ada", user_id: user }), rejection);
      await stage.newAgent(other);
      const [mine] = await stage.run(user, "select id from agents limit 1");
      const upsert =
        "insert into agents (id, name) values ($1, 'b') on conflict (id) do update set name = excluded.name returning id";
      assert.equal((await stage.run(user, upsert, [mine?.id])).length, 1);
      await stage.remove(user, "agents", mine?.id);
      await stage.newAgent(user);
    } finally {
      await stage.database.owner.query("update private.settings set value = '100' where name = 'agent_limit_per_user'");
    }
  });

  it("stop at the limit where very many users get one at a time with them", async () => {
    const { stage } = opened;
    await stage.database.owner.query("update private.settings set value = '1' where name = 'agent_limit_per_user'");
    try {
      const users = await Promise.all(Array.from({ length: 101 }, () => stage.newUser()));
      const outcomes = await Promise.allSettled([
        stage.run("service_role", "insert into agents (name, user_id) select 'a', unnest($1::uuid[])", [users]),
        ...users.slice(0, 10).map((user) => stage.newAgent(user)),
      ]);
      const [first] = outcomes;
      const made = await stage.run("service_role", "select user_id from agents where user_id = any ($1)", [users]);
      assert.equal(new Set(made.map(({ user_id }) => user_id)).size, made.length);
      assert.equal(made.length >= users.length, first.status === "fulfilled");
    } finally {
      await stage.database.owner.query("update private.settings set value = '100' where name = 'agent_limit_per_user'");
    }
  });

  it("have no limit when it is zero", async () => {
    const { stage } = opened;
    await stage.database.owner.query("update private.settings set value = '0' where name = 'agent_limit_per_user'");
    try {
      await stage.run(await stage.newUser(), "insert into agents (name) select 'a' from generate_series(1, 150)");
    } finally {
      await stage.database.owner.query("update private.settings set value = '100' where name = 'agent_limit_per_user'");
    }
  });

  it("are counted for the limit, whatever statements insert and delete them", async () => {
    const { stage } = opened;
    const { owner } = stage.database;
    const users = await Promise.all(Array.from({ length: 4 }, () => stage.newUser()));
    const countDifferences = async (): Promise<unknown[]> => {
      const { rows } = await owner.query(
        `select u.id, c.agents, count(a.id) from unnest($1::uuid[]) as u (id)
         left join private.agent_counters c on c.user_id = u.id left join agents a on a.user_id = u.id
         group by u.id, c.agents having coalesce(c.agents, 0) <> count(a.id)`,
        [users],
      );
      return rows;
    };
    const all = [users, users.toReversed()];
    const insert = "insert into agents (name, user_id) select 'a', unnest($1::uuid[])";
    const remove =
      "delete from agents where id in (select id from agents where user_id = any ($1) order by random() limit 2)";
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => stage.run("service_role", at % 3 === 2 ? remove : insert, [all[at % 2]])),
    );
    assert.deepEqual(await countDifferences(), []);
    await owner.query("begin");
    await owner.query("truncate agents cascade");
    assert.deepEqual(await countDifferences(), []);
    await owner.query("rollback");
    await owner.query("delete from auth.users where id = any ($1)", [users]);
    const { rows } = await owner.query("select 1 from private.agent_counters where user_id = any ($1)", [users]);
    assert.deepEqual(rows, []);
  });
});
