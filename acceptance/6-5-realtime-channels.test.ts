import assert from "node:assert/strict";
import { after, before, describe, type TestContext, test } from "node:test";
import type { RealtimeChannel, RealtimeChannelOptions, SupabaseClient } from "@supabase/supabase-js";
import { ok, openClient } from "./support/clients.ts";
import { eventually } from "./support/eventually.ts";
import { NEEDS_DATABASE } from "./support/given-service.ts";
import { newPerson, type Person } from "./support/people.ts";
import {
  disconnectAll,
  newTopic,
  openChannel,
  withVersion,
  subscribe,
  VERSIONS,
  type Version,
} from "./support/realtime.ts";
import { type Service, startService } from "./support/service.ts";
import { UNLIMITED } from "./support/settings.ts";
import { runSql } from "./support/sql.ts";

type Config = RealtimeChannelOptions["config"];

interface Message {
  readonly event: string;
  readonly payload: unknown;
  readonly meta?: { readonly id?: string; readonly replayed?: boolean };
}

/** A subscribed channel and the messages that it received. */
async function listen(t: TestContext, client: SupabaseClient, topic: string, config: Config = {}) {
  const channel = openChannel(t, client, topic, config);
  const messages: Message[] = [];
  channel.on("broadcast", { event: "*" }, (message) => messages.push(message as unknown as Message));
  const statuses = await subscribe(channel);
  const waitFor = (count: number) =>
    eventually(
      () => messages,
      ({ length }) => length >= count,
      `${count} messages`,
    );
  return { channel, messages, statuses, waitFor };
}

const say = (channel: RealtimeChannel, event: string, payload: unknown = {}) =>
  channel.send({ type: "broadcast", event, payload });

const eventsOf = (messages: readonly Message[]) => messages.map(({ event }) => event);

let service: Service;
before(async () => {
  service = await startService(UNLIMITED);
});
after(async () => {
  await disconnectAll();
  await service?.stop();
});

const otherThan = (vsn: Version): Version => (vsn === "1.0.0" ? "2.0.0" : "1.0.0");

