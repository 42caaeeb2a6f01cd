import pg from "pg";
import type { Settings } from "../../config/index.ts";
import {
  buildScope,
  type Database,
  type Principal,
  type StatementResult,
  runPipelined,
  type Scope,
  SERVICE_PRINCIPAL,
  scopeOf,
} from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { renderAnnounced, STORED_PREFIX } from "../broadcast/stored-message.ts";
import { EXTENSIONS, type PrivateTopics } from "../realtime-options.ts";
import {
  announceMessage,
  deleteOldMessages,
  insertMessage,
  insertProbe,
  insertProbes,
  selectMessages,
  selectProbes,
  setTopic,
} from "./sql/private-messages.ts";

export interface PrivateTopicsOptions {
  readonly database: Database;
  readonly settings: Pick<Settings, "dbSchemas" | "dbStatementTimeoutMs">;
  readonly newId: () => string;
}

const NOT_ALLOWED = "42501";
/** Characters that PostgreSQL cannot store, NUL above all. */
const UNSTORABLE = new Set(["22021", "22P05"]);
/** Raised by the scope statement for an ended session or a deleted user. */
const SESSION_ENDED = new Set(["SB001", "SB002", "SB003"]);

/** Tests the policies of realtime.messages as the principal with probe rows in a transaction that rolls back. */
export function createPrivateTopics({ database, settings, newId }: PrivateTopicsOptions): PrivateTopics {
  const enterAs = (principal: Principal, isReadOnly = false): Scope =>
    scopeOf(principal, {
      schemas: settings.dbSchemas,
      statementTimeoutMs: settings.dbStatementTimeoutMs,
      isReadOnly,
      request: { method: "", path: "/realtime/v1", headers: {} },
    });
  const poolOf = ({ role }: Principal): pg.Pool => (role === "service_role" ? database.service : database.user);

  return {
    findReadable: async (principal, topic, signal) => {
      if (principal.role === "service_role") return EXTENSIONS;
      const ids = [newId(), newId()] as const;
      // The service role inserts the probes, because the principal may only be allowed to read; then the scope changes to the
      // principal. The first scope checks the session, because only the first can.
      const transaction = runPipelined(database.service, {
        scope: { ...enterAs(SERVICE_PRINCIPAL), session: principal.session },
        statements: [
          insertProbes(topic, ids),
          buildScope({ ...enterAs(principal), session: null }),
          setTopic(topic),
          selectProbes(ids),
        ],
        rollback: true,
        signal,
      });
      const results = await unlessDenied(transaction);
      const seen = new Set(results?.at(-1)?.rows.map(([extension]) => extension));
      return new Set([...EXTENSIONS].filter((extension) => seen.has(extension)));
    },

    canWrite: async (principal, topic, extension, signal) => {
      if (principal.role === "service_role") return true;
      const transaction = runPipelined(poolOf(principal), {
        scope: enterAs(principal),
        statements: [setTopic(topic), insertProbe(topic, extension)],
        rollback: true,
        signal,
      });
      return (await unlessDenied(transaction)) !== null;
    },

    store: async (principal, topic, toStore) => {
      const message = { ...toStore, id: newId(), topic, isPrivate: true };
      const statements = [
        setTopic(topic),
        insertMessage(message),
        announceMessage(STORED_PREFIX, renderAnnounced(message)),
      ];
      const results = await unlessDenied(
        runPipelined(poolOf(principal), { scope: enterAs(principal), statements, resetAfter: true }),
      );
      if (results === null) throw accessDenied("write to", topic);
      // The message is stored even when this fails; the next one tries again.
      await deleteOldMessages(database.service).catch(() => {});
    },

    replay: async (principal, topic, since, limit) => {
      const transaction = runPipelined(poolOf(principal), {
        scope: enterAs(principal, true),
        statements: [setTopic(topic), selectMessages(topic, since, limit)],
        // Policies can change session state, and this transaction commits.
        resetAfter: true,
      });
      const rows = (await unlessDenied(transaction))?.at(-1)?.rows ?? [];
      return rows.map(([id, event, payload, binary = null]) => ({
        id: id ?? "",
        event: event ?? "",
        isBinary: binary !== null,
        payload: binary === null ? Buffer.from(payload ?? "{}") : Buffer.from(binary, "base64"),
      }));
    },
  };
}

export function accessDenied(access: "read from" | "write to", topic: string): AppError {
  const message = `Unauthorized: You do not have permissions to ${access} this Channel topic: ${topic}`;
  return new AppError("FORBIDDEN", message);
}

/** Null when a policy denies access or the session has ended. */
async function unlessDenied(
  transaction: Promise<readonly StatementResult[]>,
): Promise<readonly StatementResult[] | null> {
  try {
    return await transaction;
  } catch (error) {
    const code = error instanceof pg.DatabaseError ? error.code : undefined;
    if (code === NOT_ALLOWED || (code !== undefined && SESSION_ENDED.has(code))) return null;
    if (code !== undefined && UNSTORABLE.has(code)) {
      throw new AppError("BAD_REQUEST", "A topic, event or payload has a character that cannot be stored", {
        cause: error,
      });
    }
    throw error;
  }
}
