import {
  DEFAULT_EVAL_CONCURRENCY,
  type EvalDataset,
  type EvalPlan,
  type EvalResult,
  findUnjudged,
  runEval,
} from "@swarmbase/sdk/evals";
import { UsageError } from "swarmbase/extension";
import { findBaseline } from "../evals/find-baseline.ts";
import { loadDataset, storeDataset } from "../evals/dataset.ts";
import { isEvalFile, readEvalFile } from "../evals/eval-file.ts";
import { findAgent, findVersion } from "../evals/find-agent.ts";
import { openPorts } from "../evals/open-ports.ts";
import { renderJson, renderResult, renderSummary } from "../evals/render-results.ts";
import { UUID } from "../model/keys.ts";
import { printable } from "../plan/render-plan.ts";
import type { Session } from "../service/connect.ts";
import { type Context, readEvalOptions, type Values } from "./options.ts";
import { withSession } from "./run.ts";

const EXIT_FAULT = 1;
const MAX_CONCURRENCY = 8;
const MAX_VERSION = 2_147_483_647;

export async function runEvalCommand(context: Context): Promise<number> {
  const { values, dataset: named } = readEvalOptions(context);
  const options = readNumbers(values);
  const file = isEvalFile(named) ? await readEvalFile(named) : null;
  const isJson = values.json === true;
  return withSession(context, values, {
    subject: isJson ? null : file === null ? `dataset ${named}` : `file ${named}`,
    work: async (session, output) => {
      const dataset = file === null ? await loadDataset(session, named) : await storeDataset(session, file);
      const plan = await makePlan(session, dataset, { values, ...options });
      if (!isJson) output.print(renderHead(plan));
      const outcome = await runEval(plan, {
        ...openPorts(session),
        now: () => context.now(),
        onResult: (_runId, result) => {
          if (!isJson) output.print(`${renderResult(result)}\n`);
        },
      });
      output.print(isJson ? `${renderJson(plan, outcome)}\n` : `\n${renderSummary(plan, outcome)}\n`);
      const isFault = values.strict === true ? isFailure : isRegression;
      return outcome.results.some(isFault) ? EXIT_FAULT : 0;
    },
  });
}

function isFailure({ passed }: EvalResult): boolean {
  return !passed;
}

function isRegression(result: EvalResult): boolean {
  return result.is_regression;
}

interface Numbers {
  readonly agentName: string;
  readonly version: number | null;
  readonly concurrency: number;
}

function readNumbers(values: Values): Numbers {
  if (values.agent === undefined) throw new UsageError("Name the agent with --agent: its id or its name.");
  if (values.baseline !== undefined && !UUID.test(values.baseline))
    throw new UsageError("--baseline must be the id of an eval run.");
  return {
    agentName: values.agent,
    version: values.version === undefined ? null : readNumber("--version", values.version, MAX_VERSION),
    concurrency:
      values.concurrency === undefined
        ? DEFAULT_EVAL_CONCURRENCY
        : readNumber("--concurrency", values.concurrency, MAX_CONCURRENCY),
  };
}

function readNumber(option: string, text: string, max: number): number {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > max) throw new UsageError(`${option} must be a number from 1 to ${max}.`);
  return number;
}

async function makePlan(
  session: Session,
  dataset: EvalDataset,
  { values, agentName, version, concurrency }: Numbers & { readonly values: Values },
): Promise<EvalPlan> {
  if (dataset.cases.length === 0) throw new Error(`The dataset ${JSON.stringify(dataset.name)} has no cases.`);
  const unjudged = findUnjudged(dataset);
  if (unjudged !== null && values.judge === undefined)
    throw new UsageError(`The case ${JSON.stringify(unjudged.name)} needs a judge: name an agent with --judge.`);
  const agent = await findAgent(session, agentName);
  const by = values.baseline === undefined ? { agentId: agent.id } : { runId: values.baseline };
  return {
    dataset,
    agent: { ...agent, version: await findVersion(session, agent, version) },
    judgeId: values.judge === undefined ? null : (await findAgent(session, values.judge)).id,
    baseline: await findBaseline(session, dataset, by),
    concurrency,
    isStored: values.store === true,
  };
}

function renderHead({ agent, baseline }: EvalPlan): string {
  const compared = baseline === null ? "" : `, compared with version ${baseline.agentVersion}`;
  return `${printable(`${agent.name} version ${agent.version}${compared}`)}\n\n`;
}
