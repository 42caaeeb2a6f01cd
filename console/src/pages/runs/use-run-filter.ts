import { RUN_STATUSES } from "@swarmbase/sdk";
import { useMemo } from "react";
import { useSearchParams } from "react-router";
import type { RunFilter } from "../../data/traces.ts";
import { type Filters, useFilters } from "../../components/use-filters.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/u;
const DAY_MS = 86_400_000;

export interface AddressedRunFilter extends Filters {
  readonly filter: RunFilter;
  /** The days as the fields have them; empty: no bound. */
  readonly sinceDay: string;
  readonly untilDay: string;
}

/** The filter of the runs, which is part of the address. Days are those of the user's time zone. */
export function useRunFilter(): AddressedRunFilter {
  const filters = useFilters();
  const [address] = useSearchParams();
  const dayOf = (name: string): string => {
    const day = address.get(name) ?? "";
    return DAY.test(day) && !Number.isNaN(Date.parse(`${day}T00:00`)) ? day : "";
  };
  const status = filters.choice("status", RUN_STATUSES) ?? "all";
  const swarmId = address.get("swarm") ?? "";
  const agentId = address.get("agent") ?? "";
  const sinceDay = dayOf("from");
  const untilDay = dayOf("to");
  const { debouncedSearch: search } = filters;
  const filter = useMemo<RunFilter>(
    () => ({ status, swarmId, agentId, since: startOf(sinceDay, 0), until: startOf(untilDay, 1), search }),
    [status, swarmId, agentId, sinceDay, untilDay, search],
  );
  return { ...filters, filter, sinceDay, untilDay };
}

function startOf(day: string, daysLater: number): string {
  return day === "" ? "" : new Date(Date.parse(`${day}T00:00`) + daysLater * DAY_MS).toISOString();
}
