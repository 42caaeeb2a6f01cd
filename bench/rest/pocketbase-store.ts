import { DatabaseSync } from "node:sqlite";
import { CONTENT, type Population } from "./population.ts";
import { signSecretToken } from "./secret-token.ts";

const TOKEN_LIFE_SECONDS = 3600;
const ID_LENGTH = 15;
const BUSY_TIMEOUT_MS = 10_000;

export function pocketIdOf(kind: "user" | "agent" | "tool", number: number): string {
  return `${kind}${String(number).padStart(ID_LENGTH - kind.length, "0")}`;
}

const keyOf = (user: number): string => `key-${user}`.padEnd(50, "x");

/** Written directly into its file: through its API each user would cost a password hash. */
export function fillPocketBase(path: string, { users, agentsPerUser }: Population): void {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  const now = formatTime(Date.now());
  const { toolsPerUser, toolsPerAgent, toolOf, prompt } = CONTENT;
  const insert = (table: string, columns: string): ((...values: (string | number)[]) => void) => {
    const marks = columns.replaceAll(/\w+/g, "?");
    const statement = database.prepare(`insert into ${table} (${columns}) values (${marks})`);
    return (...values) => void statement.run(...values);
  };
  const addUser = insert("users", "id, email, tokenKey, password, verified, created, updated");
  const addTool = insert(
    "tools",
    "id, user, name, description, category, kind, visibility, input_schema, config, enabled, timeout_ms, max_output_chars, created, updated",
  );
  const addAgent = insert(
    "agents",
    "id, user, name, role, framework, system_prompt, settings, status, status_changed_at, created, updated",
  );
  const addLink = insert("agent_tools", "id, user, agent, tool, enabled, configuration, created, updated");
  database.exec("begin immediate");
  for (let user = 1; user <= users; user += 1) {
    const owner = pocketIdOf("user", user);
    addUser(owner, `user-${user}@example.com`, keyOf(user), "", 1, now, now);
    for (let at = 1; at <= toolsPerUser; at += 1) {
      const tool = (user - 1) * toolsPerUser + at;
      const schema = '{"type":"object","properties":{"query":{"type":"string"}}}';
      const texts = [`tool_${tool}`, "Looks something up and answers with what it found", "search", "http", "private"];
      const config = '{"url":"https://example.com/tool"}';
      addTool(pocketIdOf("tool", tool), owner, ...texts, schema, config, 1, 30_000, 16_000, now, now);
    }
    for (let at = 1; at <= agentsPerUser; at += 1) {
      const agent = (user - 1) * agentsPerUser + at;
      const id = pocketIdOf("agent", agent);
      const created = formatTime(Date.now() - agent * 1000);
      addAgent(id, owner, `Agent ${agent}`, "Assistant", "provider_a", prompt, "{}", "idle", now, created, now);
      for (let place = 1; place <= toolsPerAgent; place += 1) {
        const tool = pocketIdOf("tool", toolOf(agent, agentsPerUser, place));
        addLink(`l${place}x${String(agent).padStart(ID_LENGTH - 3, "0")}`, owner, id, tool, 1, "{}", now, now);
      }
    }
  }
  database.exec("commit; analyze");
  database.close();
}

/** Its tokens are signed with the secret of the collection followed by the key of the user. */
export function signPocketTokens(path: string, { users }: Population): readonly string[] {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  const row = database.prepare("select id, options from _collections where name = 'users'").get();
  database.close();
  const { authToken } = JSON.parse(String(row?.["options"])) as { authToken: { secret: string } };
  const exp = Math.floor(Date.now() / 1000) + TOKEN_LIFE_SECONDS;
  return Array.from({ length: users + 1 }, (_, user) => {
    const claims = { collectionId: row?.["id"], exp, id: pocketIdOf("user", user), refreshable: true, type: "auth" };
    return signSecretToken(keyOf(user) + authToken.secret, claims);
  });
}

function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace("T", " ");
}
