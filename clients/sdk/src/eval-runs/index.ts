// In charge of: running a dataset of evals against a version of an agent, for the command line, the console and apps.
// Not in charge of: reading the dataset and storing rows, which the caller's client does.
export { BASELINE_COLUMNS, type EvalBaseline } from "./baseline.ts";
export { type EvalCase, type EvalDataset, findUnjudged } from "./eval-dataset.ts";
export {
  DEFAULT_EVAL_CONCURRENCY,
  type EvalOutcome,
  type EvalPlan,
  type EvalPorts,
  type EvalResult,
  type EvalRunEnd,
  type EvalRunStart,
  runEval,
} from "./run-eval.ts";
