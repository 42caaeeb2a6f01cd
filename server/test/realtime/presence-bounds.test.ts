import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ChangesBus, createChangesDouble } from "./support/changes-double.ts";
import { openStage } from "./support/realtime-stage.ts";
import { openSupabase, subscribed } from "./support/supabase-client.ts";
import { until } from "../support/until.ts";

const QUICK = { presenceTickMs: 10, presenceBeatMs: 50, presenceLeaseMs: 60_000 };
const LARGE = "x".repeat(300_000);

describe("limits of presence", () => {
  it("presences are sent to other nodes in messages within the feed limit", async (t) => {
    const bus = new ChangesBus();
    const changes = createChangesDouble(bus);
    const first = await openStage(t, { changes, timing: QUICK });
    const topics = Array.from({ length: 20 }, (_, at) => `room ${at}`);
    for (const topic of topics) {
      const channel = openSupabase(t, first.url).channel(topic, { config: { presence: { key: topic } } });
      await subscribed(channel);
      assert.equal(await channel.track({ LARGE }), "ok");
    }
    const sizes: number[] = [];
    const late = createChangesDouble(bus);
    t.after(late.onMessage("swarmbase.presence", (content) => sizes.push(content.length)));
    const second = await openStage(t, { changes: late, timing: QUICK });
    for (const topic of topics) {
      const channel = openSupabase(t, second.url).channel(topic, { config: { presence: { key: "late" } } });
      channel.on("presence", { event: "sync" }, () => {});
      await subscribed(channel);
      await until(() => Object.keys(channel.presenceState()).includes(topic), topic);
    }
    assert.ok(Math.max(...sizes) < 2_000_000, `a message of ${Math.max(...sizes)} bytes`);
  });

  it("the presences of one topic are limited to what fits into a join", async (t) => {
    const changes = createChangesDouble(new ChangesBus());
    const { url } = await openStage(t, { changes, timing: QUICK, settings: { realtimeSendBufferBytes: 1_000_000 } });
    const answers: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      const channel = openSupabase(t, url).channel("room", { config: { presence: { key: String(at) } } });
      await subscribed(channel);
      answers.push(await channel.track({ at, LARGE }));
    }
    assert.deepEqual(answers, ["ok", "error", "error", "error"]);
  });

  it("the presences of one socket are limited over all its channels", async (t) => {
    const changes = createChangesDouble(new ChangesBus());
    const { url } = await openStage(t, { changes, timing: QUICK });
    const client = openSupabase(t, url);
    const channels = await Promise.all(
      Array.from({ length: 4 }, async (_, at) => {
        const channel = client.channel(`room ${at}`);
        await subscribed(channel);
        return channel;
      }),
    );
    const answers: string[] = [];
    for (const channel of channels) answers.push(await channel.track({ LARGE }));
    assert.deepEqual(answers, ["ok", "ok", "ok", "error"]);
    await channels[0]?.untrack();
    assert.equal(await channels[3]?.track({ LARGE }), "ok");
  });
});
