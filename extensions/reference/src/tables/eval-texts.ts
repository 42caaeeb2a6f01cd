import type { TableText } from "./table-text.ts";

const COPY = "at the time of the result";

export const EVAL_TEXTS: Readonly<Record<string, TableText>> = {
  eval_datasets: {
    summary: "Datasets: lists of cases that agents are tested with.",
    notes: ["Only the owner sees a dataset. Its cases, runs and results are deleted with it."],
    columns: {
      user_id: "The owner. It cannot change.",
      name: "The name, which is unique among the datasets of a user.",
      description: "What the dataset is for.",
    },
    guide: "evals",
  },
  eval_cases: {
    summary: "The cases of datasets: an input, and what the answer has to be.",
    notes: [
      "`expectation` has a `kind`: `exact` with `text`, `contains` with `texts`, `schema` with `schema`, `judge` with `criteria`, or `tool_called` with `tool`.",
    ],
    columns: {
      user_id: "The owner of the dataset. It cannot change.",
      dataset_id: "The dataset. It cannot change.",
      name: "The name, which is unique in the dataset.",
      input: "What the agent is asked.",
      expectation: "What the answer has to be.",
      position: "The place in the dataset; cases run in this order.",
    },
    guide: "evals",
  },
  eval_runs: {
    summary: "Runs of a dataset against a version of an agent.",
    notes: ["`swarmbase eval` writes them. A run whose command was killed stays `running`."],
    columns: {
      user_id: "The owner. It cannot change.",
      dataset_id: "The dataset. It cannot change.",
      agent_id: "The agent; null once it is deleted.",
      agent_version: "The `number` of the version in `agent_versions` that answered. It cannot change.",
      baseline_run_id: "The earlier run that the results were compared with; null without one.",
      status: "`running`, `completed`, `failed` when it could not be finished, or `cancelled`.",
      case_count: "How many cases the run has.",
      passed_count: "How many of them passed.",
      regression_count: "How many failed that passed in the baseline.",
      finished_at: "When it ended; null before.",
    },
    guide: "evals",
  },
  eval_results: {
    summary: "The result of each case of a run.",
    notes: [
      "A result has a copy of its case, so that it stays correct when the case is changed or deleted. Tokens and costs are those of the agent, without the judge.",
    ],
    columns: {
      user_id: "The owner. It cannot change.",
      eval_run_id: "The run. It cannot change.",
      case_id: "The case; null once it is deleted.",
      case_name: `The name of the case ${COPY}.`,
      input: `The input of the case ${COPY}.`,
      expectation: `The expectation of the case ${COPY}.`,
      passed: "Whether the answer is what the case expects.",
      is_regression: "Whether the same case passed in the baseline and fails now.",
      score: "From 0 to 1, by the judge; null without one.",
      reason: "Why it passed or failed.",
      output: "The answer; null when there was none.",
      run_id: "The run of the agent, if its conversation was stored; null otherwise.",
      latency_ms: "How long the run of the agent took.",
      input_tokens: "Tokens that the agent read.",
      output_tokens: "Tokens that the agent wrote.",
      cost_usd: "The cost of the answer; null if a price is unknown.",
    },
    guide: "evals",
  },
};
