import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, beforeEach, describe, test } from "node:test";
import type { UserPrincipal } from "../../../src/db/index.ts";
import { codeOf, LISTENING, openStage, type Stage, type Swarm } from "../support/respond-stage.ts";

const closers: (() => Promise<void>)[] = [];
let stage: Stage;
let owner: UserPrincipal;
let member: UserPrincipal;
let swarm: Swarm;

before(async () => {
  stage = await openStage({ after: (close) => void closers.push(close) });
  [owner, member] = [await stage.newUser(), await stage.newUser()];
});
after(async () => {
  for (const close of closers.reverse()) await close();
});
beforeEach(async () => {
  swarm = await stage.newSwarm(owner);
  await stage.join(swarm, member, "member");
  stage.hasCapacity = true;
});

/** An agent of the given user with a call that waits for approval, in a run of the swarm's owner. */
async function waitForApprovalOf(principal: UserPrincipal): Promise<{ runId: string; executionId: string }> {
  const { run_id: runId } = await stage.ask(owner, swarm, { message: "between us" });
  const [agent] = await stage.rows<{ id: string }>(
    "insert into public.agents (user_id, name) values ($1, $2) returning id",
    [principal.userId, `agent ${randomUUID()}`],
  );
  await stage.rows("insert into public.swarm_agents (swarm_id, agent_id) values ($1, $2)", [swarm.id, agent?.id]);
  const [turn] = await stage.rows<{ id: string }>(
    `insert into public.run_turns (run_id, swarm_id, agent_id, agent_name, position, status, framework, model)
     values ($1, $2, $3, 'theirs', 0, 'thinking', 'provider_a', 'm') returning id`,
    [runId, swarm.id, agent?.id],
  );
  const [execution] = await stage.rows<{ id: string }>(
    `insert into public.tool_executions (run_id, turn_id, swarm_id, agent_id, tool_name, tool_call_id, status, approver_id, expires_at)
     values ($1, $2, $3, $4, 'tool', 'call', 'pending_approval', $5, now() + interval '15 minutes') returning id`,
    [runId, turn?.id, swarm.id, agent?.id, principal.userId],
  );
  await stage.rows("update public.runs set status = 'requires_action' where id = $1", [runId]);
  return { runId, executionId: execution?.id ?? "" };
}

describe("a removed member of a swarm", () => {
  test("gets no further data of the swarm, not even by deciding on a call of their own agent", async () => {
    const { runId, executionId } = await waitForApprovalOf(member);
    await stage.rows("delete from public.swarm_members where swarm_id = $1 and user_id = $2", [
      swarm.id,
      member.userId,
    ]);
    for (const approved of [true, false]) {
      const decided = stage.respond.decide(member, runId, [{ tool_execution_id: executionId, approved }]);
      assert.equal(await codeOf(decided), "RUN_NOT_FOUND");
    }
    assert.equal(await codeOf(stage.respond.cancel(member, runId, LISTENING.signal)), "RUN_NOT_FOUND");
    assert.equal(await codeOf(stage.respond.attach(member, runId, LISTENING)), "RUN_NOT_FOUND");
    assert.equal(await codeOf(stage.ask(member, swarm)), "FORBIDDEN");
  });
});

describe("a member", () => {
  test("cannot interrupt a run that they cannot cancel", async () => {
    const { run_id: runId } = await stage.ask(owner, swarm);
    assert.equal(await codeOf(stage.respond.cancel(member, runId, LISTENING.signal)), "FORBIDDEN");
    assert.equal(await codeOf(stage.ask(member, swarm, { onConflict: "interrupt" })), "FORBIDDEN");
    assert.ok(!stage.cancelled.includes(runId));
  });

  test("can interrupt their own run, and any run when the swarm allows it", async () => {
    const own = await stage.ask(member, swarm);
    await stage.ask(member, swarm, { onConflict: "interrupt" });
    assert.ok(stage.cancelled.includes(own.run_id));
    const open = await stage.newSwarm(owner, { settings: { on_conflict: "interrupt" } });
    await stage.join(open, member, "member");
    const live = await stage.ask(owner, open);
    await stage.ask(member, open);
    assert.ok(stage.cancelled.includes(live.run_id));
  });
});

test("the events of a run do not reveal deleted messages", async () => {
  const { run_id: runId } = await stage.ask(owner, swarm, { message: "my number is 1234" });
  await stage.finish(runId);
  await stage.rows(
    "delete from public.messages where run_id = $1 or id = (select message_id from public.runs where id = $1)",
    [runId],
  );
  const stored = JSON.stringify(await stage.rows("select data from public.run_events where run_id = $1", [runId]));
  assert.doesNotMatch(stored, /1234/);
});

describe("a blocked term", () => {
  const block = async (terms: readonly string[], text: string): Promise<string | null> => {
    const [row] = await stage.rows<{ term: string | null }>("select private.find_blocked_term($1, $2) as term", [
      JSON.stringify(terms),
      text,
    ]);
    return row?.term ?? null;
  };
  /** The CPU time of the session where it can be read, because wall time includes other processes. */
  const readBusyMs = async (): Promise<number> => {
    if (process.platform !== "linux") return performance.now();
    const [row] = await stage.rows<{ pid: number }>("select pg_backend_pid() as pid");
    const stat = await readFile(`/proc/${row?.pid}/stat`, "utf8");
    // In hundredths of a second: the eleventh field after the state, which follows the name.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[11]) * 10;
  };

  test("is found in every spelling variant", async () => {
    const dressed = [
      "BANANA",
      "ｂａｎａｎａ",
      "ba\u200bnana",
      "ba\u00adnana",
      "b\u2060anana",
      "banana\ufe0f",
      "ba\u034fnana",
    ];
    for (const text of dressed) assert.equal(await block(["banana"], `a ${text} here`), "banana", JSON.stringify(text));
    assert.equal(await block(["ÄRGER"], "kein ärger"), "ÄRGER");
    assert.equal(await block(["c++", "a.c", "(x"], "abc"), null);
    assert.equal(await block(["c++"], "use C++!"), "c++");
  });

  test("is checked quickly, also with many terms and a long text", async () => {
    const terms = Array.from({ length: 1_000 }, (_, at) => `${"a".repeat(1 + (at % 200))}`);
    const beforeMs = await readBusyMs();
    await block(terms, "a".repeat(100_000));
    const busyMs = (await readBusyMs()) - beforeMs;
    assert.ok(busyMs < 5_000, `${Math.round(busyMs)} ms`);
  });
});
