import { AppError, ToolFailure } from "../../errors/index.ts";
import type { JsonRecord } from "../../json/index.ts";
import type { ModelImage } from "../providers/model-port.ts";
import type { ToolSecrets } from "./seal-secrets.ts";
import type { AccountServer, ToolAnswers, ToolAsking, ToolStarter, ToolWait } from "./tool-port.ts";
import type { ToolServers } from "./tool-servers.ts";

/** One call of a tool, as its runner gets it. */
export interface ToolCall {
  readonly name: string;
  /** Null for a tool that everybody can use. */
  readonly ownerId: string | null;
  /** Null when the owner tests the tool outside of a swarm. */
  readonly swarmId: string | null;
  readonly config: JsonRecord;
  /** Checked against the tool's `input_schema`. */
  readonly input: JsonRecord;
  readonly secrets: ToolSecrets;
  /** A longer answer is truncated. */
  readonly maxChars: number;
  /** How often a call that failed without a response may be repeated, if it can be repeated safely. */
  readonly maxRetries: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly traceparent: string | undefined;
  /** The row of the call in a run. Undefined means that nobody can be asked. */
  readonly executionId?: string | undefined;
  /** To the questions that the same call has asked before. */
  readonly answers?: ToolAnswers | undefined;
  /** In whose name the tool is called. */
  readonly starter: ToolStarter;
  /** Hides a further secret in what the call returns: a server may echo the request. */
  hide?(secret: string): void;
}

export interface ToolAnswer {
  readonly text: string;
  /** The answer was longer than what was read. */
  readonly isCut: boolean;
  readonly attempts: number;
  /** What the text only names. */
  readonly images?: readonly ModelImage[];
  /** The call continues with the answers to these questions; its text is empty. */
  readonly asking?: Omit<ToolAsking, "status">;
  /** The result comes when this wait ends; the text is empty. */
  readonly wait?: ToolWait;
}

export interface ToolConfigFault {
  /** Dotted, relative to `config`; empty for the whole. */
  readonly path: string;
  readonly message: string;
  /** The fault is that of an address, so its code is INVALID_URL. */
  readonly isUrl?: boolean;
}

/** What a kind tells about a tool by its configuration. */
export interface ToolDescription {
  readonly inputSchema: JsonRecord;
  readonly description: string | null;
}

/** A kind of tool in addition to `builtin`, `http` and `client`. */
export interface ToolKind {
  /** Empty when the configuration can be stored. */
  findConfigFaults(config: JsonRecord): readonly ToolConfigFault[];
  /** Resolves to the text that the model reads, or to an answer that has more than text. */
  run(call: ToolCall): Promise<string | ToolAnswer>;
  /** For new tools that lack `input_schema` or `description`. Null means that nothing is known. */
  describe?(config: JsonRecord): ToolDescription | null;
  /** For a kind whose tools belong to servers. */
  readonly servers?: ToolServers;
  /** For a kind that keeps the accounts that people have connected. */
  readonly accounts?: ToolAccounts;
}

/** The access tokens of one account. */
export interface AccountTokens {
  /** Renews a token that is about to expire. Throws a `ToolFailure` when there is none. */
  take(): Promise<{ readonly token: string; readonly version: string }>;
  /** Renews the token of this version, because the server has rejected it. Throws a `ToolFailure` when that cannot help. */
  renew(version: string): Promise<void>;
}

/** Accounts of people at the servers of tools. */
export interface ToolAccounts {
  /**
   * Makes a call with the account that its starter has connected. Without one, or when the server accepts its tokens no longer, the
   * answer asks the starter to connect one. `work` must throw what `take` and `renew` throw.
   */
  use(call: ToolCall, server: AccountServer, work: (tokens: AccountTokens) => Promise<ToolAnswer>): Promise<ToolAnswer>;
}

/** The kinds that the core runs; all others belong to extensions. */
export const CORE_KINDS: ReadonlySet<string> = new Set(["builtin", "http", "client"]);

/** By the name that `tools.kind` stores. */
export type ToolKinds = ReadonlyMap<string, ToolKind>;

export async function runAddedKind(kinds: ToolKinds, kind: string, call: ToolCall): Promise<ToolAnswer> {
  const known = kinds.get(kind);
  if (known === undefined) throw new ToolFailure("TOOL_UNUSABLE", `This node has no tools of the kind ${kind}.`);
  const [fault] = findUsageFaults(known, call.config);
  if (fault !== undefined) {
    const place = fault.path === "" ? "" : `${fault.path} `;
    throw new ToolFailure("TOOL_UNUSABLE", `The tool's configuration is not valid: ${place}${fault.message}.`);
  }
  try {
    const answer = await known.run(call);
    return typeof answer === "string" ? { text: answer, isCut: false, attempts: 1 } : answer;
  } catch (error) {
    if (error instanceof AppError) throw new ToolFailure("TOOL_FAILED", error.message, { cause: error });
    throw error;
  }
}

export function isUsable(kind: ToolKind, config: JsonRecord): boolean {
  return findUsageFaults(kind, config).length === 0;
}

/** An address is checked again with each connection, which has an error of its own. */
function findUsageFaults(kind: ToolKind, config: JsonRecord): readonly ToolConfigFault[] {
  return kind.findConfigFaults(config).filter(({ isUrl }) => isUrl !== true);
}
