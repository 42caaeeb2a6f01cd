import { test } from "node:test";
import { receiveThroughKills } from "./support/kill-stage.ts";

test("each accepted call starts one run, over two nodes and twenty kills", (t) =>
  receiveThroughKills(t, { nodes: 2, kills: 20, perKill: 40 }));
