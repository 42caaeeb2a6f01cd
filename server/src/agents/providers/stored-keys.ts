import { FRAMEWORKS, type Framework } from "@swarmbase/sdk";
import { deriveKey, unwrapSecret, wrapSecret } from "../../crypto/index.ts";

/** Keys that people have given to the service, by the framework of their vendor. */
export type StoredKeys = Readonly<Partial<Record<Framework, string>>>;

const PURPOSE = "provider-keys";

/** In base64. */
export function wrapKey(masterKey: string, framework: Framework, key: string): string {
  return wrapSecret(deriveKey(masterKey, PURPOSE), Buffer.from(key), contextOf(framework)).toString("base64");
}

export function unwrapKeys(masterKey: string, wrapped: StoredKeys): StoredKeys {
  const entries = FRAMEWORKS.flatMap((framework) => {
    const text = wrapped[framework];
    if (text === undefined) return [];
    const bytes = Buffer.from(text, "base64");
    return [[framework, unwrapSecret(deriveKey(masterKey, PURPOSE), bytes, contextOf(framework)).toString()]];
  });
  return Object.fromEntries(entries) as StoredKeys;
}

/** Bound to its framework: a key that is copied to another one cannot be unwrapped. */
function contextOf(framework: Framework): string {
  return `provider-key:${framework}`;
}
