import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { userScope } from "./callers.ts";
import { openStage, type Stage } from "./stage.ts";

/** Each test is a way in that must stay shut, in statements as a request could produce them. */
let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

describe("memberships of a swarm", () => {
  test("an upsert gives nobody a role that an update would not", () =>
    stage.play(async ({ as }) => {
      const upsert = (membership: string, change: string): string =>
        `insert into public.swarm_members (swarm_id, user_id, role) values ${membership}
         on conflict (swarm_id, user_id) do update set ${change}`;
      const memberships: [string, string, string][] = [
        ["member", "(:swarm, :member, 'admin')", "role = excluded.role"],
        ["viewer", "(:swarm, :viewer, 'member')", "role = excluded.role"],
        ["invited", "(:swarm, :invited, 'admin')", "role = excluded.role, status = 'active'"],
        ["admin", "(:swarm, :owner, 'viewer')", "role = excluded.role"],
        ["admin", "(:swarm, :admin, 'admin')", "role = 'owner'"],
        ["admin", "(:swarm, :invited, 'member')", "status = 'active'"],
        ["stranger", "(:swarm, :stranger, 'member')", "status = 'active'"],
      ];
      for (const [user, membership, change] of memberships) {
        assert.equal((await as(user, upsert(membership, change))).code, "42501", `${user} ${membership} ${change}`);
      }
    }));

  test("a membership cannot be carried into a swarm where its holder has more to say", () =>
    stage.play(async ({ as }) => {
      const { rows } = await as("invited", "insert into public.swarms (name) values ('Mine') returning id");
      const mine = String(rows[0]?.["id"]);
      for (const change of [
        `swarm_id = '${mine}', role = 'admin'`,
        `swarm_id = '${mine}', role = 'admin', status = 'active'`,
      ]) {
        assert.equal(
          (await as("invited", `update public.swarm_members set ${change} where id = :invitedMembership`)).code,
          "23514",
        );
      }
      const guest = await as(
        "invited",
        `insert into public.swarm_members (swarm_id, user_id, role) values ('${mine}', :newcomer, 'admin') returning id`,
      );
      const carried = await as(
        "invited",
        `update public.swarm_members set swarm_id = :swarm where id = '${String(guest.rows[0]?.["id"])}'`,
      );
      assert.equal(carried.code, "23514");
    }));

  test("an invitation by e-mail answers to the confirmed address of the account, not to the one in the token", () =>
    stage.play(async ({ within, asInternal }) => {
      const pretender = userScope(stage.ids.get("stranger") ?? "", "invited@example.test");
      const query = "select 1 from public.swarm_members where id = :emailMembership";
      assert.equal((await within(pretender, query)).count, 0);
      assert.equal(
        (await within(pretender, "update public.swarm_members set status = 'active' where id = :emailMembership"))
          .count,
        0,
      );
      assert.equal((await within(pretender, "delete from public.swarm_members where id = :emailMembership")).count, 0);

      const invited = userScope(stage.ids.get("invited") ?? "", "invited@example.test");
      assert.equal((await within(invited, query)).count, 1);
      await asInternal("update auth.users set proven_email = null where id = :invited");
      assert.equal((await within(invited, query)).count, 0, "an address that nobody has proven");
    }));

  test("an invitation cannot be accepted in another's name", () =>
    stage.play(async ({ as, asService }) => {
      const accept =
        "update public.swarm_members set status = 'active', user_id = :stranger where id = :emailMembership";
      assert.equal((await as("invited", accept)).code, "23514");
      assert.equal((await as("invited", accept.replace(":emailMembership", ":invitedMembership"))).code, "23514");
      const bearing =
        "insert into public.swarm_members (swarm_id, user_id, status, joined_at, invited_by) values (:swarm, :stranger, 'active', now(), :owner)";
      assert.equal((await as("admin", bearing)).code, null);
      const { rows } = await asService(
        "select status, joined_at, invited_by from public.swarm_members where swarm_id = :swarm and user_id = :stranger",
      );
      assert.deepEqual(rows, [{ status: "invited", joined_at: null, invited_by: stage.ids.get("admin") }]);
    }));

  test("inviting somebody shows the inviter nothing of them", () =>
    stage.play(async ({ as }) => {
      const { rows } = await as("stranger", "insert into public.swarms (name) values ('Trap') returning id");
      const trap = String(rows[0]?.["id"]);
      await as("stranger", `insert into public.swarm_members (swarm_id, user_id) values ('${trap}', :owner)`);
      for (const query of [
        "select 1 from public.public_profiles where id = :owner",
        "select 1 from public.tools where id = :sharedTool",
        "select 1 from public.agent_cards where id = :ownerAgent",
      ]) {
        assert.equal((await as("stranger", query)).count, 0, query);
      }
    }));

  test("who is removed sees nothing of the swarm from then on", () =>
    stage.play(async ({ as }) => {
      await as("owner", "delete from public.swarm_members where user_id = :member");
      const tables = ["swarms", "messages", "message_revisions", "runs", "run_turns", "run_events"];
      for (const table of tables) assert.equal((await as("member", `select 1 from public.${table}`)).count, 0, table);
      assert.equal((await as("member", "select 1 from public.swarm_members")).count, 0);
      assert.equal((await as("member", "select 1 from public.agent_cards where id = :ownerAgent")).count, 0);
      assert.equal((await as("member", "select 1 from public.tools where id = :sharedTool")).count, 0);
    }));

  test("an accepted invitation does not tell the swarm its guest's e-mail address", () =>
    stage.play(async ({ as }) => {
      await as("invited", "update public.swarm_members set status = 'active' where id = :emailMembership");
      const { rows } = await as("viewer", "select invited_email from public.swarm_members where id = :emailMembership");
      assert.deepEqual(rows, [{ invited_email: null }]);
    }));
});

