import { type OperatorPage, useOperatorPages } from "./operator.ts";
import type { Pages } from "./rows.ts";

export interface AuditEntry {
  readonly id: string;
  readonly created_at: string;
  readonly actor: "operator" | "service" | "command";
  readonly user_id: string | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly action: string;
  readonly target: string | null;
  /** The user whom the call is about. */
  readonly subject_id: string | null;
  readonly subject_email: string | null;
  readonly subject_name: string | null;
  readonly request_id: string | null;
  /** Null means that the call has not ended, or its process was lost. */
  readonly outcome: "done" | "rejected" | "failed" | "denied" | null;
  readonly status: number | null;
  readonly details: Readonly<Record<string, unknown>> & {
    readonly reason?: string | null;
    /** The program whom the call is about. */
    readonly client_name?: string | null;
    /** Old and new values by name. */
    readonly changes?: Readonly<Record<string, readonly [from: string | null, to: string | null]>>;
  };
}

interface AuditQuery {
  readonly actor: string;
  readonly action: string;
  readonly subject_id: string;
  readonly search: string;
  readonly reads: string;
  readonly since: string;
  readonly until: string;
}

const PAGE = 100;

/** A filter that is empty is none. */
export function useAudit(filter: AuditQuery): Pages<AuditEntry> {
  return useOperatorPages("/audit", { ...filter }, readPage);
}

function readPage({ entries }: { readonly entries: readonly AuditEntry[] }): OperatorPage<AuditEntry> {
  const last = entries.at(-1);
  return { rows: entries, next: entries.length < PAGE || last === undefined ? null : { before: last.id } };
}
