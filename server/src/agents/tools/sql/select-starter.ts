import type { ApiKeyResources, ApiKeyScope } from "@swarmbase/sdk";
import type pg from "pg";

/** The JSON that private.open_starter returns. */
export interface StarterRow {
  readonly id: string;
  readonly email: string | null;
  readonly app_metadata: Readonly<Record<string, unknown>>;
  readonly user_metadata: Readonly<Record<string, unknown>>;
  readonly is_anonymous: boolean;
  readonly run_id: string;
  readonly agent_id: string;
  readonly tool_id: string;
  /** Of the session in which the run was started, while it lives. */
  readonly session_id: string | null;
  readonly aal: "aal1" | "aal2";
  readonly api_key: {
    readonly id: string;
    readonly scopes: readonly ApiKeyScope[];
    readonly resources: ApiKeyResources | null;
    /** Null means that the key is no program. */
    readonly client_id: string | null;
    readonly aal: "aal1" | "aal2";
  } | null;
}

/** Returns null when nobody may act for the starter of the run any more. */
export async function selectStarter(
  pool: pg.Pool,
  executionId: string,
  inactivitySeconds: number,
): Promise<StarterRow | null> {
  const { rows } = await pool.query<{ starter: StarterRow | null }>({
    name: "agents-select-starter",
    text: "select private.open_starter($1, $2) as starter",
    values: [executionId, inactivitySeconds],
  });
  return rows[0]?.starter ?? null;
}
