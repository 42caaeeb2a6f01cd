import { unwrapSecret, wrapSecret } from "../../crypto/index.ts";

/** By name. */
export type ToolSecrets = Readonly<Record<string, string>>;

/** The secrets of one tool as its row's `secret_names` takes them: all of them sealed, then their names. None clears them. */
export function sealSecrets(key: Buffer, toolId: string, secrets: ToolSecrets): string[] {
  const names = Object.keys(secrets).toSorted();
  if (names.length === 0) return ["="];
  const sealed = wrapSecret(key, Buffer.from(JSON.stringify(secrets)), contextOf(toolId));
  return [`=${sealed.toString("base64")}`, ...names];
}

/** Throws an UnwrapError for what another key sealed, or for another tool. */
export function openSecrets(key: Buffer, toolId: string, wrapped: string | null): ToolSecrets {
  if (wrapped === null) return {};
  const plain = unwrapSecret(key, Buffer.from(wrapped, "base64"), contextOf(toolId));
  return JSON.parse(plain.toString()) as ToolSecrets;
}

function contextOf(toolId: string): string {
  return `tool-secrets:${toolId.toLowerCase()}`;
}
