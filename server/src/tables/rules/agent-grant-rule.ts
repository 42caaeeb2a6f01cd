import { GRANT_AUDIENCES, GRANT_PARTIES, GRANT_TRANSCRIPTS } from "@swarmbase/sdk";
import { FINE, fault, nullable, type Row, valueOf } from "../fields/field.ts";
import { jsonObject } from "../fields/json-field.ts";
import { boolean, INTEGER_MAX, integer, number, timestamp } from "../fields/plain-fields.ts";
import { choice } from "../fields/text-field.ts";
import { uuid } from "../fields/uuid-field.ts";
import { type RowFault, rowFault, tableRule } from "./table-rule.ts";

const COUNT = nullable(integer({ min: 0, max: INTEGER_MAX }));
const COST = nullable(number({ min: 0, max: 999_999_999 }));
/** The column that a grant to an audience has, and no other. */
const NAMED_BY = { claim: "claim", user_id: "user" } as const;

export const AGENT_GRANT_RULE = tableRule({
  name: "agent_grants",
  required: ["agent_id", "audience"],
  // The answer of the user is not the owner's to write.
  ignored: ["created_at", "updated_at", "accepted_at", "accepted_approver", "declined_at"],
  checkNewRow: checkAudience,
  fields: {
    id: uuid(),
    agent_id: uuid(),
    audience: choice(GRANT_AUDIENCES),
    claim: nullable(
      jsonObject("agent_grants.claim", (claim) =>
        Object.keys(claim).length === 0 ? fault("must have a member") : FINE,
      ),
    ),
    user_id: nullable(uuid()),
    include_anonymous: boolean(),
    priority: integer({ min: -INTEGER_MAX, max: INTEGER_MAX }),
    agent_version: nullable(integer({ min: 1, max: INTEGER_MAX })),
    approver: choice(GRANT_PARTIES),
    payer: choice(GRANT_PARTIES),
    runs_per_day: COUNT,
    cost_per_day: COST,
    total_runs_per_day: COUNT,
    total_cost_per_day: COST,
    transcripts: choice(GRANT_TRANSCRIPTS),
    accepts_messages: boolean(),
    accepts_client_tools: boolean(),
    shows_owner: boolean(),
    expires_at: nullable(timestamp()),
  },
});

function checkAudience(row: Row): readonly RowFault[] {
  const audience = valueOf(row, "audience");
  return Object.entries(NAMED_BY).flatMap(([column, needed]) => {
    const isSet = (valueOf(row, column) ?? null) !== null;
    if (isSet === (audience === needed)) return [];
    return rowFault(column, isSet ? `is for the audience ${needed} only` : `is required for the audience ${needed}`);
  });
}
