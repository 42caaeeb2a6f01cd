import { readFileSync } from "node:fs";
import { type Environment, SettingsError } from "swarmbase/extension";
import { z } from "zod";

/** A program that speaks MCP over its standard streams. */
export interface McpServer {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | null;
  /** Tools of users may use it; otherwise only tools without an owner, which the service role creates. */
  readonly isForUsers: boolean;
  /** It may ask a person within a call. Each call that may ask then has a process of the program for itself. */
  readonly canAsk: boolean;
}

export type McpServers = ReadonlyMap<string, McpServer>;

const MAX_SERVERS = 50;
const SERVER_NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/;

const text = z.string().refine((value) => !value.includes("\0"), "must not have zero bytes");
const variable = z.string().regex(VARIABLE_NAME, "must be the name of an environment variable");

const entrySchema = z.strictObject({
  command: text.min(1),
  args: z.array(text).max(100).default([]),
  env: z.record(variable, text).default({}),
  inherit_env: z.array(variable).max(100).default([]),
  cwd: text.min(1).optional(),
  allow_users: z.boolean().default(false),
  elicitation: z.boolean().default(false),
});

const fileSchema = z.strictObject({
  mcpServers: z
    .record(z.string().regex(SERVER_NAME, "must be a name of letters, digits, _ and -"), entrySchema)
    .refine((servers) => Object.keys(servers).length <= MAX_SERVERS, `must have at most ${MAX_SERVERS} entries`),
});

/** `environment` has the variables that the file passes on. Throws a SettingsError that lists every fault. */
export function loadMcpServers(path: string | null, environment: Environment): McpServers {
  if (path === null) return new Map();
  const read = fileSchema.safeParse(readJson(path));
  if (!read.success) {
    throw new SettingsError(
      read.error.issues.map(({ path: at, message }) => `MCP_SERVERS_FILE: ${[...at, message].join(" ")}`),
    );
  }
  return new Map(
    Object.entries(read.data.mcpServers).map(([name, entry]) => {
      const inherited = entry.inherit_env.flatMap((variableName): [string, string][] => {
        const value = environment[variableName];
        return value === undefined ? [] : [[variableName, value]];
      });
      const { command, args, cwd = null, allow_users: isForUsers, elicitation: canAsk } = entry;
      const env = { ...Object.fromEntries(inherited), ...entry.env };
      return [name, { name, command, args, env, cwd, isForUsers, canAsk }];
    }),
  );
}

function readJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "is no JSON" : "cannot be read";
    throw new SettingsError([`MCP_SERVERS_FILE names a file that ${reason}`]);
  }
}
