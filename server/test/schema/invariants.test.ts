import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import * as sdk from "@swarmbase/sdk";
import { connectClient } from "../../src/db/index.ts";
import { RULES } from "./support/rules.ts";
import { openStage } from "./support/stage.ts";

const LISTS: Readonly<Record<string, readonly string[]>> = {
  webhooks_events_known: sdk.EVENT_TYPES,
  webhooks_api_version_known: [sdk.API_VERSION],
  webhook_deliveries_status_known: sdk.DELIVERY_STATUSES,
  agents_status_known: sdk.AGENT_STATUSES,
  agents_framework_known: sdk.FRAMEWORKS,
  user_settings_default_framework_known: sdk.FRAMEWORKS,
  swarms_status_known: sdk.SWARM_STATUSES,
  swarms_strategy_known: sdk.SWARM_STRATEGIES,
  runs_strategy_known: sdk.SWARM_STRATEGIES,
  swarm_members_role_known: sdk.SWARM_ROLES,
  swarm_members_status_known: sdk.SWARM_MEMBER_STATUSES,
  tools_kind_known: sdk.TOOL_KINDS,
  tools_visibility_known: sdk.TOOL_VISIBILITIES,
  messages_sender_type_known: sdk.MESSAGE_SENDER_TYPES,
  messages_content_type_known: sdk.MESSAGE_CONTENT_TYPES,
  message_flags_source_known: sdk.MESSAGE_FLAG_SOURCES,
  message_flags_status_known: sdk.MESSAGE_FLAG_STATUSES,
  guardrails_kind_known: sdk.GUARDRAIL_KINDS,
  guardrails_stage_known: sdk.GUARDRAIL_STAGES,
  guardrails_action_known: sdk.GUARDRAIL_ACTIONS,
  models_framework_known: sdk.FRAMEWORKS,
  runs_status_known: sdk.RUN_STATUSES,
  runs_stop_reason_known: sdk.RUN_STOP_REASONS,
  eval_runs_status_known: sdk.EVAL_RUN_STATUSES,
};

