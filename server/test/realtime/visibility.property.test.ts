import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { describe, it } from "node:test";
import fc from "fast-check";
import pg from "pg";
import type { Binding } from "../../src/realtime/changes.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { bind, principalOf, type FeedStage, type Listener, openFeedStage, type ReceivedChange } from "./feed-stage.ts";

const TABLES = ["agents", "swarms", "swarm_members", "messages", "tools", "docs"] as const;
const PEOPLE = 4;
const OPERATIONS = [
  "addAgent",
  "changeAgent",
  "dropAgent",
  "addSwarm",
  "dropSwarm",
  "addMember",
  "changeMember",
  "dropMember",
  "say",
  "unsay",
  "addTool",
  "changeTool",
  "dropTool",
  "addDoc",
  "changeDoc",
  "dropDoc",
] as const;
type Operation = { readonly kind: (typeof OPERATIONS)[number]; readonly who: number; readonly at: number };

/** Everything that happened in one operation, and what each person saw before and after it. */
interface Step {
  readonly changes: readonly ReceivedChange[];
  readonly before: readonly ReadonlySet<string>[];
  readonly after: readonly ReadonlySet<string>[];
}

const WRITES: Readonly<Record<Operation["kind"], string>> = {
  addAgent: "insert into agents (user_id, name) values (:user, 'n' || :at % 3)",
  changeAgent:
    "update agents set status = 'thinking', name = 'n' || :at % 3 where id = (select id from agents order by id offset :at % 7 limit 1)",
  dropAgent: "delete from agents where id = (select id from agents order by id offset :at % 7 limit 1)",
  addSwarm: "insert into swarms (owner_id, name) values (:user, 'n' || :at % 3)",
  dropSwarm: "delete from swarms where id = (select id from swarms order by id offset :at % 5 limit 1)",
  addMember: `insert into swarm_members (swarm_id, user_id, role, status)
    select id, :user, (array['admin','member','viewer'])[1 + :at % 3], (array['active','invited'])[1 + :at % 2] from swarms order by id offset :at % 4 limit 1 on conflict do nothing`,
  changeMember: `update swarm_members set status = 'active', role = (array['admin','member','viewer'])[1 + :at % 3]
    where id = (select id from swarm_members where role <> 'owner' order by id offset :at % 5 limit 1)`,
  dropMember:
    "delete from swarm_members where id = (select id from swarm_members where role <> 'owner' order by id offset :at % 5 limit 1)",
  say: "insert into messages (swarm_id, sender_type, sender_user_id, content) select id, 'user', :user, 'n' || :at % 3 from swarms order by id offset :at % 4 limit 1",
  unsay: "delete from messages where id = (select id from messages order by id offset :at % 6 limit 1)",
  addTool: `insert into tools (owner_id, name, description, visibility)
    values (:user, 't' || replace(gen_random_uuid()::text, '-', ''), 'd', (array['private','shared','public'])[1 + :at % 3])`,
  changeTool:
    "update tools set visibility = (array['private','shared','public'])[1 + :at % 3] where id = (select id from tools order by id offset :at % 6 limit 1)",
  dropTool: "delete from tools where id = (select id from tools order by id offset :at % 6 limit 1)",
  addDoc: "insert into docs (owner, team, name) values (:user, :at % 3, 'n' || :at % 3)",
  changeDoc:
    "update docs set team = :at % 3, owner = case when :at % 2 = 0 then :user else owner end where id = (select id from docs order by id offset :at % 6 limit 1)",
  dropDoc: "delete from docs where id = (select id from docs order by id offset :at % 6 limit 1)",
};

const DOCS = `
  create table public.docs (id uuid primary key default gen_random_uuid(), owner uuid, team int, name text);
  alter table public.docs replica identity full;
  alter table public.docs enable row level security;
  grant select on public.docs to authenticated;
  create policy reading on public.docs for select to authenticated
    using (owner = auth.uid() or team = (auth.jwt() ->> 'team')::int);
  alter publication swarmbase add table public.docs`;

