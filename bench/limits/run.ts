import { parseArgs } from "node:util";
import type { Principal } from "../../server/src/db/index.ts";
import { buildRateLimitStages } from "../../server/src/http/request/rate-limits.ts";
import { openLimits } from "../../server/src/limits/index.ts";
import { createObserver } from "../../server/src/observe/index.ts";
import { systemClock } from "../../server/src/time/index.ts";
import { LENGTH_OPTIONS, pickLength } from "../load/length.ts";
import { openReport } from "../report/report.ts";
import { createProgress } from "../rest/progress.ts";

type Stages = NonNullable<ReturnType<typeof buildRateLimitStages>>;
type CountedRequest = Parameters<Stages["countAuthenticated"]>[0];
type CountedReply = Parameters<Stages["countAuthenticated"]>[1];

const { values } = parseArgs({
  options: { ...LENGTH_OPTIONS, json: { type: "string" } },
});
const CALLS = pickLength(values, { smoke: 1_000, quick: 50_000, full: 300_000 });
const USERS = 10_000;
const BUDGET_MICROSECONDS = 20;
const ANON: Principal = { role: "anon", userId: null, claims: {}, session: null };

const limits = openLimits({
  settings: { limitApi: 1_000_000, limitAuth: 1_000_000, limitAi: 1_000_000, limitTools: 0, limitWebhooks: 0 },
  store: null,
  countWebhookSend: () => Promise.reject(new Error("webhook sends are counted in the database")),
  clock: systemClock,
  observer: createObserver({ level: "fatal", format: "json" }),
});

const keys = Array.from({ length: USERS }, (_, at) => `user:${at}`);
const requests = keys.map((_, at) => standIn(userOf(at), "127.0.0.1"));
const strangers = keys.map((_, at) => standIn(ANON, `2001:db8:${(at >> 8).toString(16)}:${at % 256}::1`));
const reply = { headers: () => reply } as unknown as CountedReply;

function userOf(at: number): Principal {
  return { role: "authenticated", userId: String(at), claims: {}, session: null };
}

/** What counting reads of a request. */
function standIn(principal: Principal, clientAddress: string): CountedRequest {
  const authentication = { principal, hasAuthorization: true };
  const read: Pick<CountedRequest, "authentication" | "clientAddress" | "counted" | "url" | "rateLimitState"> = {
    authentication,
    clientAddress,
    counted: [],
    url: "/rest/v1/agents",
    rateLimitState: null,
  };
  return read as CountedRequest;
}

function pick<T>(all: readonly T[], at: number): T {
  const one = all[at % all.length];
  if (one === undefined) throw new Error("there is nothing to pick from");
  return one;
}

async function countWith(limit: "api" | "webhook" | "auth", from: readonly CountedRequest[]) {
  const counter = buildRateLimitStages(limits, { limit });
  if (counter === null) throw new Error("the route is not counted");
  return async (at: number): Promise<void> => {
    const request = pick(from, at);
    request.rateLimitState = null;
    request.counted.length = 0;
    await counter.countAuthenticated(request, reply);
  };
}

interface Cost {
  readonly name: string;
  readonly microseconds: number;
}

async function measure(name: string, run: (at: number) => Promise<unknown>): Promise<Cost> {
  progress.stage(name);
  for (let at = 0; at < USERS; at += 1) await run(at);
  // Processor time: the machine may be busy with something else.
  const before = process.cpuUsage();
  for (let at = 0; at < CALLS; at += 1) await run(at);
  const { user, system } = process.cpuUsage(before);
  return { name, microseconds: (user + system) / CALLS };
}

const progress = createProgress(process.stderr);
const costs = [
  await measure("one window", (at) => limits.take("ai", pick(keys, at))),
  await measure("a request of a user, headers included", await countWith("api", requests)),
  await measure("a request of a user, two rows", await countWith("webhook", requests)),
  await measure("a request of an IPv6 address", await countWith("api", strangers)),
  await measure("an auth attempt", await countWith("auth", strangers)),
];
progress.end();
openReport(values.json).add({
  id: "limits",
  title: `What counting costs a request, in memory, ${CALLS.toLocaleString("en")} calls of ${USERS.toLocaleString("en")} keys`,
  head: ["counted", "CPU"],
  rows: costs.map(({ name, microseconds }) => [name, `${microseconds.toFixed(2)} µs`]),
  notes: [],
  goals: costs.map(({ name, microseconds }) => ({
    about: name,
    bound: "at most",
    limit: BUDGET_MICROSECONDS,
    value: microseconds,
    unit: " µs",
  })),
  plot: {
    caption: "µs of CPU, less is better",
    bars: costs.map(({ name, microseconds }) => ({
      label: name,
      value: microseconds,
      text: `${microseconds.toFixed(2)} µs`,
      goal: BUDGET_MICROSECONDS,
      isOurs: true,
    })),
  },
});
