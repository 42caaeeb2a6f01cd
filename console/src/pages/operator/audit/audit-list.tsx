import { useState } from "react";
import { type AuditEntry, useAudit } from "../../../data/operator-audit.ts";
import { useOperatedUsers } from "../../../data/operator-users.ts";
import { Badge, type Tone } from "../../../components/badge.tsx";
import type { Column } from "../../../components/data-table.tsx";
import { Drawer } from "../../../components/drawer.tsx";
import { Facts } from "../../../components/facts.tsx";
import { JsonView } from "../../../components/json-view.tsx";
import { Link } from "../../../components/link.tsx";
import { ListPage } from "../../../components/list-page.tsx";
import { RelativeTime } from "../../../components/relative-time.tsx";
import { useFilters } from "../../../components/use-filters.ts";
import { whenColumn } from "../../../components/when-column.tsx";
import { ACTION_CHOICES, describeAction, describeChanges } from "./action-words.ts";

const TONES: Readonly<Record<string, Tone>> = { done: "good", rejected: "thinking", denied: "bad", failed: "bad" };
const ACTORS = { operator: "A deleted account", service: "Service role", command: "Command line" } as const;
const OTHER_ACTORS = (["service", "command"] as const).map((value) => ({ value, label: ACTORS[value] }));

const nameActor = ({ actor, email, name }: AuditEntry) => [name, email ?? ACTORS[actor]].filter(Boolean).join(", ");

/** A user by name and address, a program by its name; otherwise what the call was about. */
function nameSubject({
  subject_id: id,
  subject_email: email,
  subject_name: name,
  target,
  details,
}: AuditEntry): string {
  if (id === null) return [details.client_name, target].filter(Boolean).join(", ");
  return [name, email].filter(Boolean).join(", ") || "A deleted account";
}

function summarize({ details: { changes, reason } }: AuditEntry): string {
  return [...describeChanges(changes), ...(reason ? [`“${reason}”`] : [])].join(", ");
}

const COLUMNS: readonly Column<AuditEntry>[] = [
  { title: "Action", width: "1.5fr", narrow: "title", render: ({ action }) => describeAction(action) },
  { title: "Who", width: "1.5fr", render: nameActor },
  { title: "About", width: "2fr", render: nameSubject },
  { title: "Change", width: "2.5fr", render: summarize },
  {
    title: "Outcome",
    narrow: "hidden",
    text: ({ outcome }) => outcome,
    render: (entry) => <Outcome entry={entry} />,
  },
  whenColumn(),
];

function Outcome({ entry: { outcome, status } }: { readonly entry: AuditEntry }) {
  return (
    <Badge tone={TONES[outcome ?? ""] ?? "neutral"}>
      {outcome ?? "not known"} {status}
    </Badge>
  );
}

export function AuditList() {
  const filters = useFilters();
  const { get, range } = filters;
  const [open, setOpen] = useState<AuditEntry | null>(null);
  const operators = useOperatedUsers("", "operators", "created").rows ?? [];
  const subject = get("subject");
  const audit = useAudit({
    actor: get("actor"),
    action: get("action"),
    subject_id: subject,
    search: filters.debouncedSearch.trim(),
    reads: get("reads"),
    since: range.since ?? "",
    until: range.until ?? "",
  });
  const known = audit.rows?.find((entry) => entry.subject_id === subject);
  return (
    <>
      <ListPage
        title="Audit log"
        description="Every call of an operator. Nobody can change or delete an entry here."
        noun="entries"
        one="entry"
        noMatchHint="No entry of this time is about these words, or has this request id. Reads are hidden unless you show them."
        filters={filters}
        searchLabel="Search by subject or request id"
        choices={[
          { name: "actor", label: "Actor", choices: [...operators.map(toChoice), ...OTHER_ACTORS] },
          { name: "action", label: "Action", choices: ACTION_CHOICES },
          { name: "subject", label: "User", choices: known ? [{ value: subject, label: nameSubject(known) }] : [] },
          {
            name: "reads",
            label: "Reads",
            any: "Changes only",
            choices: [{ value: "true", label: "Changes and reads" }],
          },
        ]}
        hasTime
        pages={audit}
        empty="Changes by operators appear here."
        table={{
          label: "Audit log",
          columns: COLUMNS,
          onOpen: {
            label: (entry) => `${describeAction(entry.action)} ${nameSubject(entry)} ${entry.id}`,
            open: (entry) => setOpen(entry),
          },
        }}
      />
      {open !== null && <EntryDrawer entry={open} onClose={() => setOpen(null)} />}
    </>
  );
}

function toChoice({ id, email }: { readonly id: string; readonly email: string | null }) {
  return { value: id, label: email ?? id };
}

function EntryDrawer({ entry, onClose }: { readonly entry: AuditEntry; onClose(): void }) {
  const { subject_id: subjectId, user_id: actorId, request_id: requestId, details, created_at: at } = entry;
  const { changes, reason, ...more } = details;
  return (
    <Drawer isOpen onClose={onClose} title={describeAction(entry.action)} description={entry.action}>
      <div className="grid gap-4">
        <Facts
          rows={[
            ["When", <RelativeTime at={at} />],
            ["Who", withId(nameActor(entry), actorId)],
            ["About", withId(nameSubject(entry), subjectId)],
            ["Target", entry.target ?? "none"],
            ["Changes", describeChanges(changes).map((line) => <p key={line}>{line}</p>)],
            ["Reason", reason ?? "none"],
            ["Outcome", <Outcome entry={entry} />],
            [
              "Request",
              requestId && <Link to={`/operator/logs?request_id=${encodeURIComponent(requestId)}`}>{requestId}</Link>,
            ],
          ]}
        />
        {Object.keys(more).length > 0 && <JsonView label="Details" value={more} />}
      </div>
    </Drawer>
  );
}

function withId(name: string, userId: string | null) {
  return userId === null ? (
    name
  ) : (
    <>
      <Link to={`/operator/users/${userId}`}>{name}</Link>{" "}
      <span className="font-mono text-sm text-ink-faint">{userId}</span>
    </>
  );
}
