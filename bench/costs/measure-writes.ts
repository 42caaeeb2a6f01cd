import { readFileSync } from "node:fs";
import { openDatabase, runPipelined } from "../../server/src/db/index.ts";
import { createObserver } from "../../server/src/observe/index.ts";
import { medianOf } from "../load/measure-rate.ts";
import { openRequestPlanner, type PlannedRequest } from "../rest/direct-transactions.ts";
import { type Stage, withClient } from "../rest/stage.ts";
import { type WriteCase, WRITE_CASES } from "./write-cases.ts";

export interface WriteCost {
  readonly label: string;
  readonly hasGoal: boolean;
  /** CPU of the backend from begin to commit, one value per round. */
  readonly microseconds: readonly number[];
  /** Of these, by `explain analyze`. Deferred triggers are not among them. */
  readonly triggers: ReadonlyMap<string, number>;
}

export interface WriteCosts {
  readonly writes: readonly WriteCost[];
  /** Transactions of the same users with less to do. */
  readonly floors: WriteFloors;
}

export interface WriteFloors {
  /** `select 1`. */
  readonly emptyMicroseconds: number;
  /** The insert of a row into a table that has nothing but a primary key. */
  readonly bareInsertMicroseconds: number;
}

export interface WriteTiming {
  readonly rounds: number;
  readonly explained: number;
}

export const USERS_PER_CASE = 50;
const WARM_UP_ROUNDS = 2;
const SELECT_ONE = { text: "select 1", values: [] };
const BARE_INSERT = { text: "insert into public.bare (content) values ('a') returning id::text", values: [] };
const CREATE_BARE = `
  create table public.bare (id uuid primary key default gen_random_uuid(), content text not null);
  grant select, insert on public.bare to authenticated`;

/** The service's own statements for writes, one at a time over one connection, whose process is watched. */
export async function measureWrites(stage: Stage, database: string, timing: WriteTiming): Promise<WriteCosts> {
  const { masterKey } = stage;
  await withClient(stage.urlOf(database), (client) => client.query(CREATE_BARE));
  const observer = createObserver({ level: "fatal", format: "json" });
  const opened = openDatabase({ url: stage.urlOf(database), masterKey, poolSize: 1, observer });
  try {
    const plan = await openRequestPlanner(opened);
    const run = async ({ scope, statement }: PlannedRequest): Promise<readonly (string | null)[]> => {
      const [result] = await runPipelined(opened.user, { scope, statements: [statement] });
      return result?.rows.flatMap(([value]) => value ?? []) ?? [];
    };
    let writes = 0;
    const cases = await Promise.all(
      WRITE_CASES.map(async (one, at) => {
        const firstUser = 1 + at * USERS_PER_CASE;
        const idsOf = new Map<number, readonly string[]>();
        for (let user = firstUser; user < firstUser + USERS_PER_CASE; user += 1)
          idsOf.set(user, await prepare(one, user, (request) => run(plan(request, user))));
        const next = (user: number): PlannedRequest => {
          writes += 1;
          return plan(one.write(user, writes, idsOf.get(user) ?? []), user);
        };
        return { ...one, users: [...idsOf.keys()], next, microseconds: [] as number[] };
      }),
    );
    const first = cases[0];
    if (first === undefined) throw new Error("there are no cases");
    const { scope } = first.next(1);
    const [pid] = await run({ scope, statement: { text: "select pg_backend_pid()::text", values: [] } });
    /** Nanoseconds that the process has run. */
    const readRunTime = (): number => Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[0]);
    const measure = async (planned: readonly PlannedRequest[]): Promise<number> => {
      const before = readRunTime();
      for (const one of planned) await run(one);
      return (readRunTime() - before) / 1_000 / planned.length;
    };
    const empty: number[] = [];
    const bare: number[] = [];
    for (let round = 0; round < WARM_UP_ROUNDS + timing.rounds; round += 1) {
      const isCounted = round >= WARM_UP_ROUNDS;
      const measureInstead = (statement: PlannedRequest["statement"]): Promise<number> =>
        measure(first.users.map((user) => ({ ...first.next(user), statement })));
      const nothing = await measureInstead(SELECT_ONE);
      const row = await measureInstead(BARE_INSERT);
      if (isCounted) {
        empty.push(nothing);
        bare.push(row);
      }
      for (const { users, next, microseconds } of cases) {
        const used = await measure(users.map(next));
        if (isCounted) microseconds.push(used);
      }
    }
    const costs: WriteCost[] = [];
    for (const { label, hasGoal, microseconds, users, next } of cases) {
      const plans = await explain(users.slice(0, timing.explained).map(next), run);
      costs.push({ label, hasGoal, microseconds, triggers: sumTriggers(plans) });
    }
    const floors = { emptyMicroseconds: medianOf(empty), bareInsertMicroseconds: medianOf(bare) };
    return { writes: costs, floors };
  } finally {
    await opened.close();
  }
}

type Send = (request: ReturnType<WriteCase["write"]>) => Promise<readonly (string | null)[]>;

async function prepare({ prepare: steps = [] }: WriteCase, user: number, send: Send): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const step of steps) {
    const [record] = await send(step(user, ids));
    ids.push((JSON.parse(record ?? "{}") as { id: string }).id);
  }
  return ids;
}

interface ExplainedTrigger {
  readonly "Trigger Name": string;
  /** Of a foreign key, whose triggers are named by numbers. */
  readonly "Constraint Name"?: string;
  /** Milliseconds. */
  readonly Time: number;
}

async function explain(
  planned: readonly PlannedRequest[],
  run: (one: PlannedRequest) => Promise<readonly (string | null)[]>,
): Promise<readonly (readonly ExplainedTrigger[])[]> {
  const plans: (readonly ExplainedTrigger[])[] = [];
  for (const { scope, statement } of planned) {
    const text = `explain (analyze, format json) ${statement.text}`;
    const [json] = await run({ scope, statement: { ...statement, text } });
    const [plan] = JSON.parse(json ?? "[]") as { readonly Triggers?: readonly ExplainedTrigger[] }[];
    plans.push(plan?.Triggers ?? []);
  }
  return plans;
}

/** The median of each trigger in microseconds. */
function sumTriggers(plans: readonly (readonly ExplainedTrigger[])[]): Map<string, number> {
  const times = new Map<string, number[]>();
  for (const plan of plans)
    for (const { "Trigger Name": trigger, "Constraint Name": name = trigger, Time } of plan)
      times.set(name, [...(times.get(name) ?? []), Time * 1_000]);
  return new Map(Array.from(times, ([name, all]) => [name, medianOf(all)]));
}
