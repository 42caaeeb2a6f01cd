import { isRecord, readJson } from "../../json/index.ts";

export interface SignalTopic {
  readonly kind: "webhook" | "swarm-agents";
  readonly id: string;
}

/** By id. Null: any item may have changed. */
export type SignalItems = ReadonlyMap<string, unknown> | null;

const TOPIC = /^(webhook|swarm-agents):([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const MAX_ITEMS = 100;

/** Null for a topic without signals. */
export function parseSignalTopic(topic: string): SignalTopic | null {
  const [, kind, id = ""] = TOPIC.exec(topic) ?? [];
  return kind === "webhook" || kind === "swarm-agents" ? { kind, id } : null;
}

/** Null for an invalid message: any SQL session can write messages into the WAL. */
export function parseSignal(content: Buffer): { readonly topic: string; readonly items: SignalItems } | null {
  const read = readJson(content.toString());
  const value: unknown = read.fault === null ? read.value : null;
  if (!isRecord(value) || typeof value["topic"] !== "string" || !Array.isArray(value["items"])) return null;
  const items = value["items"].map((item: unknown) => [isRecord(item) ? item["id"] : item, item] as const);
  const isKnown = items.every((entry): entry is readonly [string, unknown] => typeof entry[0] === "string");
  return { topic: value["topic"], items: isKnown ? limitItems(new Map(items)) : null };
}

/** The later state of an item wins. */
export function mergeItems(earlier: SignalItems, later: SignalItems): SignalItems {
  return earlier === null || later === null ? null : limitItems(new Map([...earlier, ...later]));
}

function limitItems(items: ReadonlyMap<string, unknown>): SignalItems {
  return items.size > MAX_ITEMS ? null : items;
}

export function renderSignal({ kind, id }: SignalTopic, items: SignalItems): { event: string; payload: Buffer } {
  const list = items === null ? null : [...items.values()];
  return kind === "webhook"
    ? { event: "deliveries", payload: Buffer.from(JSON.stringify({ webhook_id: id, delivery_ids: list })) }
    : { event: "agents", payload: Buffer.from(JSON.stringify({ swarm_id: id, agents: list })) };
}
