import type { PresenceEntry } from "./presence-state.ts";

/**
 * Messages between nodes about their presences.
 * state: all presences of a node. diff: changes since its last message. beat: no change, the node is alive. bye: it stops.
 * ask: a node has missed messages and requests the state of one node, or of all.
 * `seq` numbers the messages of a node, so that gaps are detected.
 */
export type NodeMessage =
  | { readonly kind: "state"; readonly node: string; readonly seq: number; readonly entries: readonly PresenceEntry[] }
  | {
      readonly kind: "diff";
      readonly node: string;
      readonly seq: number;
      readonly joins: readonly PresenceEntry[];
      readonly leaves: readonly string[];
    }
  | { readonly kind: "beat"; readonly node: string; readonly seq: number }
  | { readonly kind: "bye"; readonly node: string; readonly seq: number }
  | { readonly kind: "ask"; readonly node: string; readonly of: string | null };

export function encodeNodeMessage(message: NodeMessage): Buffer {
  return Buffer.from(JSON.stringify(message));
}

/** Only nodes write these, all of one release or the next: what cannot be read is passed over, and asked for again. */
export function decodeNodeMessage(content: Buffer): NodeMessage | null {
  try {
    const message = JSON.parse(content.toString()) as NodeMessage;
    return typeof message.node === "string" ? message : null;
  } catch {
    return null;
  }
}
