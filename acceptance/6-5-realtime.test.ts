import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, type TestContext, test } from "node:test";
import { openClient } from "./support/clients.ts";
import { eventually } from "./support/eventually.ts";
import { NEEDS_DATABASE } from "./support/given-service.ts";
import { newPerson, onlyRow, type Person } from "./support/people.ts";
import {
  addListener,
  addRow,
  changeRow,
  type ChangesFilter,
  disconnectAll,
  receiveChanges,
  openChannel,
  removeRow,
  withVersion,
  subscribe,
  VERSIONS,
} from "./support/realtime.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { runSql } from "./support/sql.ts";

const JOINS = 40;
const AGENTS: ChangesFilter = { event: "*", schema: "public", table: "agents" };

let service: Service;
before(async () => {
  service = await startService(UNLIMITED);
});
after(async () => {
  await disconnectAll();
  await service?.stop();
});

for (const vsn of VERSIONS) {
  describe(`6.5 changes of rows, protocol ${vsn}`, () => {
    let ada: Person;
    let bob: Person;
    before(async () => {
      ada = await newPerson(service, withVersion(vsn));
      bob = await newPerson(service, withVersion(vsn));
    });

    test("6.5 an update of an agent is sent with the new row, including its status", async (t) => {
      const [{ id }, other] = [
        await addRow(ada, "agents", { name: "One" }),
        await addRow(ada, "agents", { name: "Other" }),
      ];
      const receivedChanges = await receiveChanges(t, ada.client, {
        ...AGENTS,
        event: "UPDATE",
        filter: `id=eq.${String(id)}`,
      });
      await changeRow(ada, "agents", other["id"], { status: "error" });
      const row = await changeRow(ada, "agents", id, { status: "thinking", settings: { temperature: 0.5 } });
      const [first] = await receivedChanges.waitFor(1);
      assert.equal(first?.eventType, "UPDATE");
      assert.equal(first?.new["status"], "thinking");
      assert.deepEqual(first?.new, row, "the same row that a read shows");
      assert.equal(first?.old["id"], id);
      assert.deepEqual([first?.schema, first?.table, first?.errors], ["public", "agents", null]);
      assert.ok(Math.abs(Date.parse(first?.commit_timestamp ?? "") - Date.now()) < 60_000);
    });

    test("6.5 a subscription receives inserts, updates, deletes, or all of them", async (t) => {
      const events = ["*", "INSERT", "UPDATE", "DELETE"] as const;
      const channel = openChannel(t, ada.client);
      const received = new Map(events.map((event) => [event, [] as string[]]));
      for (const event of events) {
        addListener(channel, { ...AGENTS, event }, ({ eventType, new: row, old }) => {
          received.get(event)?.push(`${eventType} ${String(row["name"] ?? old["id"])}`);
        });
      }
      await subscribe(channel);
      const { id } = await addRow(ada, "agents", { name: "Made" });
      await changeRow(ada, "agents", id, { name: "Changed" });
      await removeRow(ada, "agents", id);
      await eventually(
        () => received.get("*"),
        (all) => all?.length === 3 && received.get("DELETE")?.length === 1,
        "three changes",
      );
      const [made, changed, gone] = ["INSERT Made", "UPDATE Changed", `DELETE ${String(id)}`];
      assert.deepEqual([...received.values()], [[made, changed, gone], [made], [changed], [gone]]);
    });

    test("6.5 subscriptions support every filter operator, and several filters at once", async (t) => {
      const filters: Record<string, string[]> = {
        "name=eq.Ada": ["Ada"],
        "name=neq.Ada": ["Bob", "x,y"],
        "name=not.eq.Ada": ["Bob", "x,y"],
        "name=lt.B": ["Ada"],
        "name=gte.Bob": ["Bob", "x,y"],
        'name=in.(Bob,"x,y")': ["Bob", "x,y"],
        'name=eq."x,y"': ["x,y"],
        "name=like.%d%": ["Ada"],
        "name=ilike.X%": ["x,y"],
        "name=match.^[AB]": ["Ada", "Bob"],
        "name=imatch.^[AX]": ["Ada", "x,y"],
        "role=is.null": ["Bob", "x,y"],
        "role=not.is.null": ["Ada"],
        "role=isdistinct.poet": ["Bob", "x,y"],
        "framework=eq.provider_a,name=neq.Bob": ["Ada"],
        "created_at=gt.2020-01-01T00:00:00Z": ["Ada", "Bob", "x,y"],
        "created_at=lte.2020-01-01": [],
      };
      const channel = openChannel(t, ada.client);
      const received = new Map(Object.keys(filters).map((filter) => [filter, [] as unknown[]]));
      for (const filter of received.keys()) {
        addListener(channel, { ...AGENTS, event: "INSERT", filter }, ({ new: row }) =>
          received.get(filter)?.push(row["name"]),
        );
      }
      await subscribe(channel);
      await addRow(ada, "agents", { name: "Ada", role: "poet" });
      await addRow(ada, "agents", { name: "Bob" });
      await addRow(ada, "agents", { name: "x,y", framework: "provider_b" });
      await eventually(
        () => [...received.values()].flat().length,
        (count) => count >= Object.values(filters).flat().length,
        "all that is wanted",
      );
      // An unwanted change would have arrived before this one.
      const last = await receiveChanges(t, ada.client, AGENTS);
      await addRow(ada, "agents", { name: "Zed", framework: "provider_c" });
      await last.waitFor(1);
      for (const [filter, names] of Object.entries(filters)) {
        assert.deepEqual(
          received.get(filter)?.filter((name) => name !== "Zed"),
          names,
          filter,
        );
      }
    });

    test("6.5 an invalid subscription is rejected with the reason", async (t) => {
      const rejected: [ChangesFilter, RegExp][] = [
        [{ ...AGENTS, table: "nowhere" }, /There is no table public\.nowhere/],
        [{ ...AGENTS, table: "webhook_deliveries" }, /not in the publication/],
        [{ ...AGENTS, schema: "auth", table: "users" }, /There is no table auth\.users/],
        [{ ...AGENTS, filter: "nothing=eq.1" }, /no column nothing/],
        [{ ...AGENTS, filter: "id=eq.not-an-id" }, /invalid input syntax for type uuid/],
        [{ ...AGENTS, filter: "name=sounds.like" }, /operator/],
      ];
      for (const [expected, reason] of rejected) await assert.rejects(receiveChanges(t, ada.client, expected), reason);
    });

    test("6.5 owners receive their own rows, other users and anonymous clients none, the service role all", async (t) => {
      const nobody = openClient(service, withVersion(vsn));
      const all = openClient(service, { ...withVersion(vsn), key: service.credentials.service_role_key });
      const own = await receiveChanges(t, ada.client, AGENTS);
      const strange = await receiveChanges(t, bob.client, AGENTS);
      const everything = await receiveChanges(t, all, AGENTS);
      await assert.rejects(receiveChanges(t, nobody, AGENTS), /There is no table/);
      const schemaWide = await receiveChanges(t, nobody, { event: "*", schema: "public" });

      const { id } = await addRow(ada, "agents", { name: "Ada's" });
      await changeRow(ada, "agents", id, { status: "error" });
      await removeRow(ada, "agents", id);
      const mine = await addRow(bob, "agents", { name: "Bob's" });
      const [first] = await strange.waitFor(1);
      assert.equal(first?.new["id"], mine["id"], "the first that a stranger gets is their own");
      await everything.waitFor(4);
      assert.deepEqual(
        own.changes.map(({ eventType }) => eventType),
        ["INSERT", "UPDATE", "DELETE"],
      );
      assert.equal(own.changes[2]?.old["id"], id);
      assert.equal(strange.changes.length, 1);
      assert.deepEqual(schemaWide.changes, []);
    });

    test("6.5 members receive the messages of a swarm while they are members, and nobody else does", async (t) => {
      const eve = await newPerson(service, withVersion(vsn));
      const { id: swarm_id } = await addRow(ada, "swarms", { name: "Swarm" });
      const receivedChanges = await receiveChanges(t, bob.client, { event: "*", schema: "public", table: "messages" });
      const strange = await receiveChanges(t, eve.client, { event: "*", schema: "public", table: "messages" });
      const say = (content: string) => addRow(ada, "messages", { swarm_id, content });
      const own = await addRow(bob, "swarms", { name: "Own" });
      /** What was written before it has been decided: a member may also receive what was written just before they joined. */
      const waitForOwn = async (content: string, count: number): Promise<void> => {
        await addRow(bob, "messages", { swarm_id: own["id"], content });
        await receivedChanges.waitFor(count);
      };
      await say("before");
      const { id } = await addRow(ada, "swarm_members", { swarm_id, user_id: bob.id });
      await say("while invited");
      await waitForOwn("own", 1);
      await changeRow(bob, "swarm_members", id, { status: "active" });
      await say("to a member");
      await receivedChanges.waitFor(2);
      await removeRow(ada, "swarm_members", id);
      await say("after");
      await waitForOwn("own again", 3);
      assert.deepEqual(
        receivedChanges.changes.map(({ new: row }) => row["content"]),
        ["own", "to a member", "own again"],
      );
      assert.deepEqual(strange.changes, []);
    });

    test(`6.5 what is written as soon as a channel is subscribed is seen, ${JOINS} times of ${JOINS}`, async (t) => {
      const joiner = async (person: Person, name: string): Promise<void> => {
        for (let join = 0; join < JOINS / 4; join += 1) {
          const channel = openChannel(t, person.client);
          const names: unknown[] = [];
          addListener(channel, { ...AGENTS, event: "INSERT" }, ({ new: row }) => names.push(row["name"]));
          await subscribe(channel);
          await addRow(person, "agents", { name: `${name}-${join}` });
          await eventually(
            () => names,
            (all) => all.includes(`${name}-${join}`),
            `what was written after join ${join}`,
          );
        }
      };
      await Promise.all([joiner(ada, "a"), joiner(ada, "b"), joiner(bob, "c"), joiner(bob, "d")]);
    });

    test("6.5 a table that was added to the publication sends its changes, by its own policies", {
      skip: NEEDS_DATABASE,
    }, async (t) => {
      const table = await addNotes(t);
      const [own, strange] = [
        await receiveChanges(t, ada.client, { event: "*", schema: "public", table }),
        await receiveChanges(t, bob.client, { event: "*", schema: "public", table, filter: "stars=gte.3" }),
      ];
      await addRow(ada, table, { text: "secret", stars: 5 });
      const shared = await addRow(ada, table, { text: "for all", stars: 4, is_shared: true });
      await addRow(ada, table, { text: "for all too", stars: 2, is_shared: true });
      await changeRow(ada, table, shared["id"], { is_shared: false });
      await removeRow(ada, table, shared["id"]);
      await addRow(bob, table, { text: "own", stars: 3 });
      await own.waitFor(5);
      await strange.waitFor(2);
      assert.deepEqual(
        strange.changes.map(({ eventType, new: row }) => `${eventType} ${String(row["text"])}`),
        ["INSERT for all", "INSERT own"],
      );
      assert.deepEqual(
        own.changes.map(({ eventType, new: row }) => `${eventType} ${String(row["text"])}`),
        ["INSERT secret", "INSERT for all", "INSERT for all too", "UPDATE for all", "DELETE undefined"],
      );
      assert.deepEqual(own.changes[0]?.new, onlyRow(await ada.send(`GET /${table}?text=eq.secret`)));
    });

    async function addNotes(t: TestContext): Promise<string> {
      const table = `notes_${randomBytes(4).toString("hex")}`;
      const expected: ChangesFilter = { event: "*", schema: "public", table };
      await runSql(
        service,
        `create table public.${table} (
           id bigint generated always as identity primary key, user_id uuid not null default auth.uid(),
           text text not null, stars smallint, is_shared boolean not null default false, tags text[] default '{a,b}',
           day date default '2026-01-02', extra jsonb default '{"a":[1,null]}');
         alter table public.${table} enable row level security, replica identity full;
         create policy own on public.${table} to authenticated using (user_id = (select auth.uid()) or is_shared);
         grant select, insert, update, delete on public.${table} to authenticated`,
      );
      t.after(() => runSql(service, `drop table public.${table}`));
      await assert.rejects(
        receiveChanges(t, ada.client, expected),
        new RegExp(`alter publication swarmbase add table public.${table}`),
      );
      await runSql(service, `alter publication swarmbase add table public.${table}`);
      return table;
    }
  });
}
