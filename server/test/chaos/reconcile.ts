import assert from "node:assert/strict";
import pg from "pg";
import type { ChaosResult } from "./kill-rounds.ts";
import { until } from "../support/until.ts";

interface Event {
  readonly id: string;
  readonly data: { readonly agent_id: string };
}

export interface Reconciled {
  readonly events: number;
  readonly deliveries: number;
  readonly requests: number;
}

/** Compares answered writes, stored rows and received requests after everything is sent. */
export async function reconcile({ service, receiver, paths, answered }: ChaosResult): Promise<Reconciled> {
  const sql = new pg.Client({ connectionString: service.credentials.database_url });
  await sql.connect();
  try {
    await until(async () => {
      const { rowCount } = await sql.query(
        "select 1 from private.events union all select 1 from private.webhook_queue limit 1",
      );
      return rowCount === 0;
    }, "nothing is left to send");

    const agents = new Set((await sql.query<{ id: string }>("select id from public.agents")).rows.map(({ id }) => id));
    const lost = [...answered].filter((id) => !agents.has(id));
    assert.deepEqual(lost, [], "every answered write is stored");

    const bodies = new Map<string, string>();
    const deliveryOf = new Map<string, string>();
    const eventOf = new Map<string, string>();
    for (const { path, headers, body } of receiver.received) {
      const delivery = String(headers["x-service-delivery"]);
      const { id, data } = JSON.parse(body) as Event;
      assert.equal(bodies.get(delivery) ?? body, body, `delivery ${delivery} has one body`);
      bodies.set(delivery, body);
      const place = `${path} ${data.agent_id}`;
      assert.equal(deliveryOf.get(place) ?? delivery, delivery, `${place} has one delivery id`);
      deliveryOf.set(place, delivery);
      assert.equal(eventOf.get(data.agent_id) ?? id, id, `${data.agent_id} has one event id, at every endpoint`);
      eventOf.set(data.agent_id, id);
      assert.equal(headers["webhook-id"], id, "the header names the event");
      assert.ok(agents.has(data.agent_id), `${data.agent_id} was received and is stored`);
    }
    for (const path of paths) {
      const missing = [...agents].filter((id) => !deliveryOf.has(`${path} ${id}`));
      assert.deepEqual(missing, [], `${path} got every event at least once`);
    }

    const { rows: statuses } = await sql.query<{ status: string; count: number }>(
      "select status, count(*)::integer as count from public.webhook_deliveries group by status",
    );
    assert.deepEqual(statuses, [{ status: "delivered", count: agents.size * paths.length }]);
    return { events: agents.size, deliveries: bodies.size, requests: receiver.received.length };
  } finally {
    await sql.end();
  }
}
