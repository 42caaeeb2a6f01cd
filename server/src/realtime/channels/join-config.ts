import { AppError } from "../../errors/index.ts";
import { isRecord } from "../../json/index.ts";
import type { Binding } from "../changes.ts";

interface Replay {
  readonly since: Date;
  readonly limit: number;
}

/** The configuration in the payload of a join. */
export interface JoinConfig {
  readonly isPrivate: boolean;
  readonly wantsAck: boolean;
  readonly wantsOwn: boolean;
  readonly replay: Replay | null;
  /** Whether the client wants a system message about the feed without subscribing to changes. */
  readonly asksForFeed: boolean;
  /** Null means that the service generates one. */
  readonly presenceKey: string | null;
  readonly isPresenceShown: boolean;
  readonly bindings: readonly Binding[];
  /** The unchanged entries: clients compare them with the reply and reject any difference. */
  readonly askedBindings: readonly Readonly<Record<string, unknown>>[];
  /** How long the join may wait for the change feed; null for the default. */
  readonly waitMs: number | null;
  readonly token: string | null;
}

const MAX_BINDINGS = 100;
const MAX_REPLAY = 25;
const MAX_KEY_LENGTH = 1024;
const DEFAULT_WAIT_MS = 15_000;
const EVENTS = ["*", "INSERT", "UPDATE", "DELETE"] as const;
const CONFIG_OPTIONS = ["broadcast", "presence", "postgres_changes", "postgres_changes_options", "private"];
const BROADCAST_OPTIONS = ["ack", "self", "replay", "replication_ready"];
const REPLAY_OPTIONS = ["since", "limit"];
const PRESENCE_OPTIONS = ["key", "enabled"];
const WAIT_OPTIONS = ["wait", "timeout"];
/** Some clients send the id that they expect in the reply. */
const BINDING_OPTIONS = ["event", "schema", "table", "filter", "select", "id"];

export function parseJoinConfig(payload: unknown): JoinConfig {
  const join = readMembers(payload, "the join payload");
  const config = readOptions(join["config"], "config", CONFIG_OPTIONS);
  const broadcast = readOptions(config["broadcast"], "config.broadcast", BROADCAST_OPTIONS);
  const presence = readOptions(config["presence"], "config.presence", PRESENCE_OPTIONS);
  const waiting = readOptions(config["postgres_changes_options"], "config.postgres_changes_options", WAIT_OPTIONS);
  const isPrivate = config["private"] === true;
  const asked = readBindings(config["postgres_changes"]);
  return {
    isPrivate,
    wantsAck: broadcast["ack"] === true,
    wantsOwn: broadcast["self"] === true,
    replay: readReplay(broadcast["replay"], isPrivate),
    asksForFeed: broadcast["replication_ready"] === true,
    presenceKey: readKey(presence["key"]),
    isPresenceShown: presence["enabled"] === true,
    bindings: asked.map((entry, place) => parseBinding(entry, place + 1)),
    askedBindings: asked,
    waitMs: waiting["wait"] === true ? readMs(waiting["timeout"]) : null,
    token: readToken(join["access_token"] ?? join["user_token"]),
  };
}

/** Without a token, the key of the connection determines the principal. */
export function readToken(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function parseBinding(entry: Readonly<Record<string, unknown>>, id: number): Binding {
  const { schema, table, filter, select } = entry;
  const wanted = readText(entry["event"] ?? "*", "event").toUpperCase();
  const event = EVENTS.find((known) => known === wanted);
  if (event === undefined) throw invalid("event must be *, INSERT, UPDATE or DELETE");
  if (isAbsent(schema) && isAbsent(table)) throw invalid("schema or table is needed");
  return {
    id,
    event,
    schema: isAbsent(schema) ? "public" : readText(schema, "schema"),
    table: isAbsent(table) ? "*" : readText(table, "table"),
    filter: isAbsent(filter) ? null : readText(filter, "filter"),
    select: isAbsent(select) ? null : readTexts(select, "select"),
  };
}

function readBindings(value: unknown): Readonly<Record<string, unknown>>[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw invalid("config.postgres_changes must be a list");
  if (value.length > MAX_BINDINGS) throw invalid(`a channel may have ${MAX_BINDINGS} entries of postgres_changes`);
  return value.map((entry: unknown) => {
    const binding = readMembers(entry, "an entry of postgres_changes");
    requireKnown(binding, "config.postgres_changes", BINDING_OPTIONS);
    return binding;
  });
}

function readReplay(value: unknown, isPrivate: boolean): Replay | null {
  if (value === undefined || value === null) return null;
  if (!isPrivate) throw invalid("replay is for private channels only");
  const { since, limit = MAX_REPLAY } = readOptions(value, "config.broadcast.replay", REPLAY_OPTIONS);
  if (typeof since !== "number" || !Number.isFinite(since) || Math.abs(since) > 8.64e15) {
    throw invalid("replay.since must be a time in milliseconds");
  }
  if (typeof limit !== "number" || !Number.isInteger(limit) || limit < 1 || limit > MAX_REPLAY) {
    throw invalid(`replay.limit must be 1 to ${MAX_REPLAY}`);
  }
  return { since: new Date(since), limit };
}

function readKey(value: unknown): string | null {
  if (value === undefined || value === null || value === "") return null;
  const key = readText(value, "presence.key");
  if (key.length > MAX_KEY_LENGTH) throw invalid(`presence.key may have ${MAX_KEY_LENGTH} characters`);
  return key;
}

function readMs(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : DEFAULT_WAIT_MS;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

export function readMembers(value: unknown, what: string): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw invalid(`${what} must be an object`);
  return value;
}

function readOptions(value: unknown, where: string, known: readonly string[]): Readonly<Record<string, unknown>> {
  const options = readMembers(value ?? {}, where);
  requireKnown(options, where, known);
  return options;
}

/** Rejects options that would have no effect, by name. Null and false ask for nothing. */
export function requireKnown(
  options: Readonly<Record<string, unknown>>,
  where: string,
  known: readonly string[],
): void {
  for (const [name, value] of Object.entries(options))
    if (value !== null && value !== undefined && value !== false && !known.includes(name))
      throw invalid(`${where}.${name} is not supported`);
}

function readText(value: unknown, what: string): string {
  if (typeof value !== "string") throw invalid(`${what} must be a text`);
  return value;
}

function readTexts(value: unknown, what: string): string[] {
  if (!Array.isArray(value)) throw invalid(`${what} must be a list`);
  return value.map((entry: unknown) => readText(entry, what));
}

export function invalid(message: string): AppError {
  return new AppError("VALIDATION_ERROR", message);
}
