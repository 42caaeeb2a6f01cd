import { rows, type TableOperations } from "./rows.ts";

const CASE = '\'new\', \'hello\', \'{"kind": "exact", "text": "a"}\'';
const RESULT = "'new', 'hello', '{}', true";

export const EVAL_OPERATIONS: Readonly<Record<string, TableOperations>> = {
  "public.eval_datasets": rows("public.eval_datasets", {
    where: "id = :dataset",
    insert: "(user_id, name) values (:caller, 'new')",
    update: "description = 'changed'",
    more: {
      "insert for owner": "insert into public.eval_datasets (user_id, name) values (:owner, 'new')",
      "update owner": "update public.eval_datasets set user_id = :newcomer where id = :dataset",
      "update id": "update public.eval_datasets set id = gen_random_uuid() where id = :dataset",
    },
  }),
  "public.eval_cases": rows("public.eval_cases", {
    where: "id = :evalCase",
    insert: `(user_id, dataset_id, name, input, expectation) values (:caller, :dataset, ${CASE})`,
    update: "input = 'changed'",
    more: {
      "insert for owner": `insert into public.eval_cases (user_id, dataset_id, name, input, expectation) values (:owner, :dataset, ${CASE})`,
      "update dataset": "update public.eval_cases set dataset_id = :strangerDataset where id = :evalCase",
      "update owner": "update public.eval_cases set user_id = :newcomer where id = :evalCase",
    },
  }),
  "public.eval_runs": rows("public.eval_runs", {
    where: "id = :evalRun",
    insert: "(user_id, dataset_id, agent_id, agent_version) values (:caller, :dataset, :callerSpare, 1)",
    update: "status = 'completed'",
    more: {
      "insert for owner":
        "insert into public.eval_runs (user_id, dataset_id, agent_id, agent_version) values (:owner, :dataset, :ownerAgent, 1)",
      "insert foreign agent":
        "insert into public.eval_runs (user_id, dataset_id, agent_id, agent_version) values (:owner, :dataset, :memberAgent, 1)",
      "update baseline": "update public.eval_runs set baseline_run_id = :strangerEvalRun where id = :evalRun",
      "update owner": "update public.eval_runs set user_id = :newcomer where id = :evalRun",
    },
  }),
  "public.eval_results": rows("public.eval_results", {
    where: "id = :evalResult",
    insert: `(user_id, eval_run_id, case_name, input, expectation, passed) values (:caller, :evalRun, ${RESULT})`,
    update: "reason = 'changed'",
    more: {
      "insert for owner": `insert into public.eval_results (user_id, eval_run_id, case_name, input, expectation, passed) values (:owner, :evalRun, ${RESULT})`,
      "update owner": "update public.eval_results set user_id = :newcomer where id = :evalResult",
    },
  }),
};
