import type { Framework, GuardrailAction, GuardrailKind, GuardrailStage } from "@swarmbase/sdk";
import type { JsonRecord } from "../../json/index.ts";

/** A row of guardrails, as private.build_guardrails returns it. */
export interface Guardrail {
  readonly id: string;
  /** Null means that it applies to all agents of the swarm. */
  readonly agent_id: string | null;
  readonly name: string;
  readonly kind: GuardrailKind;
  readonly stage: GuardrailStage;
  readonly action: GuardrailAction;
  readonly config: JsonRecord;
  /** Null unless the kind is `webhook`. */
  readonly secret: string | null;
}

/** Where a text comes from. */
export interface CheckSubject {
  readonly runId: string;
  readonly swarmId: string;
  readonly signal: AbortSignal;
  /** The agent that reads or has written the text. */
  readonly agent: { readonly id: string; readonly framework: Framework; readonly model: string | null };
  /** Null when the text is not a stored message. */
  readonly messageId: string | null;
  /** Why a model finds that the text violates the policy of the guardrail; null when it does not. */
  askModel(guardrail: Guardrail, text: string): Promise<string | null>;
}

export type Verdict =
  | { readonly isTripped: false }
  /** `replacement`: the whole text that `rewrite` puts in place of the checked one. */
  | { readonly isTripped: true; readonly reason: string; readonly replacement: string };

export const PASSED: Verdict = { isTripped: false };

/** A check that could not be made. Every member of the swarm can see the message. */
export class GuardrailFailure extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "GuardrailFailure";
  }
}

/** Checks texts with guardrails. */
export interface Guardrails {
  /** Throws a GuardrailFailure, BudgetSpent, or the reason of the signal. */
  check(guardrail: Guardrail, text: string, subject: CheckSubject): Promise<Verdict>;
}

interface GuardedRun {
  readonly context: {
    readonly guardrails: readonly Guardrail[];
    readonly agents: readonly { readonly id: string; readonly grant_id: string | null }[];
  };
}

/**
 * Those of the swarm first, each in the order of their positions. A swarm's guardrails that ask a model do not apply to an agent
 * that answers by a grant: whoever writes their policy would run any prompt on the model of the agent's owner.
 */
export function guardrailsOf({ context }: GuardedRun, agentId: string, stage: GuardrailStage): readonly Guardrail[] {
  const { guardrails, agents } = context;
  if (guardrails.length === 0) return guardrails;
  const isByGrant = agents.some(({ id, grant_id: grantId }) => id === agentId && grantId !== null);
  return guardrails.filter(
    ({ stage: own, agent_id: ownerId, kind }) =>
      own === stage && (ownerId === null ? !(isByGrant && kind === "model") : ownerId === agentId),
  );
}
