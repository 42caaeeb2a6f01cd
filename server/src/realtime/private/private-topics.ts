import pg from "pg";
import type { Settings } from "../../config/index.ts";
import {
  buildScope,
  type Database,
  type Principal,
  type StatementResult,
  type PipelinedStatement,
  runPipelined,
  type Scope,
  SERVICE_PRINCIPAL,
  scopeOf,
} from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { renderAnnounced, STORED_PREFIX } from "../broadcast/stored-message.ts";
import type { Extension, PrivateTopics } from "../realtime-options.ts";
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

const EVERYTHING: ReadonlySet<Extension> = new Set(["broadcast", "presence"]);
const NOT_ALLOWED = "42501";
/** Characters that PostgreSQL cannot store, NUL above all. */
const UNSTORABLE = new Set(["22021", "22P05"]);
/** Raised by the scope statement for an ended session or a deleted user. */
const SESSION_ENDED = new Set(["SB001", "SB002", "SB003"]);

/** Tests the policies of realtime.messages as the caller with probe rows in a transaction that rolls back. */
export function createPrivateTopics({ database, settings, newId }: PrivateTopicsOptions): PrivateTopics {
  const enterAs = (caller: Principal, isReadOnly = false): Scope =>
    scopeOf(caller, {
      schemas: settings.dbSchemas,
      statementTimeoutMs: settings.dbStatementTimeoutMs,
      isReadOnly,
      request: { method: "", path: "/realtime/v1", headers: {} },
    });
  const poolOf = ({ role }: Principal): pg.Pool => (role === "service_role" ? database.service : database.user);

  return {
    findReadable: async (caller, topic, signal) => {
      if (caller.role === "service_role") return EVERYTHING;
      const ids = [newId(), newId()] as const;
      // The service role inserts the probes, because the caller may only be allowed to read; then the scope changes to the
      // caller. The first scope checks the session, because only the first can.
      const transaction = runPipelined(database.service, {
        scope: { ...enterAs(SERVICE_PRINCIPAL), session: caller.session },
        statements: [
          insertProbes(topic, ids),
          buildScope({ ...enterAs(caller), session: null }),
          setTopic(topic),
          selectProbes(ids),
        ],
        rollback: true,
        signal,
      });
      const results = await unlessDenied(transaction);
      const seen = new Set(results?.at(-1)?.rows.map(([extension]) => extension));
      return new Set([...EVERYTHING].filter((extension) => seen.has(extension)));
    },

    canWrite: async (caller, topic, extension, signal) => {
      if (caller.role === "service_role") return true;
      const transaction = runPipelined(poolOf(caller), {
        scope: enterAs(caller),
        statements: [setTopic(topic), insertProbe(topic, extension)],
        rollback: true,
        signal,
      });
      return (await unlessDenied(transaction)) !== null;
    },

    store: async (caller, topic, { event, isBinary, payload, sender }) => {
      const id = newId();
      const statements: PipelinedStatement[] = [
        setTopic(topic),
        insertMessage({
          id,
          topic,
          event,
          payload: isBinary ? null : payload.toString(),
          binaryPayload: isBinary ? payload : null,
        }),
        announceMessage(
          STORED_PREFIX,
          renderAnnounced({ id, topic, event, isPrivate: true, isBinary, payload, sender }),
        ),
      ];
      const results = await unlessDenied(
        runPipelined(poolOf(caller), { scope: enterAs(caller), statements, resetAfter: true }),
      );
      if (results === null) throw writeDenied(topic);
      // The message is stored even when this fails; the next one tries again.
      await deleteOldMessages(database.service).catch(() => {});
    },

    replay: async (caller, topic, since, limit) => {
      const transaction = runPipelined(poolOf(caller), {
        scope: enterAs(caller, true),
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

export function readDenied(topic: string): AppError {
  return new AppError(
    "FORBIDDEN",
    `Unauthorized: You do not have permissions to read from this Channel topic: ${topic}`,
  );
}

export function writeDenied(topic: string): AppError {
  return new AppError(
    "FORBIDDEN",
    `Unauthorized: You do not have permissions to write to this Channel topic: ${topic}`,
  );
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
