import { unwrapSecret, wrapSecret } from "../../crypto/index.ts";

export type ToolSecrets = Readonly<Record<string, string>>;

/** The value of the column `secret_names`: the sealed secrets, then their names. No secrets clear the stored ones. */
export function sealSecrets(key: Buffer, toolId: string, secrets: ToolSecrets): string[] {
  const names = Object.keys(secrets).toSorted();
  if (names.length === 0) return ["="];
  const sealed = wrapSecret(key, Buffer.from(JSON.stringify(secrets)), contextOf(toolId));
  return [`=${sealed.toString("base64")}`, ...names];
}

/** Throws an UnwrapError when the secrets were sealed with another key or for another tool. */
export function openSecrets(key: Buffer, toolId: string, wrapped: string | null): ToolSecrets {
  if (wrapped === null) return {};
  const plain = unwrapSecret(key, Buffer.from(wrapped, "base64"), contextOf(toolId));
  return JSON.parse(plain.toString()) as ToolSecrets;
}

function contextOf(toolId: string): string {
  return `tool-secrets:${toolId.toLowerCase()}`;
}