for (const vsn of VERSIONS) {
  describe(`6.5 broadcast and presence, protocol ${vsn}`, () => {
    const open = (version: Version = vsn) => openClient(service, withVersion(version));

    test("6.5 a broadcast reaches the other subscribers of its topic in order, in both protocol versions", async (t) => {
      const topic = newTopic();
      const sender = await listen(t, open(), topic);
      const [same, other] = [await listen(t, open(), topic), await listen(t, open(otherThan(vsn)), topic)];
      const elsewhere = await listen(t, open(), newTopic());
      const payload = { n: 1, text: 'é "quoted" \u0000', list: [null, true, { a: 1.5 }] };
      await say(sender.channel, "first", payload);
      for (let at = 0; at < 20; at += 1) await say(sender.channel, `e${at}`, { at });
      for (const { waitFor, messages } of [same, other]) {
        await waitFor(21);
        assert.deepEqual(messages[0]?.payload, payload);
        assert.deepEqual(eventsOf(messages), ["first", ...Array.from({ length: 20 }, (_, at) => `e${at}`)]);
      }
      assert.deepEqual([sender.messages, elsewhere.messages], [[], []]);
    });

    test("6.5 a sender receives its own broadcasts with self, and an acknowledgement with ack", async (t) => {
      const topic = newTopic();
      const sender = await listen(t, open(), topic, { broadcast: { self: true, ack: true } });
      const other = await listen(t, open(), topic);
      assert.equal(await say(sender.channel, "e", { a: 1 }), "ok");
      await Promise.all([sender.waitFor(1), other.waitFor(1)]);
      assert.deepEqual(sender.messages[0]?.payload, { a: 1 });
      assert.equal(await say(sender.channel, "too large", { text: "x".repeat(1_100_000) }), "error");
      assert.equal(await say(sender.channel, "last"), "ok");
      await other.waitFor(2);
      assert.deepEqual(eventsOf(other.messages), ["e", "last"]);
    });

    test("6.5 a broadcast can be sent over HTTP without a socket", async (t) => {
      const topic = newTopic();
      const listener = await listen(t, open(), topic);
      const client = open();
      assert.deepEqual(await openChannel(t, client, topic).httpSend("posted", { a: 1 }), { success: true });
      t.mock.method(console, "warn", () => {});
      assert.equal(await say(openChannel(t, client, topic), "fallen back", { a: 2 }), "ok");
      await listener.waitFor(2);
      assert.deepEqual(eventsOf(listener.messages), ["posted", "fallen back"]);
      const { anon_key: apikey } = service.credentials;
      const post = (headers: Record<string, string>, body: unknown) =>
        service.request("/realtime/v1/api/broadcast", {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body: JSON.stringify(body),
        });
      assert.equal((await post({ apikey }, { messages: [{ topic: "" }] })).status, 422);
      assert.equal((await post({}, { messages: [] })).status, 401);
      assert.equal((await post({ apikey }, { messages: [{ topic, event: "e", payload: {} }] })).status, 202);
      await listener.waitFor(3);
    });

    test("6.5 binary payloads stay binary for clients of protocol 2.0.0", async (t) => {
      const topic = newTopic();
      const [modern, old] = [await listen(t, open("2.0.0"), topic), await listen(t, open("1.0.0"), topic)];
      const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
      const sender = await listen(t, open("2.0.0"), topic, { broadcast: { ack: true } });
      assert.equal(await say(sender.channel, "bytes", bytes.buffer), "ok");
      assert.deepEqual(await openChannel(t, open(), topic).httpSend("posted", bytes), { success: true });
      assert.equal(await say(sender.channel, "text", { a: 1 }), "ok");
      await Promise.all([modern.waitFor(3), old.waitFor(1)]);
      assert.deepEqual(eventsOf(modern.messages), ["bytes", "posted", "text"]);
      for (const { payload } of modern.messages.slice(0, 2))
        assert.deepEqual(new Uint8Array(payload as ArrayBuffer), bytes);
      assert.deepEqual(eventsOf(old.messages), ["text"]);
    });

    test("6.5 presence reports the current state, joins, updates and leaves", async (t) => {
      const topic = newTopic();
      const [ann, ben] = [follow(t, open(), topic, "ann"), follow(t, open(otherThan(vsn)), topic, "ben")];
      await subscribe(ann.channel);
      assert.equal(await ann.channel.track({ mood: "calm" }), "ok");
      await subscribe(ben.channel);
      await ben.shows({ ann: ["calm"] });
      await ben.channel.track({ mood: "keen" });
      for (const one of [ann, ben]) await one.shows({ ann: ["calm"], ben: ["keen"] });
      await ann.channel.track({ mood: "tense" });
      await ben.shows({ ann: ["tense"], ben: ["keen"] });
      await ben.channel.untrack();
      await ann.shows({ ann: ["tense"] });
      await ben.channel.track({ mood: "back" });
      await ann.shows({ ann: ["tense"], ben: ["back"] });
      await ben.client.removeChannel(ben.channel);
      await ann.shows({ ann: ["tense"] });
      assert.deepEqual(
        ann.joined.filter((key) => key === "ben"),
        ["ben", "ben"],
      );
      assert.deepEqual(
        ann.left.filter((key) => key === "ben"),
        ["ben", "ben"],
      );
    });

    function follow(t: TestContext, client: SupabaseClient, topic: string, key: string) {
      const channel = openChannel(t, client, topic, { presence: { key } });
      const [joined, left]: [string[], string[]] = [[], []];
      channel.on("presence", { event: "sync" }, () => {});
      channel.on("presence", { event: "join" }, ({ key: who }) => joined.push(who));
      channel.on("presence", { event: "leave" }, ({ key: who }) => left.push(who));
      const shows = (expected: Record<string, string[]>) =>
        eventually(
          () =>
            Object.fromEntries(
              Object.entries(channel.presenceState<{ mood: string }>()).map(([who, metas]) => [
                who,
                metas.map(({ mood }) => mood),
              ]),
            ),
          (state) => JSON.stringify(sorted(state)) === JSON.stringify(sorted(expected)),
          JSON.stringify(expected),
        );
      return { client, channel, joined, left, shows };
    }
  });

  describe(`6.5 private channels, protocol ${vsn}`, { skip: NEEDS_DATABASE }, () => {
    let ada: Person;
    let bob: Person;
    before(async () => {
      ada = await newPerson(service, withVersion(vsn));
      bob = await newPerson(service, withVersion(vsn));
    });
    const PRIVATE: Config = { private: true, broadcast: { ack: true } };

    test("6.5 a private channel without a policy rejects every join", async (t) => {
      for (const { client } of [ada, { client: openClient(service, withVersion(vsn)) }]) {
        await assert.rejects(
          listen(t, client, newTopic(), PRIVATE),
          /do not have permissions to read from this Channel/,
        );
      }
    });

    test("6.5 policies on realtime.messages decide who can listen and who can send", async (t) => {
      // Topics are named after their owner: every signed-in user can listen, only the owner can send.
      await addRules(
        t,
        `for select to authenticated using (realtime.topic() like 'room-%')`,
        `for insert to authenticated with check (realtime.topic() = 'room-' || auth.uid())`,
      );
      const topic = `room-${ada.id}`;
      const [owner, guest] = [await listen(t, ada.client, topic, PRIVATE), await listen(t, bob.client, topic, PRIVATE)];
      const open = await listen(t, bob.client, newTopic());
      const outside = await listen(t, openClient(service, withVersion(vsn)), topic);
      assert.equal(await say(owner.channel, "from the owner"), "ok");
      assert.equal(await say(guest.channel, "from a guest"), "error");
      await assert.rejects(guest.channel.httpSend("posted by a guest", {}), /Forbidden/);
      assert.deepEqual(await owner.channel.httpSend("posted", {}), { success: true });
      await runSql(service, `select realtime.send('{"a":1}', 'from the database', '${topic}')`);
      await guest.waitFor(3);
      assert.deepEqual(eventsOf(guest.messages), ["from the owner", "posted", "from the database"]);
      assert.deepEqual(guest.messages[2]?.payload, { a: 1 });
      assert.deepEqual([open.messages, outside.messages], [[], []], "a public channel of that name is another");
      await assert.rejects(listen(t, bob.client, `hall-${ada.id}`, PRIVATE), /do not have permissions to read/);
    });

    test("6.5 persisted broadcasts are replayed to clients that join later", async (t) => {
      await addRules(t, "for all to authenticated using (true) with check (true)");
      const topic = newTopic();
      const since = Date.now() - 1_000;
      const sender = await listen(t, ada.client, topic, PRIVATE);
      assert.deepEqual(await sender.channel.httpSend("kept", { a: 1 }, { persist: true }), { success: true });
      assert.equal(await say(sender.channel, "not kept"), "ok");
      const late = await listen(t, bob.client, topic, { private: true, broadcast: { replay: { since } } });
      await late.waitFor(1);
      assert.deepEqual(eventsOf(late.messages), ["kept"]);
      assert.equal(late.messages[0]?.meta?.replayed, true);
    });

    test("6.5 access to a private channel ends when the token is renewed after its policy was dropped", async (t) => {
      const drop = await addRules(t, "for all to authenticated using (true) with check (true)");
      const topic = newTopic();
      const [owner, listener] = [
        await listen(t, ada.client, topic, PRIVATE),
        await listen(t, bob.client, topic, PRIVATE),
      ];
      ok(await bob.client.auth.refreshSession());
      assert.equal(await say(owner.channel, "before"), "ok");
      await listener.waitFor(1);
      await drop();
      ok(await bob.client.auth.refreshSession());
      await eventually(
        () => listener.statuses,
        (statuses) => statuses.includes("CHANNEL_ERROR"),
        "the end of access",
      );
    });

    test("6.5 access to a private channel ends at once with the session", async (t) => {
      await addRules(t, "for all to authenticated using (true) with check (true)");
      const topic = newTopic();
      const guest = await newPerson(service, withVersion(vsn));
      const [owner, listener] = [
        await listen(t, ada.client, topic, PRIVATE),
        await listen(t, guest.client, topic, PRIVATE),
      ];
      assert.equal(await say(owner.channel, "before"), "ok");
      await listener.waitFor(1);
      const admin = openClient(service, { key: service.credentials.service_role_key });
      ok(await admin.auth.admin.updateUserById(guest.id, { ban_duration: "1h" }));
      await eventually(
        () => listener.statuses,
        (statuses) => statuses.includes("CHANNEL_ERROR"),
        "the end of access",
      );
      assert.equal(await say(owner.channel, "after"), "ok");
      const last = await listen(t, bob.client, topic, PRIVATE);
      assert.equal(await say(owner.channel, "last"), "ok");
      await last.waitFor(1);
      assert.deepEqual(eventsOf(listener.messages), ["before"]);
    });

    let lastRule = 0;
    /** Returns a function that drops the policies; the end of the test drops them too. */
    async function addRules(t: TestContext, ...rules: readonly string[]): Promise<() => Promise<void>> {
      const drops: string[] = [];
      for (const rule of rules) {
        lastRule += 1;
        const name = `rule_${process.pid}_${lastRule}`;
        await runSql(service, `create policy ${name} on realtime.messages ${rule}`);
        drops.push(`drop policy if exists ${name} on realtime.messages;`);
      }
      const drop = () => runSql(service, drops.join(""));
      t.after(drop);
      return drop;
    }
  });
}

function sorted(state: Readonly<Record<string, unknown>>): [string, unknown][] {
  return Object.entries(state).toSorted(([one], [other]) => one.localeCompare(other));
}
