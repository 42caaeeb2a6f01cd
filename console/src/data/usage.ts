import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import type { Client, Row } from "./client.ts";
import { type Failure, unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { useRows } from "./rows.ts";
import { useUser } from "./session.ts";

/** What usage is told apart by. */
export const USAGE_SPLITS = ["agent", "swarm", "model"] as const;
export type UsageSplit = (typeof USAGE_SPLITS)[number];

export interface UsageSums {
  readonly turns: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** Null where no model that was used has a price. */
  readonly cost: number | null;
}

export interface UsageShare extends UsageSums {
  /** The id of the agent or swarm, or the model's. */
  readonly id: string | null;
  /** Null for what is not there any more. */
  readonly name: string | null;
}

export interface UsageDay extends UsageSums {
  /** A day of UTC: "2026-11-15". */
  readonly day: string;
}

export interface UsageReport {
  readonly days: readonly UsageDay[];
  /** The greatest first. */
  readonly shares: readonly UsageShare[];
  /** There are more shares than are listed. */
  readonly isCut: boolean;
  /** The days of the greatest shares, in the order of these. */
  readonly daysOfShares: readonly (readonly UsageDay[])[];
}

export interface UsageReading {
  readonly report: UsageReport | undefined;
  readonly failure: Failure | null;
  reload(): void;
}

/** So many shares are drawn by name; the rest is drawn as one. */
const DRAWN_SHARES = 5;
/** So many shares are listed. */
const LISTED_SHARES = 100;

const COLUMNS = { agent: "agent_id", swarm: "swarm_id", model: "model" } as const satisfies Record<
  UsageSplit,
  keyof Row<"usage_daily">
>;
const SUMS =
  "turns:turns.sum(), input:input_tokens.sum(), cached:cached_input_tokens.sum(), output:output_tokens.sum(), cost:cost_usd.sum()" as const;
const GATHER_MS = 4_000;

export interface UsageQuestion {
  /** The first day, as a date of UTC. */
  readonly since: string;
  readonly split: UsageSplit;
}

/** What the user has paid for. The database adds up, so that it is three small answers however much was used. */
export function useUsage({ since, split }: UsageQuestion): UsageReading {
  const { id: payerId } = useUser();
  useFollowUsage();
  const { rows, failure, reload } = useRows({
    table: "usage_daily",
    key: ["report", since, split],
    ask: async (client, signal) => ({
      data: await readReport(client, { since, split, payerId, signal }),
      error: null,
    }),
  });
  return { report: rows, failure, reload };
}

interface Asked extends UsageQuestion {
  readonly payerId: string;
  readonly signal: AbortSignal;
}

async function readReport(client: Client, asked: Asked): Promise<UsageReport> {
  const [days, found] = await Promise.all([readDays(client, asked), readShares(client, asked)]);
  const drawn = found.slice(0, DRAWN_SHARES);
  const [names, daysOfShares] = await Promise.all([
    readNames(client, asked, found),
    readDaysOfShares(client, asked, drawn),
  ]);
  const shares = found
    .slice(0, LISTED_SHARES)
    .map((share) => ({ ...share, name: nameOf(asked.split, share.id, names) }));
  return { days, shares, isCut: found.length > LISTED_SHARES, daysOfShares };
}

async function readDays(client: Client, { since, payerId, signal }: Asked): Promise<readonly UsageDay[]> {
  return unwrap(
    client
      .from("usage_daily")
      .select(`day, ${SUMS}`)
      .eq("payer_id", payerId)
      .gte("day", since)
      .order("day")
      .abortSignal(signal),
  );
}

type Share = Omit<UsageShare, "name">;

async function readShares(client: Client, { since, split, payerId, signal }: Asked): Promise<readonly Share[]> {
  return unwrap(
    client
      .from("usage_daily")
      .select(`id:${COLUMNS[split]}, ${SUMS}` as `id:agent_id, ${typeof SUMS}`)
      .eq("payer_id", payerId)
      .gte("day", since)
      .order("input" as "day", { ascending: false })
      .limit(LISTED_SHARES + 1)
      .abortSignal(signal),
  );
}

async function readDaysOfShares(
  client: Client,
  { since, split, payerId, signal }: Asked,
  shares: readonly Share[],
): Promise<readonly (readonly UsageDay[])[]> {
  const ids = shares.map(({ id }) => id).filter((id) => id !== null);
  if (ids.length === 0) return shares.map(() => []);
  const rows = await unwrap(
    client
      .from("usage_daily")
      .select(`day, id:${COLUMNS[split]}, ${SUMS}` as `day, id:agent_id, ${typeof SUMS}`)
      .eq("payer_id", payerId)
      .gte("day", since)
      .in(COLUMNS[split], ids)
      .order("day")
      .abortSignal(signal),
  );
  return shares.map((share) => rows.filter((row) => row.id === share.id));
}

async function readNames(
  client: Client,
  { split, signal }: Asked,
  shares: readonly Share[],
): Promise<Map<string, string>> {
  const ids = shares.map(({ id }) => id).filter((id) => id !== null);
  if (split === "model" || ids.length === 0) return new Map();
  const table = split === "agent" ? "agents" : "swarms";
  const rows = await unwrap(client.from(table).select("id, name").in("id", ids).abortSignal(signal));
  return new Map(rows.map(({ id, name }) => [id, name]));
}

function nameOf(split: UsageSplit, id: string | null, names: ReadonlyMap<string, string>): string | null {
  return split === "model" || id === null ? id : (names.get(id) ?? null);
}

/** Realtime tells of each record; what they add up to is asked for again, once for many. */
function useFollowUsage(): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const askAgain = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: ["usage_daily"] });
    }, GATHER_MS);
  }, [queries]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveTable("usage_records", { onChange: askAgain, onMissed: askAgain });
}
