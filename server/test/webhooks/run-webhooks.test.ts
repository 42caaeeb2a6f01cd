import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { after, before, describe, test } from "node:test";
import pg from "pg";
import { type Receiver, startReceiver } from "./support/receiver.ts";
import { openStage, type Stage } from "./support/stage.ts";
import { until } from "../support/until.ts";

const EVENTS = ["run.updated"];

let stage: Stage;
let receiver: Receiver;
let owner: string;
let swarm: string;
const closers: (() => Promise<void>)[] = [];
const cleanup = { after: (close: () => Promise<void>) => void closers.push(close) };
before(async () => {
  stage = await openStage(cleanup);
  receiver = await startReceiver(cleanup);
  owner = await stage.newUser();
  swarm = await only("insert into public.swarms (owner_id, name) values ($1, 'Room') returning id", [owner]);
});
after(async () => {
  for (const close of closers.reverse()) await close();
});

async function only(text: string, values: readonly unknown[]): Promise<string> {
  const [row] = await stage.rows<{ id: string }>(text, values);
  return row?.id ?? "";
}
const newRun = (): Promise<string> =>
  only("insert into public.runs (swarm_id, user_id, strategy) values ($1, $2, 'round_robin') returning id", [
    swarm,
    owner,
  ]);
const setStatus = (run: string, status: string, reason: string | null = null, minutesAgo = 0): Promise<void> =>
  stage.change(
    `update public.runs set status = $2, stop_reason = $3,
       finished_at = case when $3::text is not null then now() - $4 * interval '1 minute' end where id = $1`,
    [run, status, reason, minutesAgo],
  );
const bodiesAt = (path: string): string[] =>
  receiver.received.filter((request) => request.path === path).map(({ body }) => body);

describe("webhooks of a run", () => {
  test("get the changes of this run alone, in the bodies that they were given, signed", async (t) => {
    const [run, other] = [await newRun(), await newRun()];
    const bodies = { running: { state: "working" }, completed: { state: "done" } };
    const webhook = await stage.newWebhook(owner, `${receiver.url}/one`, { events: EVENTS, run_id: run, bodies });
    await stage.newWebhook(owner, `${receiver.url}/all`, { events: EVENTS });
    await stage.newWebhook(await stage.newUser(), `${receiver.url}/stranger`, { events: EVENTS });
    stage.start(t);
    await setStatus(run, "running");
    await setStatus(run, "requires_action");
    await setStatus(other, "cancelled", "cancelled");
    await setStatus(run, "completed", "all_replied");
    await until(() => bodiesAt("/one").length >= 3 && bodiesAt("/all").length >= 4, "all events have arrived");
    const own = bodiesAt("/one").map((body) => JSON.parse(body));
    assert.deepEqual([own[0], own[2]], [{ state: "working" }, { state: "done" }]);
    // A status without a body of its own has the envelope.
    assert.deepEqual([own[1].type, own[1].data.status, own[1].data.run_id], ["run.updated", "requires_action", run]);
    const all = bodiesAt("/all").map((body) => JSON.parse(body).data);
    const changes = all.map(({ run_id, status }) => `${run_id === run ? "run" : "other"} ${status}`);
    assert.deepEqual(changes.toSorted(), ["other cancelled", "run completed", "run requires_action", "run running"]);
    assert.deepEqual(bodiesAt("/stranger"), []);
    const [{ secret } = { secret: "" }] = await stage.rows<{ secret: string }>(
      "select secret from public.webhooks where id = $1",
      [webhook],
    );
    for (const { path, headers, body } of receiver.received) {
      if (path !== "/one") continue;
      const signed = createHmac("sha256", secret)
        .update(`${String(headers["x-service-timestamp"])}.${body}`)
        .digest("hex");
      assert.equal(headers["x-service-signature"], `sha256=${signed}`);
    }
  });

  test("are told at once what happened before they were created", async (t) => {
    const run = await newRun();
    await setStatus(run, "failed", "provider_error");
    stage.start(t);
    await stage.newWebhook(owner, `${receiver.url}/late`, { events: EVENTS, run_id: run });
    // The event of the change itself arrives too if it is fanned out after the webhook was created.
    await until(() => bodiesAt("/late").length > 0, "the status has arrived");
    const { data } = JSON.parse(bodiesAt("/late")[0] ?? "");
    assert.deepEqual([data.run_id, data.status, data.stop_reason], [run, "failed", "provider_error"]);
  });

  test("get the status of a run that ends while they are created", async (t) => {
    const run = await newRun();
    const ending = new pg.Client({ connectionString: stage.database.ownerUrl });
    await ending.connect();
    t.after(() => ending.end());
    await ending.query("begin");
    await ending.query(
      "update public.runs set status = 'cancelled', stop_reason = 'cancelled', finished_at = now() where id = $1",
      [run],
    );
    const creating = stage.newWebhook(owner, `${receiver.url}/raced`, { events: EVENTS, run_id: run });
    const isWaiting = async (): Promise<boolean> =>
      (await ending.query("select 1 from pg_locks where not granted")).rowCount !== 0;
    await until(isWaiting, "the insert waits for the end of the run");
    await ending.query("commit");
    await creating;
    stage.start(t);
    await until(() => bodiesAt("/raced").length > 0, "the status has arrived");
    assert.match(bodiesAt("/raced")[0] ?? "", /"status" : "cancelled"/);
  });

  test("are only for members of the swarm, and keep their run", async () => {
    const run = await newRun();
    const stranger = await stage.newUser();
    const hook = { events: EVENTS, run_id: run };
    const hidden = { constraint: "webhooks_run_id_visible" };
    await assert.rejects(stage.newWebhook(stranger, receiver.url, hook), hidden);
    await assert.rejects(stage.newWebhook(stranger, receiver.url, { ...hook, run_id: randomUUID() }), hidden);
    const webhook = await stage.newWebhook(owner, receiver.url, hook);
    await assert.rejects(
      stage.sql.query("update public.webhooks set run_id = $2 where id = $1", [webhook, await newRun()]),
      /cannot be changed|run_id/,
    );
    await assert.rejects(stage.newWebhook(owner, receiver.url, { events: EVENTS, bodies: {} }), {
      constraint: "webhooks_bodies_of_run",
    });
  });

  test("are deleted an hour after the end, when no delivery waits", async () => {
    const ended = async (minutesAgo: number): Promise<string> => {
      const run = await newRun();
      const webhook = await stage.newWebhook(owner, "https://example.test/", { events: ["tool.error"], run_id: run });
      await setStatus(run, "completed", "all_replied", minutesAgo);
      await stage.sql.query("delete from private.events");
      return webhook;
    };
    const [old, recent, busy] = [await ended(61), await ended(30), await ended(90)];
    await stage.sql.query(
      "insert into private.webhook_queue (delivery_id, webhook_id, event_seq) values (gen_random_uuid(), $1, 0)",
      [busy],
    );
    const left = async (): Promise<string[]> =>
      (await stage.rows<{ id: string }>("select id from public.webhooks where id = any ($1)", [[old, recent, busy]]))
        .map(({ id }) => id)
        .sort();
    const { webhooks } = stage.open({ times: { housekeepingIntervalMs: 50 } });
    const stopping = new AbortController();
    const running = webhooks.workers.find(({ name }) => name === "webhook-keeper")?.run(stopping.signal);
    await until(async () => (await left()).length < 3, "the housekeeping worker is done");
    stopping.abort();
    await running;
    assert.deepEqual(await left(), [recent, busy].sort());
  });
});
