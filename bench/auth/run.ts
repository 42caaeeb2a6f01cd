import { parseArgs } from "node:util";
import { startOwnService } from "../../acceptance/support/service.ts";
import { openClosers } from "../load/closers.ts";
import { type Compared, compare } from "../load/compare.ts";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { openReport } from "../report/report.ts";
import { formatFigure, type Table } from "../report/table.ts";
import { createProgress } from "../rest/progress.ts";
import { createPasswordChecks } from "./password-checks.ts";
import { createServiceCalls } from "./service-calls.ts";
import { createTokenChecks } from "./token-checks.ts";

const { values } = parseArgs({
  options: { ...LENGTH_OPTIONS, json: { type: "string" } },
});
const PASSWORD = "correct horse battery staple";
const CONNECTIONS = 8;
const TOKEN_USERS = 1_000;
const ROUNDS = values.smoke ? 1 : 12;
/** All comparisons together take less than half a minute. */
const ROUND_MS = pickLength(values, {
  smoke: { signIn: 50, tokens: 50, calls: 50 },
  quick: { signIn: 150, tokens: 50, calls: 100 },
  full: { signIn: 400, tokens: 100, calls: 300 },
});

const report = openReport(values.json);
const progress = createProgress(process.stderr);
const closers = openClosers();
try {
  progress.stage("the service starts");
  const service = await startOwnService({});
  closers.add(() => service.stop());
  const calls = await createServiceCalls(service, { password: PASSWORD, connections: CONNECTIONS });
  closers.add(async () => calls.close());
  const passwordChecks = await createPasswordChecks(PASSWORD, CONNECTIONS);
  const tokens = await createTokenChecks(TOKEN_USERS);
  const results: Compared[] = [];
  for (const { roundMs, ...comparison } of [
    {
      name: "sign-in against the limit of its password hash",
      subject: calls.signIn,
      yardstick: passwordChecks,
      roundMs: ROUND_MS.signIn,
    },
    {
      name: "token check with and without the memory of verified tokens",
      subject: tokens.remembered,
      yardstick: tokens.verified,
      roundMs: ROUND_MS.tokens,
    },
    {
      name: "request with a token and its live session against one with nothing",
      subject: calls.getUser,
      yardstick: calls.getHealth,
      roundMs: ROUND_MS.calls,
    },
  ]) {
    progress.stage(comparison.name);
    results.push(await compare(comparison, { rounds: ROUNDS, roundMs }));
  }
  progress.end();
  report.add(buildTable(results));
} catch (error) {
  if (!closers.isClosing()) throw error;
} finally {
  await closers.closeAll();
}

function buildTable(results: readonly Compared[]): Table {
  return {
    id: "auth",
    title: "Accounts, sessions and tokens",
    head: ["compared", "a second", "with", "a second", "ratio", "middle half of the rounds"],
    rows: results.map(({ subject, yardstick, ratio, middle }) => [
      subject.name,
      formatFigure(subject.rate),
      yardstick.name,
      formatFigure(yardstick.rate),
      formatFigure(ratio),
      middle.map(formatFigure).join(" to "),
    ]),
    notes: [
      "The first is bounded by 1: no sign-in can be cheaper than the comparison of its password. No goals were set for these.",
    ],
    goals: [],
    plot: {
      caption: "ratio",
      bars: results.map(({ name, ratio }) => ({
        label: name,
        value: ratio,
        text: formatFigure(ratio),
        goal: null,
        isOurs: true,
      })),
    },
  };
}
