import { isUuid, type RunStatus } from "@swarmbase/sdk";
import { useMemo } from "react";
import type { Client } from "./client.ts";
import { containsText } from "./keyset.ts";
import { useOperator } from "./operator.ts";
import { usePeople } from "./people.ts";
import { useRows } from "./rows.ts";
import { type Found, NAMED, SEARCHED_PAGES, useDeliveriesById, useRunById, useUsers } from "./search-apart.ts";

interface SearchOptions {
  readonly text: string;
  /** The swarm whose page is open: its messages are searched first. */
  readonly swarmId: string | null;
  /** Searches all messages, and not only those of the last months. */
  readonly isComplete: boolean;
}

interface SearchResult {
  readonly here: readonly Found[];
  /** Within each kind exact names and ids first, then names that begin with the text, then the newest. */
  readonly found: readonly Found[];
  readonly isLoading: boolean;
  /** Why messages could not be searched, or null. */
  readonly failure: string | null;
}

/** Names are read once and searched here; longer lists are searched by the service. */
const MAX_NAMES = 1_000;
const NAMES_STALE_MS = 120_000;
const MAX_PER_KIND = 5;
const MAX_MESSAGES = 12;
/** Shorter texts occur in almost every message. */
const MIN_MESSAGE_CHARS = 2;
/** See docs/decisions/0027: no index helps, so an unbounded search reads every message that the user may see. */
export const SEARCHED_DAYS = 90;
const DAY_MS = 86_400_000;

/** Searches everything that the user may see, by name and id; messages and the questions of runs by their words. */
export function useSearch({ text, swarmId, isComplete }: SearchOptions): SearchResult {
  const words = useMemo(() => text.toLowerCase().split(/\s+/).filter(Boolean), [text]);
  const isOn = words.length > 0;
  const named = TABLES.flatMap((table) => useNamed(table, words));
  const people = usePeople(isOn).map((one) => ({ ...one, kind: "People" }));
  const everywhere = useMessages(words, { swarmId: null, isComplete, isOn });
  const here = useMessages(words, { swarmId, isComplete, isOn: swarmId !== null });
  const byId = useRunById(text);
  const deliveries = useDeliveriesById(text);
  const users = useUsers(text.trim());
  const isOperator = useOperator().rows?.isOperator === true;
  const pages = SEARCHED_PAGES.filter(({ to }) => isOperator || !to.startsWith("/operator"));
  const found = rank(
    [...pages, ...named, ...people].filter((one) => isMatch(one, words)),
    words,
  );
  const asked = [...users, ...byId, ...deliveries, ...toRuns(everywhere.rows)];
  const messages = toMessages(everywhere.rows, words).filter(({ to }) => swarmId === null || !to.includes(swarmId));
  return {
    here: swarmId === null ? [] : toMessages(here.rows, words).slice(0, MAX_PER_KIND),
    found: [...Map.groupBy([...found, ...asked, ...messages], ({ kind }) => kind).values()].flatMap((ones) =>
      ones.slice(0, MAX_PER_KIND),
    ),
    isLoading: canSearchMessages(words) && everywhere.rows === undefined && everywhere.failure === null,
    failure: isOn ? (everywhere.failure?.message ?? null) : null,
  };
}

const TABLES = Object.keys(NAMED) as readonly (keyof typeof NAMED)[];

interface NamedRow {
  readonly id: string;
  readonly name: string;
  readonly detail: string | null;
}

function useNamed(table: keyof typeof NAMED, words: readonly string[]): readonly Found[] {
  const { kind } = NAMED[table];
  const isOn = words.length > 0;
  const read = (client: Client, contained: readonly string[]) => {
    let query = client
      .from(table)
      .select<string, NamedRow>(`id, name, detail:${NAMED[table].detail}`)
      .order("id", { ascending: false })
      .limit(MAX_NAMES);
    for (const word of contained)
      query = query.or(containsText(["name"], word) + (isUuid(word) ? `,id.eq.${word}` : ""));
    return query;
  };
  const { rows: all = [] } = useRows({
    table,
    key: ["search names"],
    isOn,
    staleMs: NAMES_STALE_MS,
    read: (client) => read(client, []),
  });
  const isLong = all.length === MAX_NAMES;
  const { rows: matching } = useRows({
    table,
    key: ["search names", ...words],
    isOn: isOn && isLong,
    read: (client) => read(client, words),
  });
  return ((isLong ? matching : undefined) ?? all).map(({ id, name, detail }) => ({
    kind,
    id,
    title: name,
    detail: detail ?? "",
    to: `/${table === "eval_datasets" ? "evals" : table}/${id}`,
  }));
}

