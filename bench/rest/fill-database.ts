import type pg from "pg";
import { CONTENT, type Population } from "./population.ts";

const uuid = (kind: string, number: string): string => `md5('${kind} ' || ${number})::uuid`;

export const TOOL_COLUMNS = "id, owner_id, name, description, category, input_schema, config, created_at, updated_at";
export const AGENT_COLUMNS =
  "id, user_id, name, role, framework, system_prompt, created_at, updated_at, status_changed_at";
export const LINK_COLUMNS = "id, agent_id, tool_id, user_id, created_at";

/** Users with a live session each, their tools, agents and assignments. */
export async function fillDatabase(client: pg.Client, population: Population): Promise<void> {
  const { users, agentsPerUser } = population;
  await client.query(`
    insert into auth.users (id, email, email_confirmed_at)
      select ${uuid("user", "n")}, 'user-' || n || '@example.com', now() from generate_series(1, ${users}) n;
    insert into auth.sessions (id, user_id, refresh_key_wrapped, refreshed_at)
      select ${uuid("session", "n")}, ${uuid("user", "n")}, '', now() from generate_series(1, ${users}) n;`);
  await fillTables(client, { users, agentsPerUser });
}

/** Agents, tools and assignments only. Row triggers are disabled during the bulk load. */
export async function fillTables(client: pg.Client, { users, agentsPerUser }: Population): Promise<void> {
  const { toolsPerUser, toolsPerAgent, prompt } = CONTENT;
  const toolOf = `((a - 1) / ${agentsPerUser}) * ${toolsPerUser} + 1 + ((a + place) % ${toolsPerUser})`;
  const ownerOf = uuid("user", `((a - 1) / ${agentsPerUser} + 1)`);
  await client.query(`
    set session_replication_role = replica;
    insert into public.tools (${TOOL_COLUMNS})
      select ${uuid("tool", "n")}, ${uuid("user", `((n - 1) / ${toolsPerUser} + 1)`)}, 'tool_' || n,
        'Looks something up and answers with what it found', 'search',
        '{"type": "object", "properties": {"query": {"type": "string"}}}', '{"url": "https://example.com/tool"}', now(), now()
      from generate_series(1, ${users * toolsPerUser}) n;
    insert into public.agents (${AGENT_COLUMNS})
      select ${uuid("agent", "a")}, ${ownerOf}, 'Agent ' || a, 'Assistant', 'provider_a', '${prompt}',
        now() - a * interval '1 second', now(), now()
      from generate_series(1, ${users * agentsPerUser}) a;
    insert into public.agent_tools (${LINK_COLUMNS})
      select md5('link ' || a || ' ' || place)::uuid, ${uuid("agent", "a")}, ${uuid("tool", `(${toolOf})`)}, ${ownerOf}, now()
      from generate_series(1, ${users * agentsPerUser}) a, generate_series(1, ${toolsPerAgent}) place;
    set session_replication_role = origin;`);
  await client.query("vacuum analyze");
}
