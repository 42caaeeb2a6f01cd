import type { PresenceEntry } from "./presence-state.ts";

/**
 * What nodes tell each other about who is present on them.
 * state: all of it. diff: what changed since the message before. beat: nothing changed, the node lives. bye: it stops.
 * ask: somebody has missed something and wants the state of one node, or of all.
 * `seq` counts a node's messages, so that a gap shows.
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
