import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { WebSocket } from "ws";
import { bind, openFeedStage, principalOf } from "./feed-stage.ts";
import { openStage } from "./support/realtime-stage.ts";
import { until } from "../support/until.ts";

const ROWS = 220_000;
const MIB = 1024 * 1024;
const MAX_GROWTH_BYTES = 64 * MIB;

describe("a transaction of more than 200 MB", { timeout: 600_000 }, () => {
  const opened = openFeedStage();

  it("arrives completely in bounded memory, at subscribers and at a client", async (t) => {
    const { stage, node } = opened;
    const { url } = await openStage(t, { changes: node.changes });
    await stage.database.owner.query(`create table public.bulk (id int primary key, text text);
      grant select on public.bulk to service_role; alter publication supabase_realtime add table public.bulk`);
    let [received, isOrdered] = [0, true];
    /** The peak of the process, in the first and in the second half. */
    const peaks: [number, number] = [0, 0];
    const losses: string[] = [];
    const subscriber = {
      principal: principalOf("service_role"),
      bindings: [bind("bulk")],
      deliver: (_ids: readonly number[], data: string) => {
        received += 1;
        isOrdered &&= data.includes(`"record":{"id":${received},`);
        const half = received * 2 > ROWS ? 1 : 0;
        if (received % 1_000 === 0) peaks[half] = Math.max(peaks[half], process.memoryUsage().rss);
      },
      lose: (reason: string) => void losses.push(reason),
    };
    await node.changes.subscribe(subscriber, AbortSignal.timeout(60_000));
    const client = countFrames(`${url.replace("http", "ws")}/realtime/v1/websocket?apikey=service&vsn=1.0.0`);
    t.after(() => client.close());
    await until(() => client.joined());

    await stage.database.owner.query(
      `insert into public.bulk select n, repeat(md5(n::text), 32) from generate_series(1, ${ROWS}) n`,
    );
    await until(() => received === ROWS && client.count() === ROWS);
    t.diagnostic(`peaks of the process: ${peaks.map((bytes) => Math.round(bytes / MIB)).join(" and ")} MiB`);
    assert.deepEqual([isOrdered, losses, node.changes.liveCount()], [true, [], 1]);
    assert.ok(peaks[1] - peaks[0] < MAX_GROWTH_BYTES, `the second half needs ${peaks[1] - peaks[0]} bytes more`);
  });
});

/** A client that counts changes without keeping them. */
function countFrames(url: string) {
  const socket = new WebSocket(url);
  let [count, isJoined] = [0, false];
  socket.on("open", () => {
    const config = { postgres_changes: [{ event: "*", schema: "public", table: "bulk" }] };
    socket.send(
      JSON.stringify({ topic: "realtime:bulk", event: "phx_join", payload: { config }, ref: "1", join_ref: "1" }),
    );
  });
  socket.on("message", (data: Buffer) => {
    const head = data.toString("utf8", 0, 200);
    if (head.includes('"postgres_changes"') && !head.includes("phx_reply") && !head.includes('"system"')) count += 1;
    if (head.includes("phx_reply") && head.includes('"ok"')) isJoined = true;
  });
  return { count: () => count, joined: () => isJoined, close: () => socket.close() };
}
