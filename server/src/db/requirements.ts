import type { Clock } from "../time/index.ts";
import { compareClocks, MOST_APART_MS } from "./clock-difference.ts";
import { connectClient } from "./connect-client.ts";
import { decideRequirements, type NodeNeeds, type RequirementReport } from "./decide-requirements.ts";
import { OWNER_ROLE, ROLES } from "./plan-roles.ts";
import { selectServerFacts } from "./sql/select-server-facts.ts";

const SCHEMAS = ["auth", "private", "realtime"] as const;

class RequirementsError extends Error {
  override readonly name = "RequirementsError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      [
        "The database of DATABASE_URL does not meet the requirements of Swarmbase:",
        ...faults.map((fault) => `  - ${fault}`),
      ].join("\n"),
    );
    this.faults = faults;
  }
}

export interface CheckRequirementsOptions {
  readonly adminUrl: string;
  readonly needs: NodeNeeds;
  readonly clock: Clock;
}

/** Checks all requirements of a server. Throws with all faults, resolves with the warnings. */
export async function checkRequirements(o: CheckRequirementsOptions): Promise<RequirementReport["warnings"]> {
  const client = await connectClient(o.adminUrl);
  try {
    const askedAtMs = o.clock.now().getTime();
    const facts = await selectServerFacts(client, { roles: ROLES, ownerRole: OWNER_ROLE, schemas: SCHEMAS });
    const answeredAtMs = o.clock.now().getTime();
    const { faults, warnings } = decideRequirements(facts, o.needs);
    if (faults.length > 0) throw new RequirementsError(faults);
    const { apartMs, text } = compareClocks({ askedAtMs, answeredAtMs, serverMs: facts.nowMs });
    const isApart = apartMs > MOST_APART_MS;
    return isApart
      ? [...warnings, `${text}. Synchronise the clocks of both machines (chrony, systemd-timesyncd).`]
      : warnings;
  } finally {
    await client.end();
  }
}
