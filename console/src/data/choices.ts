import { isUuid } from "@swarmbase/sdk";
import { useCallback, useMemo, useState } from "react";
import type { Client } from "./client.ts";
import { containsText } from "./keyset.ts";
import { type ReadResult, useRows } from "./rows.ts";

export interface Named {
  readonly id: string;
  readonly name: string;
}

/** Others are found by their names. */
const MAX_CHOICES = 100;

interface ChoicesOptions {
  readonly columns?: string;
  /** Column, operator and value of each condition. */
  readonly where?: readonly (readonly [string, string, string])[];
  /** Those that are chosen: they are listed in any case. */
  readonly ids?: readonly string[];
  readonly isOn?: boolean;
}

export interface Choices<Row> extends ReadResult<readonly Row[]> {
  /** Whether there are others than the listed ones. */
  readonly isCut: boolean;
  /** Adds those with the words in their names. */
  search(text: string): void;
}

/** Rows to choose from, by name. Of many, the service searches those that are not among the first. */
export function useChoices<Row extends Named>(
  table: "agents" | "swarms" | "eval_datasets",
  { columns = "id, name", where = [], ids = [], isOn = true }: ChoicesOptions = {},
): Choices<Row> {
  const [text, search] = useState("");
  const read = (client: Client) => {
    const first = client.from(table).select<string, Row>(columns).order("name").order("id").limit(MAX_CHOICES);
    return where.reduce((query, [column, operator, value]) => query.filter(column, operator, value), first);
  };
  const key = ["choices", columns, where];
  const { rows: first, failure, reload } = useRows({ table, key, isOn, read });
  const isCut = first?.length === MAX_CHOICES;
  const words = text.split(/\s+/).filter(Boolean);
  const missing = isCut ? ids.filter((id) => isUuid(id) && !first.some((row) => row.id === id)) : [];
  const others = [
    ...(words.length === 0 ? [] : [`and(${words.map((word) => containsText(["name"], word)).join()})`]),
    ...(missing.length === 0 ? [] : [`id.in.(${missing.join()})`]),
  ].join();
  const found = useRows({
    table,
    key: [...key, others],
    isOn: isCut && others !== "",
    read: (client) => read(client).or(others),
  });
  const isReady = missing.length === 0 || found.rows !== undefined;
  const more = others === "" ? undefined : found.rows;
  const rows = useMemo(
    () => first && [...new Map([...first, ...(more ?? [])].map((row) => [row.id, row])).values()],
    [first, more],
  );
  return { rows: isReady ? rows : undefined, failure: failure ?? found.failure, reload, isCut, search };
}

/** Of the swarms, those in which the user has one of the roles. */
export function withRole(userId: string, roles: string): Pick<ChoicesOptions, "columns" | "where"> {
  return {
    columns: "id, name, mine:swarm_members!inner(id)",
    where: [
      ["mine.user_id", "eq", userId],
      ["mine.role", "in", `(${roles})`],
    ],
  };
}

/** An agent or a swarm to choose from. */
export interface AgentOrSwarm {
  readonly kind: "agents" | "swarms";
  readonly id: string;
  readonly label: string;
}

/** Two lists as one. */
export function useAgentsAndSwarms(agents: Choices<Named>, swarms: Choices<Named>) {
  const { rows: first, search: searchAgents } = agents;
  const { rows: second, search: searchSwarms } = swarms;
  const search = useCallback(
    (text: string) => {
      searchAgents(text);
      searchSwarms(text);
    },
    [searchAgents, searchSwarms],
  );
  const rows = useMemo<readonly AgentOrSwarm[] | undefined>(
    () =>
      first &&
      second && [
        ...first.map(({ id, name }) => ({ kind: "agents" as const, id, label: `Agent ${name}` })),
        ...second.map(({ id, name }) => ({ kind: "swarms" as const, id, label: `Swarm ${name}` })),
      ],
    [first, second],
  );
  return { rows, search };
}
