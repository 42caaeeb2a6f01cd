import { type OperatorPage, useOperatorPages } from "./operator.ts";
import type { Pages } from "./rows.ts";

export interface AuditEntry {
  readonly id: string;
  readonly created_at: string;
  readonly actor: "operator" | "service" | "command";
  readonly user_id: string | null;
  readonly email: string | null;
  readonly action: string;
  readonly target: string | null;
  readonly request_id: string | null;
  /** Null: the call has not ended, or its process was lost. */
  readonly outcome: "done" | "rejected" | "failed" | "denied" | null;
  readonly status: number | null;
  readonly details: Readonly<Record<string, unknown>>;
}

const PAGE = 100;

export function useAudit(filter: { readonly requestId: string; readonly target: string }): Pages<AuditEntry> {
  return useOperatorPages("/audit", { request_id: filter.requestId, target: filter.target }, readPage);
}

function readPage({ entries }: { readonly entries: readonly AuditEntry[] }): OperatorPage<AuditEntry> {
  const last = entries.at(-1);
  return { rows: entries, next: entries.length < PAGE || last === undefined ? null : { before: last.id } };
}
