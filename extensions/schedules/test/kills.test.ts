import { test } from "node:test";
import { startThroughKills } from "./support/kill-stage.ts";

test("each due time starts one run, and no wait of a run is lost, although the node is killed meanwhile", (t) =>
  startThroughKills(t, { nodes: 1, kills: 1, perKill: 12, overMs: 500 }));
