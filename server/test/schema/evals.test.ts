import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openStage, rejects, type Row, violates } from "./support/stage.ts";

const EXPECTATION = { kind: "exact", text: "yes" };

describe("evals", () => {
  const opened = openStage();

  /** A dataset with a case, a run and its result. */
  async function newEval(user: string): Promise<Record<"agentId" | "datasetId" | "caseId" | "runId", string>> {
    const { stage } = opened;
    const agentId = await stage.newAgent(user);
    const dataset = await stage.insert(user, "eval_datasets", { name: "support" });
    const tested = { name: "a", input: "hello", expectation: EXPECTATION };
    const { id: caseId } = await stage.insert(user, "eval_cases", { dataset_id: dataset.id, ...tested });
    const run = { dataset_id: dataset.id, agent_id: agentId, agent_version: 1 };
    const { id: runId } = await stage.insert(user, "eval_runs", run);
    const { name: case_name, ...copied } = tested;
    await stage.insert(user, "eval_results", {
      eval_run_id: runId,
      case_id: caseId,
      case_name,
      ...copied,
      passed: true,
    });
    return { agentId, datasetId: String(dataset.id), caseId: String(caseId), runId: String(runId) };
  }

  const listResults = (user: string): Promise<Row[]> =>
    opened.stage.run(user, "select case_id, case_name, input, expectation from eval_results", []);

  it("keep the results of a deleted case and the runs of a deleted agent, and go with their dataset", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const { agentId, datasetId, caseId, runId } = await newEval(user);
    await stage.remove(user, "eval_cases", caseId);
    const kept = { case_id: null, case_name: "a", input: "hello", expectation: EXPECTATION };
    assert.deepEqual(await listResults(user), [kept]);
    await stage.remove(user, "agents", agentId);
    assert.deepEqual((await stage.find(user, "eval_runs", runId))?.["agent_id"], null);
    await stage.remove(user, "eval_datasets", datasetId);
    assert.deepEqual(await listResults(user), []);
    assert.equal(await stage.find(user, "eval_runs", runId), undefined);
  });

  it("are deleted with the account", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const { runId, datasetId } = await newEval(user);
    await stage.remove("internal", "auth.users", user);
    assert.equal(await stage.find("internal", "public.eval_runs", runId), undefined);
    assert.equal(await stage.find("internal", "public.eval_datasets", datasetId), undefined);
  });

  it("have one dataset of a name for each user, and one case of a name in a dataset", async () => {
    const { stage } = opened;
    const [user, other] = [await stage.newUser(), await stage.newUser()];
    const { datasetId } = await newEval(user);
    await rejects(stage.insert(user, "eval_datasets", { name: "support" }), {
      code: "23505",
      constraint: "eval_datasets_user_id_name_key",
    });
    await newEval(other);
    const again = { dataset_id: datasetId, name: "a", input: "b", expectation: EXPECTATION };
    await rejects(stage.insert(user, "eval_cases", again), {
      code: "23505",
      constraint: "eval_cases_dataset_id_name_key",
    });
    await rejects(stage.insert(other, "eval_cases", again), {
      code: "23503",
      constraint: "eval_cases_dataset_id_fkey",
    });
  });

  it("reject an expectation without what its kind needs", async () => {
    const { stage } = opened;
    const user = await stage.newUser();
    const { datasetId } = await newEval(user);
    const insert = (expectation: unknown, name: string) =>
      stage.insert(user, "eval_cases", { dataset_id: datasetId, name, input: "b", expectation });
    const good = [
      { kind: "exact", text: "" },
      { kind: "contains", texts: ["a"] },
      { kind: "schema", schema: {} },
      { kind: "judge", criteria: "polite" },
      { kind: "tool_called", tool: "clock" },
    ];
    for (const expectation of good) await insert(expectation, `good ${expectation.kind}`);
    const bad = [
      {},
      [],
      { kind: "other" },
      { kind: "exact" },
      { kind: "contains", texts: [] },
      { kind: "contains", texts: ["a", ""] },
      { kind: "contains", texts: ["a", 1] },
      { kind: "contains", texts: "a" },
      { kind: "schema", schema: [] },
      { kind: "judge", criteria: " " },
      { kind: "tool_called" },
    ];
    for (const expectation of bad)
      await rejects(insert(JSON.stringify(expectation), "bad"), violates("eval_cases_expectation_format"));
  });
});
