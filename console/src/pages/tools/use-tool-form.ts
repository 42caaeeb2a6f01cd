import { useMemo, useState } from "react";
import type { Tool } from "../../data/tools.ts";
import { useEditedRow } from "../../components/use-edited-row.ts";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { EMPTY_TOOL, formOf, isSameForm, type ToolForm } from "./tool-draft.ts";

interface ToolFormState<Stored extends Tool | null> {
  /** The tool that is edited, as the user saw it when the edit began. */
  readonly base: Stored;
  readonly form: ToolForm;
  readonly isDirty: boolean;
  /** All JSON fields are valid. */
  readonly isReadable: boolean;
  readonly errors: Readonly<Record<string, string>>;
  change(part: Partial<ToolForm>): void;
  noteReadable(what: "schema" | "body", isReadable: boolean): void;
  /** Changes with each reset. Used as a key, it resets editors that have their own state. */
  readonly round: number;
  /** Discards the changes. */
  reset(): void;
}

/** The field names in errors of the service, by form value. */
const COLUMNS: Readonly<Partial<Record<keyof ToolForm, readonly string[]>>> = {
  requiresApproval: ["requires_approval"],
  timeoutMs: ["timeout_ms"],
  maxOutputChars: ["max_output_chars"],
  schema: ["input_schema"],
  method: ["config.method"],
  url: ["config.url", "config"],
  remoteName: ["config.remote_name"],
  headers: ["config.headers"],
  body: ["config.body"],
  auth: ["config.auth", "secrets"],
  sendsAsker: ["config.identity"],
  functionName: ["config.function"],
  functionSchema: ["config.schema"],
  mayWrite: ["config.writes"],
  swarmId: ["config.swarm_id", "config"],
  maxTokens: ["config.budget.max_tokens"],
  maxCostUsd: ["config.budget.max_cost_usd"],
};

/** The state of the tool form; null for a new tool. */
export function useToolForm<Stored extends Tool | null>(
  tool: Stored,
  reportedErrors: Readonly<Record<string, string>>,
): ToolFormState<Stored> {
  const [changes, setChanges] = useState<Partial<ToolForm>>({});
  const [unreadable, setUnreadable] = useState<ReadonlySet<string>>(new Set());
  const [round, setRound] = useState(0);
  const { errors, touch } = useFreshErrors(reportedErrors);
  const base = useEditedRow(tool, Object.keys(changes).length > 0);
  // Once for a row: the lines of headers get their keys here.
  const stored = useMemo(() => (base === null ? EMPTY_TOOL : formOf(base)), [base]);
  const form = { ...stored, ...changes };
  return {
    base,
    form,
    round,
    isDirty: !isSameForm(form, stored),
    isReadable: unreadable.size === 0,
    errors,
    change: (part) => {
      setChanges((old) => ({ ...old, ...part }));
      const fields = Object.keys(part) as (keyof ToolForm)[];
      for (const field of fields) for (const column of COLUMNS[field] ?? [field]) touch(column);
    },
    noteReadable: (what, isReadable) =>
      setUnreadable((old) => new Set([...old].filter((other) => other !== what).concat(isReadable ? [] : [what]))),
    reset: () => {
      setChanges({});
      setUnreadable(new Set());
      setRound((old) => old + 1);
    },
  };
}
