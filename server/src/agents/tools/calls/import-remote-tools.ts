import pg from "pg";
import { AppError } from "../../../errors/index.ts";
import { inTransaction } from "../../../db/index.ts";
import type { SchemaCompiler } from "../../schemas/schema-compiler.ts";
import { takeToolName, toLegalName } from "../../providers/tool-names.ts";
import { sealSecrets } from "../seal-secrets.ts";
import { type InsertedTool, insertTools, lockToolNames, type NewTool } from "../sql/insert-tools.ts";
import type { NamedServer, RemoteTool } from "../tool-servers.ts";
import { requireServers } from "./find-servers.ts";
import type { ListPorts } from "./list-remote-tools.ts";

export interface ImportCall {
  /** Null is the service role. */
  readonly callerId: string | null;
  /** The owner of the new tools; null means tools for everybody. */
  readonly ownerId: string | null;
  readonly server: NamedServer;
  readonly names: readonly string[];
  readonly visibility: "private" | "shared" | "public";
}

export interface ImportedTools {
  readonly imported: readonly InsertedTool[];
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
}

interface ImportPorts extends ListPorts {
  readonly schemas: SchemaCompiler;
  newId(): string;
}

const MAX_DESCRIPTION = 1024;
/** Lower than the limit of the database, which counts a space after each comma and colon. */
const MAX_SCHEMA_BYTES = 24_000;

/** Creates tools from the named tools of a server. Reports why it skips a tool. */
export async function importRemoteTools(ports: ImportPorts, call: ImportCall): Promise<ImportedTools> {
  const { callerId, ownerId, server, visibility } = call;
  if (callerId !== null && visibility === "public") {
    throw new AppError("FORBIDDEN", "Only the service role can create public tools");
  }
  const { name: kind, servers } = requireServers(ports.kinds);
  const config = servers.buildConfig(server, "*");
  const offered = await servers.listTools({ ownerId, config, secrets: server.secrets });
  const byName = new Map(offered.map((tool) => [tool.name, tool]));
  const skipped: { name: string; reason: string }[] = [];
  const usable: RemoteTool[] = [];
  for (const name of new Set(call.names)) {
    const tool = byName.get(name);
    const reason = tool === undefined ? "is not offered by the server" : findFault(tool, ports.schemas);
    if (tool !== undefined && reason === null) usable.push(tool);
    else skipped.push({ name, reason: reason ?? "" });
  }
  if (usable.length === 0) return { imported: [], skipped };
  const imported = await inTransaction(ports.pool, async (client) => {
    const taken = await lockToolNames(client, ownerId);
    const rows = usable.map((tool): NewTool => {
      const id = ports.newId();
      return {
        id,
        owner_id: ownerId,
        name: takeToolName(toLegalName(tool.name), taken),
        description: tool.description === "" ? tool.name.slice(0, MAX_DESCRIPTION) : clean(tool.description),
        input_schema: { ...tool.input_schema, type: "object" },
        config: servers.buildConfig(server, tool.name),
        visibility,
        secret_names: sealSecrets(ports.key, id, server.secrets),
        is_vouched: callerId === null,
      };
    });
    return insertTools(client, kind, rows).catch((error: unknown) => {
      throw explainRejection(error);
    });
  });
  return { imported, skipped };
}

/** Translates constraint violations: the checks above do not cover every constraint of the database. */
function explainRejection(error: unknown): unknown {
  if (!(error instanceof pg.DatabaseError)) return error;
  if (error.constraint === "tools_owner_id_fkey") {
    const details = { user_id: "names no user" };
    return new AppError("VALIDATION_ERROR", "The user does not exist", { details, cause: error });
  }
  if (error.code?.startsWith("22") !== true && error.code?.startsWith("23") !== true) return error;
  return new AppError("TOOL_ERROR", "The tools of the server cannot be stored", { cause: error });
}

function findFault({ name, input_schema: schema }: RemoteTool, schemas: SchemaCompiler): string | null {
  if (name.length > 256) return "has a name of more than 256 characters";
  const text = JSON.stringify(schema);
  if (Buffer.byteLength(text) > MAX_SCHEMA_BYTES || /\\u(?:0000|d[89a-f])/i.test(text))
    return "has an input_schema that cannot be stored";
  const compiled = schemas.compile({ ...schema, type: "object" });
  return compiled.ok ? null : `has an input_schema that ${compiled.fault}`;
}

function clean(description: string): string {
  return Array.from(description.replaceAll("\0", "").toWellFormed()).slice(0, MAX_DESCRIPTION).join("");
}
