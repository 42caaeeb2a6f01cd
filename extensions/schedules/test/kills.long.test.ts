import { test } from "node:test";
import { startThroughKills } from "./support/kill-stage.ts";

test("each due time starts one run, and no wait of a run is lost, over two nodes and twenty kills", (t) =>
  startThroughKills(t, { nodes: 2, kills: 20, perKill: 40, overMs: 2_000 }));
