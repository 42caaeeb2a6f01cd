import { deriveKey, unwrapSecret, wrapSecret } from "../../crypto/index.ts";
import type { ExternalProfile } from "./profile.ts";
import type { ProviderTokens } from "./read-answer.ts";

/** What waits in a flow of PKCE until the app exchanges the code. */
export interface SealedAnswer {
  readonly tokens: ProviderTokens;
  /** The sign-in has created the account. */
  readonly isNew: boolean;
  /** Null: somebody has signed in. */
  readonly linking: Readonly<{ provider: string; profile: ExternalProfile; sessionId: string }> | null;
}

const PURPOSE = "sign-in-answers";

export function sealAnswer(masterKey: string, flowStateId: string, answer: SealedAnswer): Buffer {
  return wrapSecret(deriveKey(masterKey, PURPOSE), Buffer.from(JSON.stringify(answer)), contextOf(flowStateId));
}

export function openAnswer(masterKey: string, flowStateId: string, wrapped: Buffer): SealedAnswer {
  const opened = unwrapSecret(deriveKey(masterKey, PURPOSE), wrapped, contextOf(flowStateId));
  return JSON.parse(opened.toString()) as SealedAnswer;
}

function contextOf(flowStateId: string): string {
  return `sign-in-answer:${flowStateId}`;
}
