import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import { ok, openClient, signInAgain } from "./support/clients.ts";
import { eventually } from "./support/eventually.ts";
import { NEEDS_OWN_SERVICE } from "./support/given-service.ts";
import { newPerson, type Person } from "./support/people.ts";
import {
  addListener,
  type ChangesFilter,
  disconnectAll,
  receiveChanges,
  newTopic,
  openChannel,
  withVersion,
  subscribe,
} from "./support/realtime.ts";
import { startSecondNode } from "./support/second-node.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";

const AGENTS: ChangesFilter = { event: "*", schema: "public", table: "agents" };
/** Tokens last an hour, so with this setting every join gets the warning. */
const WARNING_EARLY = { ...UNLIMITED, REALTIME_EXPIRY_WARNING_SECONDS: "3600" };
const WRITES = 20;

let a: Service;
let b: Service;

describe("6.5 realtime on two nodes of one database", { skip: NEEDS_OWN_SERVICE }, () => {
  before(async () => {
    a = await startService(UNLIMITED);
    b = await startSecondNode(a, WARNING_EARLY);
  });
  after(async () => {
    await disconnectAll();
    await b?.stop();
    await a?.stop();
  });

  /** A user with a client on each node. */
  async function newPair(): Promise<readonly [Person, Person]> {
    const here = await newPerson(a, withVersion("2.0.0"));
    return [here, { ...here, ...(await signInAgain(b, here.email, withVersion("1.0.0"))) }];
  }

  const addAgent = async ({ client }: Person, name: string) => void ok(await client.from("agents").insert({ name }));

  test("6.5 both nodes send changes made through either node, in the same order", async (t) => {
    const [here, there] = await newPair();
    const [stranger] = await newPair();
    const [one, other] = [await receiveChanges(t, here.client, AGENTS), await receiveChanges(t, there.client, AGENTS)];
    const strange = await receiveChanges(t, stranger.client, AGENTS);
    const write = async (person: Person, name: string) => {
      for (let at = 0; at < WRITES; at += 1) await addAgent(person, `${name} ${at}`);
    };
    await Promise.all([write(here, "a"), write(there, "b")]);
    const names = [await one.waitFor(2 * WRITES), await other.waitFor(2 * WRITES)].map((changes) =>
      changes.map(({ new: row }) => row["name"]),
    );
    assert.deepEqual(names[0], names[1]);
    assert.equal(new Set(names[0]).size, 2 * WRITES);
    assert.deepEqual(strange.changes, []);
  });

  test("6.5 a change written on one node right after the join on the other is received", async (t) => {
    const [here, there] = await newPair();
    for (let at = 0; at < WRITES; at += 1) {
      const channel = openChannel(t, there.client);
      const names: unknown[] = [];
      addListener(channel, AGENTS, ({ new: row }) => names.push(row["name"]));
      await subscribe(channel);
      await addAgent(here, `after join ${at}`);
      await eventually(
        () => names,
        (all) => all.includes(`after join ${at}`),
        `the write after join ${at}`,
      );
    }
  });

  test("6.5 broadcasts reach subscribers on other nodes, in the order of their sender", async (t) => {
    const topic = newTopic();
    const receivedChanges = await Promise.all(
      [a, b, b].map(async (node) => {
        const channel = openChannel(t, openClient(node, withVersion("2.0.0")), topic, { broadcast: { ack: true } });
        const events: string[] = [];
        channel.on("broadcast", { event: "*" }, ({ event }) => events.push(event));
        await subscribe(channel);
        return { channel, events };
      }),
    );
    const [first, second, third] = receivedChanges.map(({ channel }) => channel);
    for (let at = 0; at < WRITES; at += 1) {
      assert.equal(await first?.send({ type: "broadcast", event: `a${at}`, payload: { at } }), "ok");
    }
    assert.equal(await second?.send({ type: "broadcast", event: "b", payload: "x".repeat(100_000) }), "ok");
    assert.deepEqual(await third?.httpSend("posted", new Uint8Array([1, 2])), { success: true });
    const sent = Array.from({ length: WRITES }, (_, at) => `a${at}`);
    const expected = [
      ["b", "posted"],
      [...sent, "posted"],
      [...sent, "b", "posted"],
    ];
    for (const [at, { events }] of receivedChanges.entries()) {
      await eventually(
        () => events,
        ({ length }) => length >= (expected[at]?.length ?? 0),
        `all events on channel ${at}`,
      );
      // Messages of different senders can overtake each other on the way between nodes.
      assert.deepEqual(events.toSorted(), expected[at]?.toSorted());
      assert.deepEqual(
        events.filter((event) => sent.includes(event)),
        expected[at]?.filter((event) => sent.includes(event)),
      );
    }
  });

  test("6.5 presence covers both nodes, and removes clients that leave", async (t) => {
    const topic = newTopic();
    const [ann, ben] = [present(t, a, topic, "ann"), present(t, b, topic, "ben")];
    await Promise.all([subscribe(ann), subscribe(ben)]);
    await Promise.all([ann.track({ on: "a" }), ben.track({ on: "b" })]);
    await Promise.all([showKeys(ann, ["ann", "ben"]), showKeys(ben, ["ann", "ben"])]);
    const late = present(t, b, topic, "eve");
    await subscribe(late);
    await showKeys(late, ["ann", "ben"]);
    await ann.untrack();
    await Promise.all([showKeys(late, ["ben"]), showKeys(ann, ["ben"])]);
  });

  function present(t: TestContext, node: Service, topic: string, key: string) {
    const channel = openChannel(t, openClient(node, withVersion("2.0.0")), topic, { presence: { key } });
    return channel.on("presence", { event: "sync" }, () => {});
  }

  function showKeys(channel: ReturnType<typeof present>, keys: readonly string[]) {
    return eventually(
      () => Object.keys(channel.presenceState()).toSorted(),
      (found) => found.join() === keys.join(),
      `the presence of ${keys.join()}`,
    );
  }

  test("6.5 a sign-out on one node ends access on the other at once", async (t) => {
    const [here, there] = await newPair();
    const [kept, lost] = [await receiveChanges(t, here.client, AGENTS), await receiveChanges(t, there.client, AGENTS)];
    await addAgent(here, "before");
    await lost.waitFor(1);
    assert.equal((await here.client.auth.signOut({ scope: "others" })).error, null);
    await addAgent(here, "after");
    await kept.waitFor(2);
    await eventually(
      () => lost.statuses,
      (statuses) => statuses.includes("CHANNEL_ERROR"),
      "the end of access",
    );
    assert.deepEqual(
      lost.changes.map(({ new: row }) => row["name"]),
      ["before"],
    );
  });

  test("6.5 a channel gets a warning before its token expires, and a new token extends it", async (t) => {
    const [, { client }] = await newPair();
    const channel = openChannel(t, client);
    const warnings: string[] = [];
    channel.on("system", {}, ({ status, message }: { status: string; message: string }) => {
      if (status === "warning") warnings.push(message);
    });
    const statuses = await subscribe(channel);
    const waitFor = (count: number) =>
      eventually(
        () => warnings,
        ({ length }) => length >= count,
        `${count} warnings`,
      );
    const [warning] = await waitFor(1);
    assert.match(warning ?? "", /expires in \d+ seconds/);
    ok(await client.auth.refreshSession());
    await waitFor(2);
    assert.deepEqual(statuses, ["SUBSCRIBED"]);
  });
});
