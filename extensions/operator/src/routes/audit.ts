import type { OperatorContext, OperatorRequest, OperatorRoute } from "../operator-route.ts";
import { invalidField, readOptionalId, readText } from "../read-input.ts";
import { selectAudit } from "../sql/audit.ts";

const PAGE_ROWS = 100;
const ENTRY_ID = /^[1-9]\d{0,17}$/;

export const auditRoutes: readonly OperatorRoute[] = [
  { method: "GET", path: "/operator/v1/audit", action: "audit.list", handler: listAudit },
];

async function listAudit({ query }: OperatorRequest, { database }: OperatorContext) {
  const before = readText(query["before"], "before");
  if (before !== null && !ENTRY_ID.test(before)) throw invalidField("before", "must be the id of an entry");
  const filter = {
    before,
    userId: readOptionalId(query["user_id"], "user_id"),
    action: readText(query["action"], "action"),
    target: readText(query["target"], "target"),
    requestId: readText(query["request_id"], "request_id"),
    limit: PAGE_ROWS,
  };
  return { body: { entries: await database.asService((run) => selectAudit(run, filter)) } };
}
