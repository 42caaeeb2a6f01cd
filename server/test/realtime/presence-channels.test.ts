import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { createSettableClock } from "../auth/support/settable-clock.ts";
import { ChangesBus, createChangesDouble } from "./support/changes-double.ts";
import { RawClient } from "./support/raw-client.ts";
import { openStage, type StageOptions } from "./support/realtime-stage.ts";
import { openSupabase, subscribed, type Vsn } from "./support/supabase-client.ts";
import { until } from "../support/until.ts";

const QUICK = { presenceTickMs: 10, presenceBeatMs: 50, presenceLeaseMs: 400 };

describe("presence", () => {
  const open = async (t: TestContext, bus = new ChangesBus(), options: Partial<StageOptions> = {}) => {
    const changes = createChangesDouble(bus);
    return { changes, ...(await openStage(t, { changes, timing: QUICK, ...options })) };
  };
  const enter = async (t: TestContext, url: string, key: string, vsn: Vsn = "2.0.0") => {
    const channel = openSupabase(t, url, { vsn }).channel("room", { config: { presence: { key } } });
    const received: string[] = [];
    channel.on("presence", { event: "join" }, ({ key: who }) => received.push(`+${who}`));
    channel.on("presence", { event: "leave" }, ({ key: who }) => received.push(`-${who}`));
    await subscribed(channel);
    const see = (): string =>
      Object.entries(channel.presenceState<{ is?: string }>())
        .map(([who, metas]) => `${who}:${metas.map(({ is }) => is ?? "").join("+")}`)
        .sort()
        .join(" ");
    return { channel, received, see };
  };
  const sees = async (see: () => string, expected: string) => {
    await until(() => see() === expected, `${expected}, not ${see()}`).catch(() => assert.equal(see(), expected));
  };

  for (const vsn of ["1.0.0", "2.0.0"] as const) {
    it(`on ${vsn} clients see presences at the join, their changes and their end`, async (t) => {
      const { url } = await open(t);
      const ann = await enter(t, url, "ann", vsn);
      const ben = await enter(t, url, "ben", vsn);
      assert.equal(await ann.channel.track({ is: "here" }), "ok");
      for (const { see } of [ann, ben]) await sees(see, "ann:here");
      assert.equal(await ben.channel.track({ is: "new" }), "ok");
      const eve = await enter(t, url, "eve", vsn);
      for (const { see } of [ann, ben, eve]) await sees(see, "ann:here ben:new");
      await ben.channel.track({ is: "busy" });
      for (const { see } of [ann, ben, eve]) await sees(see, "ann:here ben:busy");
      await ann.channel.untrack();
      for (const { see } of [ann, ben, eve]) await sees(see, "ben:busy");
      await ben.channel.unsubscribe();
      for (const { see } of [ann, eve]) await sees(see, "");
    });
  }

  it("one key on two sockets has two presences, and each ends separately", async (t) => {
    const { url } = await open(t);
    const [one, two, eve] = [await enter(t, url, "ann"), await enter(t, url, "ann"), await enter(t, url, "eve")];
    await one.channel.track({ is: "desk" });
    await sees(eve.see, "ann:desk");
    await two.channel.track({ is: "phone" });
    await until(() => eve.see().includes("phone"));
    await one.channel.unsubscribe();
    await sees(eve.see, "ann:phone");
  });

  it("an unchanged presence sends no diff", async (t) => {
    const { url } = await open(t);
    const client = await RawClient.open(t, url);
    await client.join("realtime:room", { presence: { key: "k", enabled: true } });
    const track = (payload: unknown) =>
      client.ask("1", "realtime:room", "presence", { type: "presence", event: "track", payload });
    await track({ a: 1 });
    await client.nextEvent("presence_diff");
    await track({ a: 1 });
    await track({ a: 2, phx_ref: "mine" });
    await client.until(() => client.frames.filter((frame) => frame[3] === "presence_diff").length >= 2);
    const [first, second] = client.frames.filter((frame) => frame[3] === "presence_diff").map((frame) => frame[4]);
    const refOf = (side: unknown) => (side as { k: { metas: { phx_ref: string }[] } }).k.metas[0]?.phx_ref;
    assert.equal(refOf(second?.["leaves"]), refOf(first?.["joins"]));
    assert.notEqual(refOf(second?.["joins"]), "mine");
    assert.equal((await track("text"))["status"], "error");
    assert.equal((await track(["list"]))["status"], "error");
  });

  it("a client without a key gets a generated one, and only clients with presence enabled see it", async (t) => {
    const { url } = await open(t);
    const [shown, blind] = [await RawClient.open(t, url), await RawClient.open(t, url)];
    await shown.join("realtime:room", { presence: { enabled: true, key: "" } });
    await blind.join("realtime:room", { presence: { key: "" } });
    await blind.ask("1", "realtime:room", "presence", { type: "presence", event: "track", payload: {} });
    const [, , , , diff] = await shown.nextEvent("presence_diff");
    assert.match(Object.keys(diff["joins"] as object)[0] ?? "", /^[0-9a-f-]{36}$/);
    await blind.ask(null, "phoenix", "heartbeat", {});
    assert.ok(!blind.frames.some((frame) => frame[3].startsWith("presence_")));
  });

  it("all nodes have the same presences, including a node that starts later", async (t) => {
    const bus = new ChangesBus();
    const [here, there] = [await open(t, bus), await open(t, bus)];
    const [ann, ben] = [await enter(t, here.url, "ann"), await enter(t, there.url, "ben")];
    await ann.channel.track({ is: "1" });
    await ben.channel.track({ is: "2" });
    const late = await open(t, bus);
    const eve = await enter(t, late.url, "eve");
    for (const { see } of [ann, ben, eve]) await sees(see, "ann:1 ben:2");
    await ann.channel.track({ is: "3" });
    for (const { see } of [ben, eve]) await sees(see, "ann:3 ben:2");
    await ben.channel.unsubscribe();
    for (const { see } of [ann, eve]) await sees(see, "ann:3");
  });

  it("presences of a crashed node end with its lease and those of a stopped node at once", async (t) => {
    const bus = new ChangesBus();
    const clock = createSettableClock();
    const timing = { ...QUICK, presenceLeaseMs: 30_000 };
    const nodes = await Promise.all([1, 2, 3].map(() => open(t, bus, { clock, timing })));
    const [crashing, stopping, staying] = nodes;
    assert.ok(crashing && stopping && staying);
    const people = [await RawClient.open(t, crashing.url), await RawClient.open(t, stopping.url)];
    for (const [at, person] of people.entries()) {
      await person.join("realtime:room", { presence: { key: `p${at}` } });
      await person.ask("1", "realtime:room", "presence", { event: "track", payload: { is: "here" } });
    }
    const eve = await enter(t, staying.url, "eve");
    await sees(eve.see, "p0:here p1:here");
    await stopping.module.close();
    await sees(eve.see, "p0:here");
    crashing.changes.failEmits(new Error("crashed"));
    await crashing.kill();
    clock.advance(20_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal(eve.see(), "p0:here", "the lease has not run out");
    clock.advance(11_000);
    await sees(eve.see, "");
  });

  it("presences converge after a feed was lost, and none is removed meanwhile", async (t) => {
    const bus = new ChangesBus();
    const clock = createSettableClock();
    const options = { clock, timing: { ...QUICK, presenceLeaseMs: 30_000 } };
    const [here, there] = [await open(t, bus, options), await open(t, bus, options)];
    const [ann, ben] = [await enter(t, here.url, "ann"), await enter(t, here.url, "ben")];
    await ann.channel.track({ is: "1" });
    await ben.channel.track({ is: "1" });
    const eve = await enter(t, there.url, "eve");
    await sees(eve.see, "ann:1 ben:1");
    there.changes.setDisconnected(true);
    there.changes.setState("connecting");
    clock.advance(60_000);
    await new Promise((resolve) => setTimeout(resolve, 5 * QUICK.presenceTickMs));
    assert.equal(eve.see(), "ann:1 ben:1");
    await ann.channel.track({ is: "2" });
    await ben.channel.unsubscribe();
    there.changes.setDisconnected(false);
    there.changes.setState("live");
    await sees(eve.see, "ann:2");
    assert.deepEqual(
      eve.received.filter((what) => what === "-ben"),
      ["-ben"],
    );
  });

  it("presences converge after a message could not be sent", async (t) => {
    const bus = new ChangesBus();
    const [here, there] = [await open(t, bus), await open(t, bus)];
    const [ann, eve] = [await enter(t, here.url, "ann"), await enter(t, there.url, "eve")];
    await ann.channel.track({ is: "1" });
    await sees(eve.see, "ann:1");
    here.changes.failEmits(new Error("away"));
    await ann.channel.track({ is: "2" });
    await new Promise((resolve) => setTimeout(resolve, 50));
    here.changes.failEmits(null);
    await sees(eve.see, "ann:2");
  });

  it("a node without presences sends no presence messages", async (t) => {
    const bus = new ChangesBus();
    const { url } = await open(t, bus);
    const ann = await enter(t, url, "ann");
    await until(() => bus.emitted.length >= 1, "the node has requested the state");
    await new Promise((resolve) => setTimeout(resolve, 4 * QUICK.presenceBeatMs));
    assert.equal(bus.emitted.length, 1);
    await ann.channel.track({ is: "1" });
    await until(() => bus.emitted.length > 3, "it beats");
  });
});