describe("deliveries of random changes", () => {
  const opened = openFeedStage();

  it("subscribers receive exactly the changes that policies allow, once and in order", {
    timeout: 300_000,
  }, async () => {
    const { stage, node } = opened;
    await stage.database.owner.query(DOCS);
    const operation = fc.record({ kind: fc.constantFrom(...OPERATIONS), who: fc.nat(PEOPLE - 1), at: fc.nat(1000) });
    const binding = fc.record({
      table: fc.constantFrom(...TABLES, "*"),
      event: fc.constantFrom("*", "*", "INSERT", "UPDATE", "DELETE"),
      filter: fc.constantFrom(null, null, "name=eq.n1", "name=not.eq.n1", "name=in.(n0,n2)", "name=match.^n[12]$"),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(operation, { minLength: 10, maxLength: 40 }),
        fc.array(fc.tuple(fc.nat(PEOPLE), binding), { minLength: 4, maxLength: 12 }),
        async (operations, requested) => {
          await stage.database.owner.query(
            "delete from public.swarms; delete from public.agents; delete from public.tools; delete from public.docs",
          );
          const people = await Promise.all(Array.from({ length: PEOPLE + 1 }, () => stage.newUser()));
          const principals = people.map((person, at) => principalOf(person, { team: at < PEOPLE ? at : 99 }));
          const all = await stage.subscribe(
            node,
            principalOf("service_role"),
            TABLES.map((table, at) => bind(table, { id: at })),
          );
          const listeners: { who: number; listener: Listener; binding: Binding }[] = [];
          for (const [who, { table, event, filter }] of requested) {
            const hasName = table === "agents" || table === "swarms" || table === "docs";
            const request = bind(table, { event, filter: hasName ? filter : null });
            const principal = principals[who];
            assert.ok(principal);
            listeners.push({ who, listener: await stage.subscribe(node, principal, [request]), binding: request });
          }
          const steps = await live(
            stage,
            people.map((id, at) => ({ id, claims: principals[at]?.claims ?? {} })),
            operations,
            all,
          );
          for (const { who, listener, binding: request } of listeners)
            await check(stage, steps, who, listener, request);
          for (const { listener } of [...listeners, { listener: all }]) listener.subscription?.close();
        },
      ),
      { numRuns: propertyRuns(8), endOnFailure: true },
    );
  });
});

interface Person {
  readonly id: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

async function live(
  stage: FeedStage,
  people: readonly Person[],
  operations: readonly Operation[],
  all: Listener,
): Promise<Step[]> {
  const steps: Step[] = [];
  let before = await see(stage, people);
  for (const { kind, who, at } of operations) {
    const mark = randomUUID();
    const text = WRITES[kind].replaceAll(":user", `'${people[who]?.id}'::uuid`).replaceAll(":at", String(at));
    const from = all.received.length;
    await stage.run("service_role", text).catch((error: unknown) => {
      // Ownership and limits are the schema's business, not this test's.
      if (!(error instanceof pg.DatabaseError) || !/^23|^42501$/.test(error.code ?? "")) throw error;
    });
    // The feed delivers in the order of the WAL, so the mark arrives last.
    await stage.run("service_role", "insert into docs (team, name) values (-1, $1)", [mark]);
    await all.until(() => all.received.at(-1)?.record?.["name"] === mark);
    const after = await see(stage, people);
    steps.push({ changes: all.received.slice(from, -1), before, after });
    before = after;
  }
  return steps;
}

/** What each person can read now, as `table id`. */
async function see(stage: FeedStage, people: readonly Person[]): Promise<Set<string>[]> {
  const text = TABLES.map((table) => `select '${table} ' || id as id from ${table}`).join(" union all ");
  return Promise.all(
    people.map(async ({ id, claims }) => {
      const rows = await stage.transaction(id, (query) => query(text), { claims });
      return new Set(rows.map((row) => row.id));
    }),
  );
}

async function check(
  stage: FeedStage,
  steps: readonly Step[],
  who: number,
  listener: Listener,
  request: Binding,
): Promise<void> {
  const due: ReceivedChange[] = [];
  const possible = new Set<string>();
  for (const { changes, before, after } of steps) {
    for (const [at, change] of changes.entries()) {
      if (request.table !== "*" && request.table !== change.table) continue;
      if ((request.event !== "*" && request.event !== change.type) || !passes(request.filter, change)) continue;
      const key = keyOf(change);
      const isVisible = (change.type === "DELETE" ? before : after)[who]?.has(key) === true;
      // A row that the same transaction changes again was never there to be read as it was in between.
      const isPassing = changes.slice(at + 1).some((later) => keyOf(later) === key);
      if (isVisible && !isPassing) due.push(change);
      if (isVisible || before[who]?.has(key) === true)
        possible.add(JSON.stringify([change.type, key, change.commit_timestamp]));
    }
  }
  const brief = ({ type, commit_timestamp, ...rest }: ReceivedChange): string =>
    JSON.stringify([type, keyOf({ type, commit_timestamp, ...rest }), commit_timestamp]);
  await listener.until(
    () =>
      listener.received.filter((received) => due.some((change) => brief(change) === brief(received))).length >=
      due.length,
  );
  const received = listener.received.map(brief);
  for (const one of received) assert.ok(possible.has(one), `a stranger (${who}) received ${one}`);
  const wanted = due.map(brief);
  assert.deepEqual(
    received.filter((one) => wanted.includes(one)),
    wanted,
    `${who} ${JSON.stringify(request)}`,
  );
  assert.deepEqual(listener.losses, []);
  assert.equal(stage.nodes[0]?.changes.state(), "live");
}

function keyOf({ table, record, old_record }: ReceivedChange): string {
  return `${table} ${String((record ?? old_record)?.["id"])}`;
}

function passes(filter: string | null, { record, old_record }: ReceivedChange): boolean {
  if (filter === null) return true;
  const name = (record ?? old_record)?.["name"];
  if (typeof name !== "string") return false;
  switch (filter) {
    case "name=eq.n1":
      return name === "n1";
    case "name=not.eq.n1":
      return name !== "n1";
    case "name=in.(n0,n2)":
      return name === "n0" || name === "n2";
    default:
      return name === "n1" || name === "n2";
  }
}