interface FoundMessage {
  readonly id: string;
  readonly swarm_id: string;
  readonly content: string | null;
  readonly sender_name: string;
  readonly swarms: { readonly name: string };
  /** The runs that the message started. */
  readonly asked: readonly { readonly id: string; readonly status: RunStatus }[];
}

function canSearchMessages(words: readonly string[]): boolean {
  return words.join("").length >= MIN_MESSAGE_CHARS;
}

/** The result of the previous words stays until that of the new ones comes, so it is filtered by them. */
function useMessages(words: readonly string[], where: MessageSearch) {
  const { rows, failure } = useFoundMessages(words, where);
  const matching = rows?.filter(
    ({ id, content }) => words.every((word) => content?.toLowerCase().includes(word)) || words.includes(id),
  );
  return { rows: matching, failure };
}

interface MessageSearch {
  readonly swarmId: string | null;
  readonly isComplete: boolean;
  readonly isOn: boolean;
}

function useFoundMessages(words: readonly string[], { swarmId, isComplete, isOn }: MessageSearch) {
  const [only = ""] = words;
  const isId = words.length === 1 && isUuid(only);
  return useRows({
    table: "messages",
    key: ["search", swarmId, isComplete, ...words],
    isOn: isOn && canSearchMessages(words),
    reloadsItself: true,
    read: (client) => {
      let query = client
        .from("messages")
        .select<string, FoundMessage>(
          "id, swarm_id, content, sender_name, swarms!inner(name), asked:runs!runs_message_id_fkey(id, status)",
        )
        .is("deleted_at", null);
      if (swarmId !== null) query = query.eq("swarm_id", swarmId);
      if (isId) query = query.eq("id", only);
      else for (const word of words) query = query.or(containsText(["content"], word));
      if (!isId && !isComplete) query = query.gte("id", firstIdAt(Date.now() - SEARCHED_DAYS * DAY_MS));
      return query.order("id", { ascending: false }).limit(MAX_MESSAGES);
    },
  });
}

/** Ids begin with the time of their row (UUID, version 7), and an index has the ids of each swarm in order. */
function firstIdAt(timeMs: number): string {
  const time = timeMs.toString(16).padStart(12, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
}

function toRuns(messages: readonly FoundMessage[] = []): readonly Found[] {
  return messages.flatMap(({ content, swarms, asked }) =>
    asked.map(({ id, status }) => ({
      kind: "Runs",
      id,
      title: content ?? "",
      detail: `${status.replace("_", " ")} in ${swarms.name}`,
      to: `/runs/${id}`,
    })),
  );
}

function toMessages(messages: readonly FoundMessage[] = [], words: readonly string[]): readonly Found[] {
  return messages.map(({ id, swarm_id: swarmId, content, sender_name: sender, swarms }) => ({
    kind: "Messages",
    id,
    title: cutAround(content ?? "", words[0] ?? ""),
    detail: `${sender} in ${swarms.name}`,
    to: `/swarms/${swarmId}?message=${id}`,
  }));
}

const BEFORE_MATCH = 40;
const SHOWN = 160;

/** The part of a text around a word. */
function cutAround(text: string, word: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const from = Math.max(0, line.toLowerCase().indexOf(word) - BEFORE_MATCH);
  return `${from > 0 ? "… " : ""}${line.slice(from, from + SHOWN)}`;
}

/** Only the first ones are shown, so newer names that merely contain the text must not displace the name that is meant. */
function rank(found: readonly Found[], words: readonly string[]): readonly Found[] {
  const text = words.join(" ");
  const rankOf = ({ title, id }: Found): number => {
    const name = title.toLowerCase();
    if (name === text || id === text) return 0;
    return name.startsWith(text) ? 1 : ` ${name}`.includes(` ${text}`) ? 2 : name.includes(text) ? 3 : 4;
  };
  return found.toSorted((left, right) => rankOf(left) - rankOf(right));
}

/** The begin of an id, as lists show it. */
const MIN_ID_CHARS = 8;

function isMatch({ id, title, detail }: Found, words: readonly string[]): boolean {
  const text = `${title} ${detail}`.toLowerCase();
  return words.every((word) => text.includes(word) || (word.length >= MIN_ID_CHARS && id.startsWith(word)));
}
