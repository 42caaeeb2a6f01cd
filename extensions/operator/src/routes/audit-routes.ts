import type { OperatorContext, OperatorRequest, OperatorRoute } from "../operator-route.ts";
import { invalidField, readChoice, readId, readOptionalId, readRange, readText } from "../read-input.ts";
import { type AuditFilter, selectAudit } from "../sql/audit.ts";

const PAGE_ROWS = 100;
const ENTRY_ID = /^[1-9]\d{0,17}$/;
const OTHER_ACTORS = ["service", "command"] as const;

export const auditRoutes: readonly OperatorRoute[] = [
  { method: "GET", path: "/operator/v1/audit", action: "audit.list", handler: listAudit },
];

async function listAudit({ query }: OperatorRequest, { database }: OperatorContext) {
  const before = readText(query["before"], "before");
  if (before !== null && !ENTRY_ID.test(before)) throw invalidField("before", "must be the id of an entry");
  const filter: AuditFilter = {
    before,
    actor: readActor(query["actor"]),
    action: readText(query["action"], "action"),
    target: readText(query["target"], "target"),
    subjectId: readOptionalId(query["subject_id"], "subject_id"),
    requestId: readText(query["request_id"], "request_id"),
    search: readText(query["search"], "search"),
    hasReads: readChoice(query["reads"], "reads", ["true", "false"]) === "true",
    ...readRange(query),
    limit: PAGE_ROWS,
  };
  return { body: { entries: await database.asService((run) => selectAudit(run, filter)) } };
}

function readActor(value: string | undefined): AuditFilter["actor"] {
  if (value === undefined || value === "") return null;
  const kind = OTHER_ACTORS.find((other) => other === value);
  return kind === undefined ? { id: readId(value, "actor") } : { kind };
}
