import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef } from "react";
import type { Client, Row } from "./client.ts";
import { type Failure, unwrap } from "./failure.ts";
import { useLiveTable } from "./live.ts";
import { type ReadResult, useRows } from "./rows.ts";
import { useUser } from "./session.ts";

/** The dimensions of the usage report. */
export const USAGE_SPLITS = ["agent", "swarm", "model"] as const;
export type UsageSplit = (typeof USAGE_SPLITS)[number];

export interface UsageSums {
  readonly turns: number;
  readonly input: number;
  readonly cached: number;
  readonly output: number;
  /** Null if none of the used models has a price. */
  readonly cost: number | null;
}

export interface UsageShare extends UsageSums {
  /** The id of the agent, swarm or model. */
  readonly id: string | null;
  /** Null for a deleted agent or swarm. */
  readonly name: string | null;
}

export interface UsageDay extends UsageSums {
  /** A day in UTC: "2026-11-15". */
  readonly day: string;
}

export interface UsageReport {
  readonly days: readonly UsageDay[];
  /** The largest first. */
  readonly shares: readonly UsageShare[];
  /** Not all shares are listed. */
  readonly isCut: boolean;
  /** The days of the largest shares, in the order of `shares`. */
  readonly daysOfShares: readonly (readonly UsageDay[])[];
}

interface UsageResult {
  readonly report: UsageReport | undefined;
  readonly failure: Failure | null;
  reload(): void;
}

/** The number of shares with their own series; the others are one series. */
const DRAWN_SHARES = 5;
/** The maximum number of listed shares. */
const LISTED_SHARES = 100;

const COLUMNS = { agent: "agent_id", swarm: "swarm_id", model: "model" } as const satisfies Record<
  UsageSplit,
  keyof Row<"usage_daily">
>;
const SUMS =
  "turns:turns.sum(), input:input_tokens.sum(), cached:cached_input_tokens.sum(), output:output_tokens.sum(), cost:cost_usd.sum()" as const;
const BATCH_MS = 4_000;

export interface UsageQuery {
  /** The first day, as a date in UTC. */
  readonly since: string;
  readonly split: UsageSplit;
}

/** The usage that the user pays for. The database aggregates it, so the responses are small. */
export function useUsage({ since, split }: UsageQuery): UsageResult {
  const { id: payerId } = useUser();
  useLiveUsage();
  const { rows, failure, reload } = useRows({
    table: "usage_daily",
    key: ["report", since, split],
    follows: ["usage_records"],
    read: async (client, signal) => ({
      data: await readReport(client, { since, split, payerId, signal }),
      error: null,
    }),
  });
  return { report: rows, failure, reload };
}

/** What the user pays for, by day. */
export function useUsageDays(since: string): ReadResult<readonly UsageDay[]> {
  const { id: payerId } = useUser();
  useLiveUsage();
  return useRows({
    table: "usage_daily",
    key: ["days", since],
    follows: ["usage_records"],
    read: async (client, signal) => ({ data: await readDays(client, { since, payerId, signal }), error: null }),
  });
}

interface ReportOptions extends UsageQuery {
  readonly payerId: string;
  readonly signal: AbortSignal;
}

async function readReport(client: Client, options: ReportOptions): Promise<UsageReport> {
  const [days, found] = await Promise.all([readDays(client, options), readShares(client, options)]);
  const drawn = found.slice(0, DRAWN_SHARES);
  const [names, daysOfShares] = await Promise.all([
    readNames(client, options, found),
    readDaysOfShares(client, options, drawn),
  ]);
  const shares = found
    .slice(0, LISTED_SHARES)
    .map((share) => ({ ...share, name: nameOf(options.split, share.id, names) }));
  return { days, shares, isCut: found.length > LISTED_SHARES, daysOfShares };
}

async function readDays(
  client: Client,
  { since, payerId, signal }: Pick<ReportOptions, "since" | "payerId" | "signal">,
): Promise<readonly UsageDay[]> {
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

async function readShares(client: Client, { since, split, payerId, signal }: ReportOptions): Promise<readonly Share[]> {
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
  { since, split, payerId, signal }: ReportOptions,
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
  { split, signal }: ReportOptions,
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

/** Reloads the report after new usage records, at most once per interval. */
function useLiveUsage(): void {
  const queries = useQueryClient();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const reloadSoon = useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      void queries.invalidateQueries({ queryKey: ["usage_daily"] });
    }, BATCH_MS);
  }, [queries]);
  useEffect(() => () => clearTimeout(timer.current), []);
  useLiveTable("usage_records", { onChange: reloadSoon });
}
