import type { FairPool, StatementResult, TextRow } from "@swarmbase/postgres";
import pg from "pg";
import type { Settings } from "../../config/index.ts";
import {
  type Database,
  type Principal,
  type PrincipalSession,
  runPipelined,
  type TransactionScope,
  transactionScopeOf,
  SERVICE_PRINCIPAL,
  shareKeyOf,
} from "../../db/index.ts";
import { AppError } from "../../errors/index.ts";
import { renderAnnounced, STORED_PREFIX } from "./stored-message.ts";
import {
  CHANNEL_EXTENSIONS,
  type ChannelExtension,
  type PrivateTopics,
  type TopicAccess,
  type TopicCheck,
} from "../realtime-options.ts";
import {
  announceMessage,
  checkTopicAccess,
  deleteOldMessages,
  insertMessage,
  selectMessages,
  setTopic,
} from "./sql/private-messages.ts";

interface PrivateTopicsOptions {
  readonly database: Database;
  readonly settings: Pick<Settings, "dbSchemas" | "dbStatementTimeoutMs">;
  readonly newId: () => string;
  /** Translates an error of the scope statement; returns every other error unchanged. */
  translateEnter(error: unknown): unknown;
}

const NOT_ALLOWED = "42501";
/** Characters that PostgreSQL cannot store, NUL above all. */
const UNSTORABLE = new Set(["22021", "22P05"]);
/** Raised by the scope statement for an ended session or a deleted user. */
const SESSION_ENDED = new Set(["SB001", "SB002", "SB003"]);

const FULL_ACCESS: TopicAccess = { readable: CHANNEL_EXTENSIONS, writable: CHANNEL_EXTENSIONS };
const NO_ACCESS: TopicAccess = { readable: new Set(), writable: new Set() };

/** Tests the policies of realtime.messages with probe rows in a transaction that rolls back. */
class TopicChecks {
  readonly #options: PrivateTopicsOptions;

  constructor(options: PrivateTopicsOptions) {
    this.#options = options;
  }

  async check(given: TopicCheck, signal?: AbortSignal): Promise<TopicAccess> {
    if (given.principal.role === "service_role") return FULL_ACCESS;
    const { session } = given.principal;
    // The scope is the service role's, the share of the connections that of the user.
    const share = `realtime ${shareKeyOf(given.principal)}`;
    const { service } = this.#options.database;
    const [access = NO_ACCESS] = (await this.#run(service, [given], { session, share, signal })) ?? [];
    if (access instanceof Error) throw access;
    return access;
  }

  /** A check that fails alone, for example by its duration, is found by halving the batch. */
  async checkAll(checks: readonly TopicCheck[]): Promise<readonly (TopicAccess | Error)[]> {
    try {
      return (await this.#run(this.#options.database.work, checks, { session: null })) ?? [];
    } catch (error) {
      if (!(error instanceof pg.DatabaseError)) throw error;
      if (checks.length === 1) return [error];
      const middle = Math.ceil(checks.length / 2);
      return [...(await this.checkAll(checks.slice(0, middle))), ...(await this.checkAll(checks.slice(middle)))];
    }
  }

  /** Null when the session has ended. */
  async #run(
    pool: FairPool,
    checks: readonly TopicCheck[],
    { session, ...given }: { session: PrincipalSession | null; share?: string; signal?: AbortSignal | undefined },
  ): Promise<(TopicAccess | Error)[] | null> {
    const results = await unlessDenied(
      runPipelined(pool, {
        scope: { ...scopeOf(SERVICE_PRINCIPAL, this.#options), session },
        statements: [checkTopicAccess(checks)],
        rollback: true,
        ...given,
      }),
      this.#options,
    );
    return results?.[0]?.rows.map(readAccess) ?? null;
  }
}

export function createPrivateTopics(options: PrivateTopicsOptions): PrivateTopics {
  const { database, newId } = options;
  const topicChecks = new TopicChecks(options);
  const poolOf = ({ role }: Principal): FairPool => (role === "service_role" ? database.service : database.user);
  return {
    findReadable: async (principal, topic, signal) =>
      (await topicChecks.check({ principal, topic, writes: [] }, signal)).readable,

    canWrite: async (principal, topic, extension, signal) =>
      (await topicChecks.check({ principal, topic, writes: [extension] }, signal)).writable.has(extension),

    checkAll: (checks) => topicChecks.checkAll(checks),

    store: async (principal, topic, toStore) => {
      const message = { ...toStore, id: newId(), topic, isPrivate: true };
      const statements = [
        setTopic(topic),
        insertMessage(message),
        announceMessage(STORED_PREFIX, renderAnnounced(message)),
      ];
      const results = await unlessDenied(
        runPipelined(poolOf(principal), { scope: scopeOf(principal, options), statements, resetAfter: true }),
        options,
      );
      if (results === null) throw accessDenied("write to", topic);
      // The message is stored even when this fails; the next one tries again.
      await deleteOldMessages(database.service).catch(() => {});
    },

    replay: async (principal, topic, since, limit) => {
      const transaction = runPipelined(poolOf(principal), {
        scope: scopeOf(principal, options, true),
        statements: [setTopic(topic), selectMessages(topic, since, limit)],
        // Policies can change session state, and this transaction commits.
        resetAfter: true,
      });
      const rows = (await unlessDenied(transaction, options))?.at(-1)?.rows ?? [];
      return rows.map(([id, event, payload, binary = null]) => ({
        id: id ?? "",
        event: event ?? "",
        isBinary: binary !== null,
        payload: binary === null ? Buffer.from(payload ?? "{}") : Buffer.from(binary, "base64"),
      }));
    },
  };
}

function scopeOf(
  principal: Principal,
  { settings }: Pick<PrivateTopicsOptions, "settings">,
  isReadOnly = false,
): TransactionScope {
  return transactionScopeOf(principal, {
    schemas: settings.dbSchemas,
    statementTimeoutMs: settings.dbStatementTimeoutMs,
    isReadOnly,
    request: { method: "", path: "/realtime/v1", headers: {} },
  });
}

export function accessDenied(access: "read from" | "write to", topic: string): AppError {
  const message = `Unauthorized: You do not have permissions to ${access} this Channel topic: ${topic}`;
  return new AppError("FORBIDDEN", message);
}

function readAccess([readable, writable, failure]: TextRow): TopicAccess | Error {
  if (failure !== null && failure !== undefined) return new Error(`A policy of realtime.messages failed: ${failure}`);
  const extensionsIn = (list: string | null | undefined): ReadonlySet<ChannelExtension> => {
    const names = new Set(list?.split(","));
    return new Set([...CHANNEL_EXTENSIONS].filter((extension) => names.has(extension)));
  };
  return { readable: extensionsIn(readable), writable: extensionsIn(writable) };
}

/** Null when a policy denies access or the session has ended. */
async function unlessDenied(
  transaction: Promise<readonly StatementResult[]>,
  { translateEnter }: Pick<PrivateTopicsOptions, "translateEnter">,
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
    throw translateEnter(error);
  }
}