describe("the schema", () => {
  const opened = openStage();

  for (const [name, { faults, breach }] of Object.entries(RULES)) {
    it(name, async () => {
      // As superuser: the owner does not see every catalogue of the server.
      const admin = await connectClient(opened.stage.database.adminUrl);
      const find = async () => (await admin.query<{ fault: string }>(faults)).rows.map(({ fault }) => fault);
      try {
        const found = await find();
        // The rule must see a breach, else its silence means nothing.
        await admin.query("begin");
        await admin.query(breach);
        assert.ok((await find()).length > found.length, `blind to: ${breach}`);
        await admin.query("rollback");
        assert.deepEqual(found, []);
      } finally {
        await admin.end();
      }
    });
  }

  it("knows the lists of the interface", async () => {
    const { rows } = await opened.stage.database.owner.query<{ name: string; definition: string }>(
      "select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint where conname = any ($1)",
      [Object.keys(LISTS)],
    );
    const found = Object.fromEntries(
      rows.map(({ name, definition }) => [
        name,
        // Without patterns: extensions add tool kinds of their own.
        [...definition.matchAll(/'([^'^]+)'::text/g)].map(([, value = ""]) => value).toSorted(),
      ]),
    );
    assert.deepEqual(
      found,
      Object.fromEntries(Object.entries(LISTS).map(([name, values]) => [name, values.toSorted()])),
    );
  });

  it("has the bounds of the interface", async () => {
    const { rows } = await opened.stage.database.owner.query<{ name: string; definition: string }>(
      `select conname as name, pg_get_constraintdef(oid) as definition from pg_constraint where contype = 'c'
       union all select parts[2], parts[1] from pg_proc p, regexp_matches(p.prosrc, $$when (.*?)\\s+then '(\\w+)'$$, 'g') as parts
       where p.proname = 'is_valid_agent'`,
    );
    for (const [field, { kind, min, max }] of Object.entries(sdk.FIELD_BOUNDS)) {
      const suffix = { text: "length", "text list": "length", json: "size", integer: "range" }[kind];
      const definition = rows.find(({ name }) => name === `${field.replace(".", "_")}_${suffix}`)?.definition ?? "none";
      assert.match(
        definition,
        new RegExp(`<= ${max}\\)|> ${max}$|not between ${min} and ${max}$|, ${min}, ${max}\\)$`),
        field,
      );
      if (min > 0 && kind !== "text" && kind !== "text list")
        assert.match(definition, new RegExp(`>= ${min}\\)`), field);
    }
  });

  it("never compiles a function that switches planner methods off, and lets every function sort", async () => {
    const { rows } = await opened.stage.database.owner.query<{ name: string; settings: string[] }>(
      `select proname as name, proconfig as settings from pg_proc
       where exists (select 1 from unnest(proconfig) as setting where setting like 'enable%')`,
    );
    assert.ok(rows.length > 0);
    for (const { name, settings } of rows) {
      assert.ok(settings.includes("jit=off"), name);
      assert.ok(
        !settings.includes("enable_sort=off"),
        `${name}: a sort without an alternative costs 10^10 up to PostgreSQL 17`,
      );
    }
  });

  it("reads a member's messages through an index, asking for their swarms once", async () => {
    const { stage } = opened;
    const [owner, member] = [await stage.newUser(), await stage.newUser()];
    const swarm = await stage.newSwarm(owner, { [member]: "member" });
    await stage.run(owner, "insert into swarms (name) select 'Room' from generate_series(1, 200)");
    await stage.run(
      owner,
      "insert into messages (swarm_id, content) select s.id, 'a' from swarms s, generate_series(1, 10)",
    );
    await stage.database.owner.query("analyze public.messages, public.swarm_members");
    const explain = async (text: string, values: readonly unknown[]) =>
      (await stage.run(member, `explain (costs off) ${text}`, values)).map((row) => row["QUERY PLAN"]).join("\n");
    for (const plan of [
      await explain("select * from messages where swarm_id = $1 order by seq desc limit 20", [swarm]),
      await explain("select * from messages", []),
    ]) {
      assert.match(plan, /InitPlan/);
      assert.doesNotMatch(plan, /SubPlan|Seq Scan on messages/, plan);
      assert.match(plan, /Index/);
    }
  });

  it("finds the rows that a list orders by cost, duration or errors by the index of their owner and time", async () => {
    const { stage } = opened;
    const { owner: database } = stage.database;
    const [user, other] = [await stage.newUser(), await stage.newUser()];
    const [mine, others] = [await stage.newSwarm(user), await stage.newSwarm(other)];
    await database.query(
      `insert into public.runs (swarm_id, user_id, strategy, status, stop_reason, usage, error, created_at, started_at,
         finished_at)
       select case when n % 50 = 0 then $1::uuid else $2 end, case when n % 50 = 0 then $3::uuid else $4 end, 'mention',
         'completed', 'all_replied', jsonb_build_object('cost_usd', n), null, now() - n * interval '1 minute', now(),
         now() + n * interval '1 millisecond'
       from generate_series(1, 20000) as n`,
      [mine, others, user, other],
    );
    await database.query("analyze public.runs");
    for (const order of ["r.usage -> 'cost_usd'", "public.duration_ms(r)", "r.error ->> 'code'"]) {
      const text = `select r.* from public.runs r where r.created_at > now() - interval '7 days'
        order by ${order} desc nulls last, r.id desc limit 50`;
      const rows = await stage.run(user, `explain (costs off) ${text}`);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      assert.match(plan, /runs_swarm_id_created_at_idx/, plan);
      assert.doesNotMatch(plan, /Seq Scan on runs/, plan);
    }
    const text =
      "select public.duration_ms(r)::integer as id from public.runs r order by public.duration_ms(r) desc limit 2";
    assert.deepEqual(await stage.run(user, text), [{ id: 20000 }, { id: 19950 }]);
  });

  it("answers the orders of lists in the order of an index, also for a user with most of the rows", async () => {
    const { stage } = opened;
    const { owner: database } = stage.database;
    const [user, other, dataset, agent] = [await stage.newUser(), await stage.newUser(), randomUUID(), randomUUID()];
    const [mine, others] = [await stage.newSwarm(user), await stage.newSwarm(other)];
    const address = { url: "https://hooks.example.com", events: ["agent.created"] };
    const hooks = [user, other].map((owner) =>
      stage.insert(owner, "webhooks", { ...address, name: "Hook", user_id: owner }),
    );
    const [hook, otherHook] = (await Promise.all(hooks)).map(({ id }) => id);
    await stage.insert(user, "eval_datasets", { id: dataset, name: "Cases", user_id: user });
    await stage.insert(user, "agents", { id: agent, name: "Ada", user_id: user });
    // Five of six rows belong to the user.
    const rowsOf = (columns: string, values: string) =>
      database.query(
        `insert into public.${columns} select ${values} from generate_series(1, 12000) as n,
           lateral (select n % 6 > 0 as is_mine, now() - n * interval '1 second' as at) as row`,
      );
    const either = (one: string, another: string) => `case when is_mine then '${one}'::uuid else '${another}' end`;
    await rowsOf(
      "runs (swarm_id, user_id, strategy, status, stop_reason, created_at)",
      `${either(mine, others)}, ${either(user, other)}, 'mention', 'completed', 'all_replied', at`,
    );
    await rowsOf(
      "webhook_deliveries (webhook_id, user_id, event_id, event_type, payload, created_at)",
      `${either(hook ?? "", otherHook ?? "")}, ${either(user, other)}, gen_random_uuid(), 'agent.created', '{}', at`,
    );
    await rowsOf(
      "eval_runs (user_id, dataset_id, agent_id, agent_version, status, created_at)",
      `'${user}', '${dataset}', '${agent}', 1, 'completed', at`,
    );
    await rowsOf(
      "usage_records (payer_id, user_id, agent_id, grant_id, framework, model, cost_usd, created_at)",
      `'${other}', '${other}', case when n % 600 = 0 then '${agent}'::uuid end,
         case when n % 600 = 0 then gen_random_uuid() end, 'provider_a', 'm', 1, now() + interval '1 minute'`,
    );
    await database.query(
      `insert into public.run_turns (run_id, swarm_id, agent_name, position, status, framework, model)
       select id, swarm_id, 'Ada', 0, 'failed', 'provider_a', 'm' from public.runs`,
    );
    await database.query(
      "analyze public.runs, public.webhook_deliveries, public.eval_runs, public.usage_records, public.run_turns",
    );
    const explain = async (text: string) =>
      (await stage.run(user, `explain (costs off) ${text}`)).map((row) => row["QUERY PLAN"]).join("\n");
    const newest = "order by created_at desc, id desc limit 50";
    for (const text of [
      "select * from public.runs order by id desc limit 50",
      `select * from public.runs where swarm_id = '${mine}' order by id desc limit 50`,
      `select id from public.webhook_deliveries where webhook_id = '${hook}' ${newest}`,
      `select * from public.eval_runs where dataset_id = '${dataset}' ${newest}`,
      `select * from public.eval_runs where dataset_id = '${dataset}' and status = 'completed'
         order by created_at desc limit 12`,
      `select * from public.agents ${newest}`,
    ]) {
      const plan = await explain(text);
      assert.match(plan, /Index Scan/, `${text}\n${plan}`);
      // An incremental sort orders the rows of one time.
      assert.doesNotMatch(plan, /(?:^|-> +)(?:Sort|Seq Scan)/mu, `${text}\n${plan}`);
    }
    const customers = await explain(
      `select * from public.agent_customers where agent_id = '${agent}' order by cost_usd desc, user_id limit 50`,
    );
    assert.match(customers, /usage_records_agent_id_idx/, customers);
    assert.doesNotMatch(customers, /Seq Scan on (?:usage_records|run_turns|runs)/, customers);
  });

  it("finds the swarms of a caller by an index, also with plans that were made for nearly empty tables", async () => {
    const { stage } = opened;
    const { owner } = stage.database;
    const user = await stage.newUser();
    const swarm = await stage.newSwarm(user);
    await owner.query("vacuum analyze public.swarm_members, private.hidden_swarms");
    await owner.query("begin");
    try {
      await owner.query("select set_config('request.jwt.claim.sub', $1, true)", [user]);
      await owner.query(
        `select private.may_i_write($1), array(select private.my_swarm_ids()), array(select private.my_writable_swarm_ids()),
           array(select private.my_managed_swarm_ids()), array(select private.my_hidden_swarm_ids())`,
        [swarm],
      );
      const { rows } = await owner.query(
        `select relname, seq_scan, idx_scan > 0 as is_read from pg_stat_xact_user_tables
         where relname in ('swarm_members', 'hidden_swarms') order by relname`,
      );
      assert.deepEqual(rows, [
        { relname: "hidden_swarms", seq_scan: "0", is_read: true },
        { relname: "swarm_members", seq_scan: "0", is_read: true },
      ]);
    } finally {
      await owner.query("rollback");
    }
  });

  it("finds published swarms by an index, whatever the value of the parameter", async () => {
    const { owner } = opened.stage.database;
    await owner.query("begin");
    try {
      await owner.query("set local enable_seqscan = off; set local plan_cache_mode = force_generic_plan");
      await owner.query("prepare published as select id from public.swarms where (settings->>'a2a_published') = $1");
      const { rows } = await owner.query<{ "QUERY PLAN": string }>("explain execute published ('true')");
      assert.match(rows.map((row) => row["QUERY PLAN"]).join("\n"), /swarms_a2a_published_idx/);
      await owner.query("deallocate published");
    } finally {
      await owner.query("rollback");
    }
  });
});