describe("rows of others", () => {
  test("an upsert over the id of another's row changes and shows nothing", () =>
    stage.play(async ({ as, asService }) => {
      const upserts: Record<string, string> = {
        agents: "(id, name, system_prompt) values (:ownerAgent, 'x', 'x')",
        tools: "(id, name, description) values (:sharedTool, 'x', 'x')",
        webhooks: "(id, name, url, events) values (:webhook, 'x', 'https://x.test/', '{agent.created}')",
        swarms: "(id, name) values (:swarm, 'x')",
        agent_tools: "(id, agent_id, tool_id) values (:assignment, :strangerSpare, :builtinTool)",
      };
      for (const [table, row] of Object.entries(upserts)) {
        const untouched = await asService(`select * from public.${table} order by id`);
        for (const action of ["nothing", "update set id = excluded.id", "update set created_at = now()"]) {
          const statement = `insert into public.${table} ${row} on conflict (id) do ${action} returning *`;
          const { code, rows } = await as("stranger", statement);
          assert.deepEqual({ code, rows }, { code: action === "nothing" ? null : "42501", rows: [] }, statement);
        }
        assert.deepEqual(await asService(`select * from public.${table} order by id`), untouched);
      }
    }));

  test("who has nothing sees and changes nothing, with no filter at all", () =>
    stage.play(async ({ as }) => {
      const { rows: tables } = await as(
        "hermit",
        `select c.relname as name, (select attname from pg_attribute a where a.attrelid = c.oid and a.attnum = 1) as "column"
         from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v')`,
      );
      const seen: Record<string, number> = {};
      const changed: Record<string, number> = {};
      for (const { name, column } of tables as { name: string; column: string }[]) {
        const { count } = await as("hermit", `select 1 from public.${name}`);
        if (count > 0) seen[name] = count;
        const update = await as("hermit", `update public.${name} set "${column}" = "${column}"`);
        const remove = await as("hermit", `delete from public.${name}`);
        if (update.count + remove.count > 0) changed[name] = update.count + remove.count;
      }
      // Their own profile and settings, the six tools that are built in and the one that is public, the model on offer, and
      // the listed types of events.
      const own = { profiles: 1, public_profiles: 1, user_settings: 1 };
      assert.deepEqual(seen, { ...own, tools: 9, models: 1, event_types: 2 });
      assert.deepEqual(changed, { profiles: 1, user_settings: 1 });
    }));

  test("an agent that takes over the id of a deleted one inherits nothing of it", () =>
    stage.play(async ({ as, asService }) => {
      await as("owner", "delete from public.agents where id = :ownerAgent");
      assert.equal((await as("viewer", "insert into public.agents (id, name) values (:ownerAgent, 'New')")).code, null);
      for (const query of [
        "select data from public.run_events where restricted",
        "select input from public.tool_execution_payloads",
        "select 1 from public.swarm_agents where agent_id = :ownerAgent",
        "select 1 from public.messages where sender_agent_id = :ownerAgent",
        "select 1 from public.agent_tools",
      ]) {
        assert.equal((await as("viewer", query)).count, 0, query);
      }
      assert.equal((await asService("select 1 from public.run_events where restricted")).count, 2, "still there");
    }));

  test("who did something is the service's to say", () =>
    stage.play(async ({ as, asService }) => {
      const forgeries: [string, string, string, string][] = [
        ["admin", "swarm_agents", "added_by", ":ownerSwarmAgent"],
        ["member", "swarm_agents", "added_by", ":memberSwarmAgent"],
        ["admin", "message_flags", "resolved_by", ":memberFlag"],
        ["admin", "swarm_members", "invited_by", ":memberMembership"],
        ["member", "messages", "deleted_by", ":memberMessage"],
      ];
      const forged: string[] = [];
      for (const [user, table, column, row] of forgeries) {
        await as(user, `update public.${table} set ${column} = :newcomer where id = ${row}`);
        const { count } = await asService(`select 1 from public.${table} where ${column} = :newcomer`);
        if (count > 0) forged.push(`${user}: ${table}.${column}`);
      }
      assert.deepEqual(forged, []);
    }));

  test("a message says of itself only what its author may say", () =>
    stage.play(async ({ as }) => {
      const { rows } = await as(
        "member",
        `insert into public.messages (swarm_id, content, seq, sender_type, sender_id, sender_user_id, sender_agent_id, sender_name,
           sender_deleted, run_id, turn_id, finish_reason, edited_at, deleted_at, deleted_by, flagged, created_at, data)
         values (:swarm, 'hi', 1, 'agent', :owner, :owner, :ownerAgent, 'Owner', true, :run, :turn, 'stop', now(), now(), :owner, true, 'epoch', '{"a": 1}')
         returning seq > 1 as numbered, sender_type, sender_id, sender_user_id, sender_agent_id, sender_name <> 'Owner' as named,
           sender_deleted, run_id, turn_id, finish_reason, edited_at, deleted_at, deleted_by, flagged, data, created_at = now() as stamped`,
      );
      const member = stage.ids.get("member");
      assert.deepEqual(rows, [
        {
          numbered: true,
          named: true,
          stamped: true,
          sender_type: "user",
          sender_id: member,
          sender_user_id: member,
          sender_agent_id: null,
          sender_deleted: false,
          run_id: null,
          turn_id: null,
          finish_reason: null,
          edited_at: null,
          deleted_at: null,
          deleted_by: null,
          flagged: false,
          data: null,
        },
      ]);
    }));

  test("a deleted message leaves nothing to read", () =>
    stage.play(async ({ as }) => {
      const words = "select 1 from public.message_revisions where message_id = :memberMessage";
      assert.equal((await as("viewer", words)).count, 1);
      await as("member", "delete from public.messages where id = :memberMessage");
      assert.equal((await as("viewer", words)).count, 0);
      const { rows } = await as("viewer", "select content, metadata from public.messages where id = :memberMessage");
      assert.deepEqual(rows, [{ content: null, metadata: {} }]);
    }));

  test("a flag counts in the swarm of its message, whatever the request says", () =>
    stage.play(async ({ as }) => {
      const { rows } = await as(
        "viewer",
        "insert into public.message_flags (message_id, swarm_id) values (:agentMessage, :elsewhere) returning swarm_id",
      );
      assert.deepEqual(rows, [{ swarm_id: stage.ids.get("swarm") }]);
    }));

  test("a computed relationship shows no tool that its caller may not see", () =>
    stage.play(async ({ as }) => {
      const made =
        "select public.tool(jsonb_populate_record(null::public.agent_tools, jsonb_build_object('tool_id', :privateTool)))";
      assert.equal((await as("stranger", made)).count, 0);
      assert.equal((await as("owner", made)).count, 1);
    }));

  test("a new agent with the id of a deleted one opens none of its conversations", () =>
    stage.play(async ({ as, asInternal }) => {
      const read = "select 1 from private.my_transcript_ids() as mine where mine = :elsewhere";
      const open = (createdAt: string): string =>
        `insert into private.private_swarms (swarm_id, user_id, agent_id, transcripts, created_at)
         values (:elsewhere, :newcomer, :ownerSpare, 'owner', ${createdAt})`;
      await asInternal(open("now() + interval '1 minute'"));
      assert.equal((await as("owner", read)).count, 1);
      await asInternal(
        "update private.private_swarms set created_at = now() - interval '1 day' where swarm_id = :elsewhere",
      );
      assert.equal((await as("owner", read)).count, 0);
    }));

  test("computed fields show the agent of a private swarm, and who reads it, to its user only", () =>
    stage.play(async ({ as, asInternal }) => {
      await asInternal(
        `insert into private.private_swarms (swarm_id, user_id, agent_id, transcripts)
         select sa.swarm_id, :owner, sa.agent_id, 'owner'
         from public.swarm_agents sa where sa.swarm_id = :swarm limit 1`,
      );
      for (const field of ["private_agent_id", "transcripts"]) {
        const made = `select 1 where public.${field}(
          jsonb_populate_record(null::public.swarms, jsonb_build_object('id', :swarm))) is not null`;
        assert.equal((await as("admin", made)).count, 0);
        assert.equal((await as("owner", made)).count, 1);
      }
    }));
});
