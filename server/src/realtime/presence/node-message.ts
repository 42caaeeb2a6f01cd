import { isRecord, readJson } from "../../json/index.ts";
import type { PresenceEntry } from "./render-presence.ts";

/**
 * Messages between nodes about their presences.
 * state: all presences of a node. diff: changes since its last message. beat: no change, the node is alive. bye: it stops.
 * ask: a node has missed messages and requests the state of one node, or of all.
 * `seq` numbers the messages of a node, so that gaps are detected.
 */
export type NodeMessage = { readonly node: string } & (
  | { readonly kind: "state"; readonly seq: number; readonly entries: readonly PresenceEntry[] }
  | {
      readonly kind: "diff";
      readonly seq: number;
      readonly joins: readonly PresenceEntry[];
      readonly leaves: readonly string[];
    }
  | { readonly kind: "beat" | "bye"; readonly seq: number }
  | { readonly kind: "ask"; readonly of: string | null }
);

/**
 * Null for a message that this release cannot read: a newer one may have other kinds, and any SQL session can write messages into the
 * WAL. After an unread one, the next message of its node has a gap, and the node is asked for its state.
 */
export function parseNodeMessage(content: Buffer): NodeMessage | null {
  const read = readJson(content.toString());
  const message: unknown = read.fault === null ? read.value : null;
  if (!isRecord(message) || typeof message["node"] !== "string") return null;
  const { kind, seq, of } = message;
  if (kind === "ask") return of === null || typeof of === "string" ? (message as NodeMessage) : null;
  if (typeof seq !== "number") return null;
  if (kind === "beat" || kind === "bye") return message as NodeMessage;
  if (kind === "state") return isListOf(message["entries"], isEntry) ? (message as NodeMessage) : null;
  const isDiff = kind === "diff" && isListOf(message["joins"], isEntry) && isListOf(message["leaves"], isText);
  return isDiff ? (message as NodeMessage) : null;
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem);
}

function isEntry(value: unknown): boolean {
  return isRecord(value) && [value["topicKey"], value["key"], value["ref"], value["members"]].every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}
