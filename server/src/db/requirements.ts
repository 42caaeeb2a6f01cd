import { connectClient } from "./connect-client.ts";
import { decideRequirements, type RequirementReport } from "./decide-requirements.ts";
import { OWNER_ROLE, ROLES } from "./plan-roles.ts";
import { selectServerFacts } from "./sql/select-server-facts.ts";

const SCHEMAS = ["auth", "private", "realtime"] as const;

class RequirementsError extends Error {
  override readonly name = "RequirementsError";
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(
      ["The database of DATABASE_URL lacks what Swarmbase needs:", ...faults.map((fault) => `  - ${fault}`)].join("\n"),
    );
    this.faults = faults;
  }
}

/** Asks a server that is not ours for everything at once. Throws with all that is missing; answers with what is only advised. */
export async function checkRequirements({
  adminUrl,
}: {
  readonly adminUrl: string;
}): Promise<RequirementReport["warnings"]> {
  const client = await connectClient(adminUrl);
  try {
    const facts = await selectServerFacts(client, { roles: ROLES, ownerRole: OWNER_ROLE, schemas: SCHEMAS });
    const { faults, warnings } = decideRequirements(facts);
    if (faults.length > 0) throw new RequirementsError(faults);
    return warnings;
  } finally {
    await client.end();
  }
}
