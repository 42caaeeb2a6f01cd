import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { ChangesBus, createChangesDouble } from "./support/changes-double.ts";
import { RawClient } from "./support/raw-client.ts";
import { openStage } from "./support/realtime-stage.ts";
import { until } from "../support/until.ts";

const TOPIC = "realtime:room";
const CONFIG = {
  postgres_changes: [{ event: "*", schema: "public", table: "agents" }],
  presence: { enabled: true },
  broadcast: { ack: true },
};
const DEEDS = ["join", "join again", "leave", "track", "broadcast", "vanish", "close", "change", "lose feed"] as const;

describe("random connects and disconnects", () => {
  it("random connects and disconnects leak nothing, and remaining sockets receive every later change", async (t) => {
    const changes = createChangesDouble(new ChangesBus());
    const { url } = await openStage(t, { changes, settings: { realtimeJoinsPerSecond: 0 } });
    const deeds = fc.sample(fc.tuple(fc.constantFrom(...DEEDS), fc.nat(19)), { numRuns: 1_500, seed: 7 });
    const clients = new Map<number, RawClient>();
    let joins = 0;
    for (const [deed, place] of deeds) {
      let client = clients.get(place);
      if (client === undefined) {
        client = await RawClient.open(t, url);
        clients.set(place, client);
      }
      switch (deed) {
        case "join":
        case "join again":
          joins += 1;
          client.send(`j${joins}`, TOPIC, "phx_join", { config: CONFIG });
          // Some of what follows finds the join answered, some finds it under way.
          if (deed === "join") await client.ask(null, "phoenix", "heartbeat", {});
          break;
        case "leave":
          client.send(null, TOPIC, "phx_leave", {});
          break;
        case "track":
          client.send(null, TOPIC, "presence", { type: "presence", event: "track", payload: { place } });
          break;
        case "broadcast":
          client.send(null, TOPIC, "broadcast", { type: "broadcast", event: "e", payload: { place } });
          break;
        case "vanish":
          client.ws.terminate();
          clients.delete(place);
          break;
        case "close":
          client.ws.close();
          clients.delete(place);
          break;
        case "change":
          changes.deliver('{"n":1}');
          break;
        case "lose feed":
          if (place === 0) changes.loseAll("The change feed was interrupted");
          break;
      }
    }

    for (const [place, client] of clients) {
      await client.join(TOPIC, CONFIG, undefined, `last-${place}`);
      await client.ask(`last-${place}`, TOPIC, "presence", { event: "track", payload: { place } });
    }
    await until(() => changes.subscribers.size === clients.size, "only those who are here are subscribed");
    changes.deliver('{"n":"last"}');
    for (const [place, client] of clients) {
      const [joinRef] = await client.next((frame) => JSON.stringify(frame[4]).includes('"last"'));
      assert.equal(joinRef, `last-${place}`);
    }
    const late = await RawClient.open(t, url);
    const present = async (): Promise<number> => {
      const since = late.frames.length;
      await late.join(TOPIC, CONFIG, undefined, `check-${since}`);
      const [, , , , state] = await late.nextEvent("presence_state", since);
      return Object.keys(state).length;
    };
    assert.equal(await present(), clients.size);
    for (const client of clients.values()) client.ws.terminate();
    await until(() => changes.subscribers.size === 1, "only the checking client is subscribed");
    assert.equal(await present(), 0);
  });
});
