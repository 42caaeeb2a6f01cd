import { test } from "node:test";
import { receiveThroughKills } from "./support/kill-stage.ts";

test("each accepted call starts one run, although the node is killed meanwhile", (t) =>
  receiveThroughKills(t, { nodes: 1, kills: 1, perKill: 12 }));
