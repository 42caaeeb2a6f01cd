-- Evals.

comment on table public.eval_datasets is
'Datasets: lists of cases that agents are tested with.

Only the owner sees a dataset. Its cases, runs and results are deleted with it.

Guide: evals';
comment on column public.eval_datasets.id is 'The id, a UUID that sorts by time.';
comment on column public.eval_datasets.user_id is 'The owner. It cannot change.';
comment on column public.eval_datasets.name is 'The name, which is unique among the datasets of a user.';
comment on column public.eval_datasets.description is 'What the dataset is for.';
comment on column public.eval_datasets.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.eval_datasets.updated_at is 'When the row changed last. A sent value is ignored.';

comment on table public.eval_cases is
'The cases of datasets: an input, and what the answer has to be.

`expectation` has a `kind`: `exact` with `text`, `contains` with `texts`, `schema` with `schema`, `judge` with
`criteria`, or `tool_called` with `tool`.

Guide: evals';
comment on column public.eval_cases.id is 'The id, a UUID that sorts by time.';
comment on column public.eval_cases.user_id is 'The owner of the dataset. It cannot change.';
comment on column public.eval_cases.dataset_id is 'The dataset. It cannot change.';
comment on column public.eval_cases.name is 'The name, which is unique in the dataset.';
comment on column public.eval_cases.input is 'What the agent is asked.';
comment on column public.eval_cases.expectation is 'What the answer has to be.';
comment on column public.eval_cases.position is 'The place in the dataset; cases run in this order.';
comment on column public.eval_cases.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.eval_cases.updated_at is 'When the row changed last. A sent value is ignored.';

comment on table public.eval_runs is
'Runs of a dataset against a version of an agent.

`swarmbase eval` writes them. A run whose command was killed stays `running`.

Guide: evals';
comment on column public.eval_runs.id is 'The id, a UUID that sorts by time.';
comment on column public.eval_runs.user_id is 'The owner. It cannot change.';
comment on column public.eval_runs.dataset_id is 'The dataset. It cannot change.';
comment on column public.eval_runs.agent_id is 'The agent; null once it is deleted.';
comment on column public.eval_runs.agent_version is
  'The `number` of the version in `agent_versions` that answered. It cannot change.';
comment on column public.eval_runs.baseline_run_id is
  'The earlier run that the results were compared with; null without one.';
comment on column public.eval_runs.status is
  '`running`, `completed`, `failed` when it could not be finished, or `cancelled`.';
comment on column public.eval_runs.case_count is 'How many cases the run has.';
comment on column public.eval_runs.passed_count is 'How many of them passed.';
comment on column public.eval_runs.regression_count is 'How many failed that passed in the baseline.';
comment on column public.eval_runs.created_at is 'When the row was created. A sent value is ignored.';
comment on column public.eval_runs.finished_at is 'When it ended; null before.';

comment on table public.eval_results is
'The result of each case of a run.

A result has a copy of its case, so that it stays correct when the case is changed or deleted. Tokens and costs are
those of the agent, without the judge.

Guide: evals';
comment on column public.eval_results.id is 'The id, a UUID that sorts by time.';
comment on column public.eval_results.user_id is 'The owner. It cannot change.';
comment on column public.eval_results.eval_run_id is 'The run. It cannot change.';
comment on column public.eval_results.case_id is 'The case; null once it is deleted.';
comment on column public.eval_results.case_name is 'The name of the case at the time of the result.';
comment on column public.eval_results.input is 'The input of the case at the time of the result.';
comment on column public.eval_results.expectation is 'The expectation of the case at the time of the result.';
comment on column public.eval_results.passed is 'Whether the answer is what the case expects.';
comment on column public.eval_results.is_regression is 'Whether the same case passed in the baseline and fails now.';
comment on column public.eval_results.score is 'From 0 to 1, by the judge; null without one.';
comment on column public.eval_results.reason is 'Why it passed or failed.';
comment on column public.eval_results.output is 'The answer; null when there was none.';
comment on column public.eval_results.run_id is 'The run of the agent, if its conversation was stored; null otherwise.';
comment on column public.eval_results.latency_ms is 'How long the run of the agent took.';
comment on column public.eval_results.input_tokens is 'Tokens that the agent read.';
comment on column public.eval_results.output_tokens is 'Tokens that the agent wrote.';
comment on column public.eval_results.cost_usd is 'The cost of the answer; null if a price is unknown.';
comment on column public.eval_results.created_at is 'When the row was created. A sent value is ignored.';
