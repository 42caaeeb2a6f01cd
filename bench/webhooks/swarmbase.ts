import { setTimeout as sleep } from "node:timers/promises";
import type { Contender } from "./contender.ts";
import type { Stage } from "./stage.ts";

const FILL_ROWS = 10_000;

/** From events, as a write leaves them, to recorded deliveries: fan-out, claim, two signatures, POST, outcome. */
export function openSwarmbase(stage: Stage): Contender {
  return {
    name: "Swarmbase",
    fill: async ({ deliveries, endpoints }) => {
      await stage.prepare(endpoints);
      for (let made = 0; made < deliveries; made += FILL_ROWS)
        await stage.insertEvents(Math.min(FILL_ROWS, deliveries - made), endpoints);
    },
    drain: async ({ deliveries }) => {
      const node = stage.start();
      for (let received = 0; received < deliveries; received += (await stage.count()).received) await sleep(20);
      while ((await stage.pool.query("select 1 from private.webhook_queue limit 1")).rowCount !== 0) await sleep(5);
      await node.stop();
    },
    close: async () => {},
  };
}
