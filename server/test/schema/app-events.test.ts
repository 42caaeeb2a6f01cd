import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { FORBIDDEN, openStage, type Query, type Rejection, rejects, violates } from "./support/stage.ts";

const TARGETS = {
  self: { user_id: "me" },
  other: { user_id: "other" },
  swarm: { swarm_id: "swarm" },
  both: { user_id: "me", swarm_id: "swarm" },
  "other and swarm": { user_id: "other", swarm_id: "swarm" },
  foreign: { swarm_id: "foreign" },
  invitation: { swarm_id: "invitation" },
  nobody: {},
} as const;
type Target = keyof typeof TARGETS;

const UNKNOWN: Rejection = { code: "SB400" };

describe("events of the app", () => {
  const opened = openStage();
  let me = "";
  let other = "";
  const ids: Record<string, string> = {};

  before(async () => {
    const { stage } = opened;
    [me, other] = [await stage.newUser(), await stage.newUser()];
    const swarm = await stage.newSwarm(other, { [me]: "viewer" });
    const invitation = await stage.newSwarm(other);
    await stage.insert("service_role", "swarm_members", { swarm_id: invitation, user_id: me });
    Object.assign(ids, { me, other, swarm, invitation, foreign: await stage.newSwarm(other) });
    await stage.run(
      "service_role",
      `insert into event_types (name, users_may_emit, listed)
       values ('app.open', true, true), ('app.closed', false, true), ('app.hidden', true, false)`,
    );
    for (const owner of [me, other]) await stage.listen(owner, ["app.open", "app.closed"]);
  });

  const emit = async (query: Query, type: string, target: Target = "self", data: unknown = '{"a":1}') => {
    const { user_id, swarm_id } = { user_id: null, swarm_id: null, ...TARGETS[target] };
    const values = [type, data, user_id && ids[user_id], swarm_id && ids[swarm_id]];
    const [row] = await query("select public.emit_event($1, $2, $3, $4) as id", values);
    return String(row?.id);
  };
  const emitAs = (caller: string, type: string, target?: Target, data?: unknown) =>
    opened.stage.transaction(caller, (query) => emit(query, type, target, data));

  it("are emitted by users as far as the type and their memberships permit", async () => {
    const { stage } = opened;
    await stage.takeEvents();
    const outcomes: readonly [string, Target, Rejection | null][] = [
      ["app.open", "self", null],
      ["app.open", "swarm", null],
      ["app.open", "both", null],
      ["app.open", "other", FORBIDDEN],
      ["app.open", "other and swarm", FORBIDDEN],
      ["app.open", "foreign", FORBIDDEN],
      ["app.open", "invitation", FORBIDDEN],
      ["app.open", "nobody", FORBIDDEN],
      ["app.closed", "self", FORBIDDEN],
      ["app.hidden", "self", UNKNOWN],
      ["app.missing", "self", UNKNOWN],
      ["agent.created", "self", UNKNOWN],
    ];
    for (const [type, target, rejection] of outcomes) {
      if (rejection === null) assert.match(await emitAs(me, type, target), /^evt_[0-9a-f-]{36}$/);
      else await rejects(emitAs(me, type, target), rejection, `${type} ${target}`);
    }
    assert.deepEqual(
      (await stage.takeEvents()).map(({ audience }) => audience.toSorted()),
      [[me], [me, other].toSorted(), [me, me, other].toSorted()],
    );
  });

  it("are emitted by the service role and the owner of the schema for anybody, and never by anon", async () => {
    const { stage } = opened;
    const { owner } = stage.database;
    const asOwner: Query = async (text, values = []) => (await owner.query(text, [...values])).rows;
    for (const type of ["app.open", "app.closed", "app.hidden"])
      for (const target of Object.keys(TARGETS) as Target[]) {
        await emitAs("service_role", type, target);
        await emit(asOwner, type, target);
      }
    await rejects(emitAs("service_role", "app.missing"), UNKNOWN);
    await rejects(emitAs("service_role", "agent.created"), UNKNOWN);
    await rejects(emitAs("anon", "app.open"), FORBIDDEN);
    await stage.takeEvents();
  });

  it("are emitted by API keys with the scope write, and by those bound to resources for their swarms alone", async () => {
    const { stage } = opened;
    const emitWith = (scopes: readonly string[], target: Target, resources: unknown = null) => {
      const claims = { sub: me, role: "authenticated", api_key_id: me, scopes, resources };
      return stage.transaction(me, (query) => emit(query, "app.open", target), { role: "api_key", claims });
    };
    await emitWith(["write"], "self");
    await emitWith(["write"], "swarm");
    await rejects(emitWith(["write"], "other"), FORBIDDEN);
    for (const scope of ["read", "run", "approve", "share", "secrets"])
      await rejects(emitWith([scope], "self"), { code: "SB007" }, scope);
    const bound = { agents: [], swarms: [] };
    for (const target of ["self", "swarm"] as const) await rejects(emitWith(["write"], target, bound), FORBIDDEN);
  });

  it("are not emitted with the rights that a caller claims or takes", async () => {
    const { stage } = opened;
    const { owner } = stage.database;
    await owner.query(`
      create function public.emit_as_caller() returns text language plpgsql as $$
      begin
        perform set_config('request.jwt.claims', '{"role": "service_role"}', true),
          set_config('request.jwt.claim.sub', '', true);
        return public.emit_event('app.closed', '{}');
      end $$;
      create function public.emit_as_owner() returns text language sql security definer set search_path = pg_catalog
      as $$ select public.emit_event('app.closed', '{}') $$;
      grant execute on function public.emit_as_caller(), public.emit_as_owner() to anon, authenticated`);
    for (const caller of [me, "anon"]) {
      await rejects(stage.run(caller, "select public.emit_as_caller()"), FORBIDDEN);
      await rejects(stage.run(caller, "select set_config('role', 'service_role', true)"), FORBIDDEN);
      await rejects(stage.run(caller, "select private.emit_as_service('app.closed', '{}', null, null)"), FORBIDDEN);
      await rejects(stage.run(caller, "select private.store_app_event('app.closed', '{}', null, null)"), FORBIDDEN);
      assert.equal((await stage.run(caller, "select public.emit_as_owner() as id")).length, 1);
    }
    await rejects(stage.run("anon", "select private.emit_as_user('app.open', '{}', null, null)"), FORBIDDEN);
  });

  it("without a user and a swarm go to webhooks that receive them, which only the service role chooses", async () => {
    const { stage } = opened;
    await stage.takeEvents();
    const webhook = await stage.listen(me, ["app.closed"]);
    await emitAs("service_role", "app.closed", "nobody");
    assert.deepEqual(await stage.takeEvents(), []);
    const choose = (caller: string) => stage.update(caller, "webhooks", webhook, { receives_app_events: true });
    await rejects(choose(me), { code: "42501", column: "receives_app_events" });
    await rejects(
      stage.insert(me, "webhooks", {
        name: "a",
        url: "https://a.test/",
        events: ["app.open"],
        receives_app_events: true,
      }),
      { code: "42501", column: "receives_app_events" },
    );
    await choose("service_role");
    assert.equal((await choose(me)).length, 1, "a row can be sent back as it was read");
    await emitAs("service_role", "app.closed", "nobody");
    const [event] = await stage.run("internal", "delete from private.events returning id, audience, is_for_app");
    assert.deepEqual({ ...event, id: "" }, { id: "", audience: [me], is_for_app: true });
    await stage.remove(me, "webhooks", webhook);
  });

  it("are stored only if somebody subscribes, which their id does not tell", async () => {
    const { stage } = opened;
    const hermit = await stage.newUser();
    const [row] = await stage.run("service_role", "select emit_event('app.open', '{}', $1) as id", [hermit]);
    assert.match(String(row?.id), /^evt_/);
    assert.deepEqual(await stage.takeEvents(), []);
  });

  it("are undone with their transaction", async () => {
    const { stage } = opened;
    const work = stage.transaction(me, async (query) => {
      await emit(query, "app.open");
      throw new Error("taken back");
    });
    await assert.rejects(work, /taken back/);
    assert.deepEqual(await stage.takeEvents(), []);
  });

  it("keep the text of their data, and reject data that is not an object, too large or too deep", async () => {
    const { stage } = opened;
    const text = '{ "__proto__": {"constructor": 1e2}, "n": 12345678901234567890.10, "n": "\\u2028" }';
    await emitAs(me, "app.open", "self", text);
    const [event] = await stage.run("internal", "delete from private.events returning data::text");
    assert.equal(event?.["data"], text);
    await stage.database.owner.query("insert into private.settings values ('event_limit_bytes', '2000')");
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    await emitAs(me, "app.open", "self", nested(64));
    const rejected: readonly [unknown, RegExp][] = [
      [null, /not valid/],
      ["null", /not valid/],
      ["[]", /not valid/],
      ['"a"', /not valid/],
      [nested(65), /not valid/],
      [`{"a":"${"a".repeat(2000)}"}`, /too large/],
      ['{"a":"\\u0000"}', /unsupported Unicode/],
      ['{"a":1e999999}', /out of range|overflow/],
      [`{"a":${"[".repeat(900)}${"]".repeat(900)}}`, /not valid/],
    ];
    for (const [data, message] of rejected)
      await assert.rejects(emitAs(me, "app.open", "self", data), message, String(data).slice(0, 40));
    await stage.database.owner.query("delete from private.settings where name = 'event_limit_bytes'");
    await stage.takeEvents();
  });

  interface Emitted {
    readonly ids?: readonly string[];
    readonly is_key_used?: true;
    readonly detail?: string;
  }
  type Call = readonly [events: readonly unknown[], key?: string];
  const emitTogether = async (...calls: readonly Call[]): Promise<readonly Emitted[]> => {
    const values = [
      calls.map(([events]) => JSON.stringify(events)),
      calls.map(([, key = null]) => key),
      calls.map(() => "\\x01"),
    ];
    const [row] = await opened.stage.run(me, "select to_json(private.emit_events($1, $2, $3)) as answers", values);
    return row?.["answers"] as Emitted[];
  };

  it("are emitted as a list, all or none, and a rejection names its event", async () => {
    const { stage } = opened;
    await stage.takeEvents();
    const event = { type: "app.open", data: {}, user_id: me };
    const rejected: readonly [Record<string, unknown>, object][] = [
      [{ type: "app.missing" }, { code: "INVALID_EVENTS", details: { "events.1.type": /.*/ } }],
      [{ user_id: other }, { code: "FORBIDDEN", details: { "events.1": /.*/ } }],
      [{ data: [] }, { code: "VALIDATION_ERROR", details: { "events.1.data": /.*/ } }],
      [{ data: { a: "\0" } }, { code: "VALIDATION_ERROR", details: { "events.1.data": /.*/ } }],
    ];
    for (const [change, expected] of rejected) {
      const [{ detail = "" } = {}] = await emitTogether([[event, { ...event, ...change }]]);
      assert.partialDeepStrictEqual(
        JSON.parse(detail, (_, value: unknown) => (typeof value === "string" && value.includes(" ") ? /.*/ : value)),
        expected,
      );
    }
    assert.deepEqual(await stage.takeEvents(), []);
    const [{ ids: made } = {}] = await emitTogether([[event, event], "key"]);
    assert.equal((await stage.takeEvents()).length, 2);
    assert.deepEqual(await emitTogether([[event, event], "key"]), [{ is_key_used: true }]);
    const [kept] = await stage.run(me, "select * from private.find_kept_result('key', '\\x01')");
    assert.deepEqual(kept, { is_same: true, result: made });
    const [none] = await stage.run(other, "select * from private.find_kept_result('key', '\\x01')");
    assert.equal(none, undefined);
  });

  it("are emitted for several calls of one caller, each of which stands alone", async () => {
    const { stage } = opened;
    await stage.takeEvents();
    const event = { type: "app.open", data: {}, user_id: me };
    const answers = await emitTogether(
      [[event], "z"],
      [[event, { ...event, user_id: other }], "y"],
      [[event, event]],
      [[event], "z"],
      [[event], "y"],
      [[{ ...event, type: "app.missing" }]],
    );
    assert.deepEqual(
      answers.map(({ ids, is_key_used: isKeyUsed, detail }) => ids?.length ?? isKeyUsed ?? typeof detail),
      [1, "string", 2, true, 1, "string"],
    );
    assert.equal((await stage.takeEvents()).length, 4);
    const [kept] = await stage.run(me, "select result from private.find_kept_result('z', '\\x01')");
    assert.deepEqual(kept, { result: answers[0]?.ids });
  });

  it("have types that users neither see nor can subscribe to while they are not listed", async () => {
    const { stage } = opened;
    const names = async (caller: string) =>
      (await stage.run(caller, "select name from event_types order by name")).map(({ name }) => name);
    assert.deepEqual(await names(me), ["app.closed", "app.open"]);
    assert.deepEqual(await names("service_role"), ["app.closed", "app.hidden", "app.open"]);
    const unknown = violates("webhooks_events_known");
    for (const type of ["app.hidden", "app.missing", "app", "app.", "APP.open", "app.open,agent.exploded", ""])
      for (const events of [[type], ["agent.created", type], [type, "app.open"]])
        await rejects(stage.listen(me, events), unknown, type);
    await rejects(stage.listen("service_role", ["app.missing"]), unknown);
    const webhook = await stage.insert("service_role", "webhooks", {
      user_id: me,
      name: "a",
      url: "https://a.test/",
      events: ["app.hidden", "app.open", "agent.created", "app.hidden"],
    });
    assert.deepEqual(webhook["events"], ["app.hidden", "app.open", "agent.created"]);
    assert.equal((await stage.update(me, "webhooks", webhook.id, { events: webhook["events"], name: "b" })).length, 1);
    await rejects(stage.update(me, "webhooks", webhook.id, { events: ["app.hidden"] }), unknown);
  });

  it("have types with a fixed name that the service role alone writes", async () => {
    const { stage } = opened;
    await rejects(stage.insert(me, "event_types", { name: "app.mine" }), FORBIDDEN);
    for (const name of ["app", "application.a", "app.", "app.A", "app.a-b", "app.1", "app..a", "app.a\n"])
      await rejects(stage.insert("service_role", "event_types", { name }), violates("event_types_name_format"), name);
    const { id } = await stage.insert("service_role", "event_types", { name: "app.a_1.b" });
    await rejects(
      stage.update("service_role", "event_types", id, { name: "app.other" }),
      violates("event_types_name_immutable"),
    );
    await stage.remove("service_role", "event_types", id);
  });
});
