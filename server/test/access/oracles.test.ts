import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { openStage, type StageTransaction, type Stage } from "./stage.ts";

/** What a refusal gives away: whether something exists, and what is in it. */
let stage: Stage;
before(async () => {
  stage = await openStage();
});
after(() => stage.close());

describe("a hidden row and a missing one get the same answer", () => {
  const cases: Record<string, [user: string, statement: string, hidden: string]> = {
    "a message into a swarm": [
      "stranger",
      "insert into public.messages (swarm_id, content) values (:it, 'hi')",
      ":swarm",
    ],
    "an agent into a swarm": [
      "stranger",
      "insert into public.swarm_agents (swarm_id, agent_id) values (:it, :strangerSpare)",
      ":swarm",
    ],
    "a member into a swarm": [
      "stranger",
      "insert into public.swarm_members (swarm_id, user_id) values (:it, :newcomer)",
      ":swarm",
    ],
    "a tool to an agent": [
      "stranger",
      "insert into public.agent_tools (agent_id, tool_id) values (:strangerSpare, :it)",
      ":privateTool",
    ],
    "a flag on a message": ["stranger", "insert into public.message_flags (message_id) values (:it)", ":ownerMessage"],
    "a reply to a message": [
      "newcomer",
      "insert into public.messages (swarm_id, content, reply_to_id) values (:elsewhere, 'hi', :it)",
      ":ownerMessage",
    ],
    "an update": ["stranger", "update public.swarms set name = 'x' where id = :it", ":swarm"],
    "a deletion": ["stranger", "delete from public.messages where id = :it", ":ownerMessage"],
  };
  for (const [title, [user, statement, hidden]] of Object.entries(cases)) {
    test(title, () =>
      stage.play(async ({ as }) => {
        const answers = [];
        for (const id of [hidden, `'${randomUUID()}'`]) {
          const { code, detail, count } = await as(user, statement.replace(":it", id));
          answers.push({ code, detail, count });
        }
        assert.deepEqual(answers[0], answers[1]);
      }),
    );
  }

  test("an invitation by e-mail, whether the address has an account or not", () =>
    stage.play(async ({ as }) => {
      const invite = (email: string): string =>
        `insert into public.swarm_members (swarm_id, invited_email) values (:swarm, '${email}')
         returning user_id, role, status, joined_at`;
      const known = await as("admin", invite("stranger@example.test"));
      const unknown = await as("admin", invite("nobody@example.test"));
      assert.equal(known.code, null);
      assert.deepEqual(known.rows, unknown.rows);
    }));

  test("only an agent's existence is told, because the interface has a code for each case", () =>
    stage.play(async ({ as }) => {
      for (const statement of [
        "insert into public.agent_tools (agent_id, tool_id) values (:it, :builtinTool)",
        "insert into public.swarm_agents (swarm_id, agent_id) values (:elsewhere, :it)",
      ]) {
        assert.equal((await as("newcomer", statement.replace(":it", ":ownerAgent"))).code, "42501");
        assert.equal((await as("newcomer", statement.replace(":it", `'${randomUUID()}'`))).code, "23503");
      }
    }));
});

describe("what a refusal says", () => {
  const refusals: Record<string, string> = {
    "a taken id": "insert into public.agents (id, name) values (:ownerAgent, 'x')",
    "a taken id of a swarm": "insert into public.swarms (id, name) values (:swarm, 'x')",
    "a foreign agent": "insert into public.agent_tools (agent_id, tool_id) values (:ownerAgent, :builtinTool)",
    "a bad value": "insert into public.agents (name, framework) values ('x', 'unknown')",
    "a missing value": "insert into public.agents (name) values (null)",
    "a foreign message": "insert into public.message_flags (message_id, category) values (:ownerMessage, 'rude')",
  };
  for (const [title, statement] of Object.entries(refusals)) {
    test(`${title}: not what is in the row`, () =>
      stage.play(async ({ as }: StageTransaction) => {
        const { code, detail } = await as("stranger", statement);
        assert.notEqual(code, null);
        assert.equal(detail, undefined);
      }));
  }
});

describe("what a filter of the caller's is shown", () => {
  before(() =>
    // Cheap, and not leakproof: left to itself the planner would call it before the row rule.
    stage.database.owner.query(
      `create function public.whisper(value text) returns boolean language plpgsql cost 0.0000001
       as $$ begin perform set_config('test.whispered', current_setting('test.whispered', true) || ',' || value, true); return true; end $$;
       grant execute on function public.whisper(text) to authenticated`,
    ),
  );

  for (const [table, column] of [
    ["agents", "system_prompt"],
    ["agent_cards", "id::text"],
    ["public_profiles", "id::text"],
    ["profiles", "email"],
    ["webhooks", "secret"],
    ["messages", "content"],
    ["swarm_members", "id::text"],
    ["swarm_invitations", "swarm_name"],
  ]) {
    test(`rows of ${table} that the caller may see, and no others`, () =>
      stage.play(async ({ as }) => {
        const seen = await as("stranger", `select ${column} as value from public.${table}`);
        await as("stranger", "select set_config('test.whispered', '', true)");
        await as("stranger", `select 1 from public.${table} where public.whisper(${column})`);
        const { rows } = await as("stranger", "select current_setting('test.whispered', true) as text");
        const [{ text } = { text: "" }] = rows as { text: string }[];
        const whispered = text.split(",").filter((value) => value !== "");
        const visible = (seen.rows as { value: string | null }[]).flatMap(({ value }) => value ?? []);
        assert.deepEqual(whispered.toSorted(), visible.toSorted());
      }));
  }

  test("a card shows no prompt, and a profile no address", async () => {
    const { rows } = await stage.database.owner.query(
      `select table_name, array_agg(column_name::text order by ordinal_position) as columns from information_schema.columns
       where table_schema = 'public' and table_name in ('agent_cards', 'public_profiles', 'swarm_invitations') group by 1 order by 1`,
    );
    assert.deepEqual(rows, [
      { table_name: "agent_cards", columns: ["id", "name", "role", "avatar", "status"] },
      { table_name: "public_profiles", columns: ["id", "full_name", "avatar_url"] },
      {
        table_name: "swarm_invitations",
        columns: ["id", "swarm_id", "swarm_name", "role", "inviter_name", "created_at", "expires_at"],
      },
    ]);
  });
});
