import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { ask, assertRunRejected, startRun, startTurn, eventsOf, openSwarm, waitForRun } from "./support/runs.ts";
import { NEEDS_OWN_SERVICE } from "./support/given-service.ts";
import { newPerson, type Person } from "./support/people.ts";
import { respond, SIMULATED } from "./support/swarms.ts";
import { type Service, startOwnService } from "./support/service.ts";
import { streamsOf } from "./support/streams.ts";

let service: Service;
let isStopped = false;
let ada: Person;
let swarm: string;

describe("4.4 a busy swarm", { skip: NEEDS_OWN_SERVICE }, () => {
  before(async () => {
    service = await startOwnService({
      ...SIMULATED,
      AGENT_QUEUE_TIMEOUT_MS: "1000",
      AGENT_QUEUE_LIMIT: "3",
      STOP_TIMEOUT_MS: "5000",
    });
    ada = await newPerson(service);
  });
  after(async () => {
    if (!isStopped) await service?.stop();
  });
  beforeEach(async () => {
    ({ swarm } = await openSwarm(ada));
  });

  test("4.4 a busy swarm executes queued runs in order, and responds 202 to callers that wait too long", async () => {
    const first = await startTurn(ada, swarm, "First\n/sleep 4000");
    const second = await startRun(ada, swarm, "Second");
    const third = await ask(ada, { swarm_id: swarm, message: "Third" });
    assert.deepEqual([second.status, third.status, third.body["status"]], ["queued", 202, "queued"]);
    const ids = [first.run_id, second.run_id, String(third.body["run_id"])];
    const runs = await Promise.all(ids.map((id) => waitForRun(ada, id)));
    const starts = runs.map(({ started_at }) => Date.parse(String(started_at)));
    assert.deepEqual(
      starts,
      starts.toSorted((one, other) => one - other),
    );
    for (const [at, run] of runs.entries()) {
      const before = runs[at - 1];
      if (before !== undefined)
        assert.ok(Date.parse(String(before["finished_at"])) <= Date.parse(String(run["started_at"])));
    }
  });

  test("4.4 a busy swarm rejects a call with on_conflict reject, and when its queue is full", async () => {
    const { run_id: runId } = await startTurn(ada, swarm, "First\n/sleep 20000");
    const busy = await assertRunRejected(
      ask(ada, { swarm_id: swarm, message: "Now", on_conflict: "reject" }),
      409,
      "SWARM_BUSY",
    );
    assert.ok(Number(busy.headers["retry-after"]) > 0);
    for (let count = 0; count < 3; count += 1) await startRun(ada, swarm, "Patient");
    await assertRunRejected(ask(ada, { swarm_id: swarm, message: "Too many" }), 409, "SWARM_BUSY");
    await ask(ada, { action: "cancel", run_id: runId });
  });

  test("4.4 a busy swarm can be interrupted", async () => {
    const { run_id: runId } = await startTurn(ada, swarm, "First\n/sleep 20000");
    const run = await respond(ada, swarm, "Urgent", { on_conflict: "interrupt" });
    assert.equal(run.status, "completed");
    const { status, stop_reason: reason } = await waitForRun(ada, runId);
    assert.deepEqual([status, reason], ["cancelled", "interrupted"]);
  });

  test("4.4 a service that stops closes streams before the run ends", async () => {
    const stream = streamsOf(service, ada);
    const asked = await stream({ swarm_id: swarm, message: "Slowly\n/sleep 60000" });
    await asked.until("turn.started");
    const attached = await stream({ action: "attach", run_id: asked.headers.get("x-run-id") });
    assert.equal(attached.status, 200);
    const stopping = service.stop();
    isStopped = true;
    for (const one of [asked, attached]) assert.ok(!eventsOf(await one.rest()).includes("done"));
    await stopping;
  });
});
