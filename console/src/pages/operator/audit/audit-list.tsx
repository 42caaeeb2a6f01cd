import { useSearchParams } from "react-router";
import { type AuditEntry, useAudit } from "../../../data/operator-audit.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import { Button } from "../../../components/button.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { whenColumn } from "../../../components/when-column.tsx";

const TONES: Readonly<Record<string, Tone>> = { done: "good", rejected: "thinking", denied: "bad", failed: "bad" };
const ACTORS = { operator: "A deleted account", service: "Service role", command: "Command line" } as const;

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: "Action", narrow: "title", render: ({ action }) => action },
  { title: "Who", width: "1.5fr", render: ({ actor, email }) => email ?? ACTORS[actor] },
  { title: "Target", width: "2fr", render: ({ target }) => target ?? "" },
  { title: "Details", width: "2fr", narrow: "hidden", render: ({ details }) => renderDetails(details) },
  {
    title: "Outcome",
    narrow: "trailing",
    text: ({ outcome }) => outcome,
    render: ({ outcome, status }) => (
      <Badge tone={TONES[outcome ?? ""] ?? "neutral"}>
        {outcome ?? "not known"} {status}
      </Badge>
    ),
  },
  whenColumn(),
];

function renderDetails(details: AuditEntry["details"]): string {
  return Object.keys(details).length === 0 ? "" : JSON.stringify(details);
}

export function AuditList() {
  const filters = useFilters();
  const [address] = useSearchParams();
  const target = address.get("target") ?? "";
  const audit = useAudit({ requestId: filters.debouncedSearch.trim(), target });
  return (
    <ListPage
      title="Audit log"
      description="Every call of an operator. Nobody can change or delete an entry here."
      actions={target === "" ? null : <Button onClick={filters.clear}>Show all entries</Button>}
      noun="entries"
      one="entry"
      noMatchHint="No entry has this request id or target."
      filters={filters}
      searchLabel="Find a request id"
      pages={audit}
      empty="Calls of operators appear here."
      table={{ label: "Audit log", columns: COLUMNS }}
    />
  );
}
