import type { UserPrincipal } from "../../db/index.ts";
import type { ToolFault } from "../../errors/index.ts";
import type { JsonRecord } from "../../json/index.ts";
import type { ModelImage, ModelTool } from "../providers/model-port.ts";

export type { ToolFault };

/** A tool of an agent: the row of the tool and the configuration of the assignment, by column name. */
export interface AssignedTool {
  readonly id: string;
  readonly owner_id: string | null;
  readonly name: string;
  readonly description: string;
  /** `builtin`, `http`, `client`, or a kind that an extension adds. */
  readonly kind: string;
  readonly input_schema: Readonly<Record<string, unknown>>;
  readonly config: Readonly<Record<string, unknown>>;
  readonly configuration: Readonly<Record<string, unknown>>;
  readonly requires_approval: boolean;
  readonly timeout_ms: number;
  readonly max_output_chars: number;
  /** How often a call that failed without a response is repeated, if it can be repeated safely. */
  readonly max_retries: number;
  /** A call whose outcome is not known, because its node was lost, may be repeated. */
  readonly idempotent: boolean;
  /** Who decides on a call that needs an approval; null means whoever the grant says, without one the owner of the agent. */
  readonly approver: "owner" | "asker" | null;
  /** Calls are made in the name of the person who started the run. */
  readonly acts_for_starter: boolean;
  /** Base64; null when the tool has none. */
  readonly secrets_wrapped: string | null;
}

/** A tool that a model can call in a run: an assigned one, or one that the call brought, which has no row. */
export type CallableTool = Omit<AssignedTool, "id"> & { readonly id: string | null };

export interface ToolCallContext {
  /** Null when the owner tests the tool outside of a swarm. */
  readonly swarmId: string | null;
  readonly signal: AbortSignal;
  readonly traceparent?: string | undefined;
  /** The row of the call in a run. A run can wait, so a person can be asked. */
  readonly executionId?: string;
  /** To the questions that the same call has asked before. */
  readonly answers?: ToolAnswers;
  /** Null means that nobody has started the call. */
  readonly starter?: ToolStarter | null;
}

/** The person in whose name a tool is called: who started the run, or who tests the tool. */
export interface ToolStarter {
  /** Null means that nobody has asked, and `open` rejects. */
  readonly userId: string | null;
  /** The starter as of now. Rejects with a `ToolFailure` when nobody may act for them any more. Called before each attempt. */
  open(): Promise<OpenStarter>;
}

export interface OpenStarter {
  /** With the scopes of the API key that started the run. Without the id of a session. */
  readonly principal: UserPrincipal;
  /** Null in a test of a tool. */
  readonly call: StartedCall | null;
}

/** The call of a tool in a run. */
interface StartedCall {
  readonly runId: string;
  readonly agentId: string;
  readonly toolId: string;
  readonly executionId: string;
}

/** What a tool asks a person during a call. */
export interface ToolQuestion {
  readonly id: string;
  readonly message: string;
  /** A JSON Schema of an object with plain properties. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Of a question that only a sign-in of the starter of the run answers. */
  readonly kind?: "connect";
  /** Where the starter signs in, for some minutes; the function `tools` returns a new address. */
  readonly url?: string;
  readonly server?: AccountServer;
  readonly connection_id?: string;
}

/** At whose authorization server a person connects an account. */
export interface AccountServer {
  readonly protocol: "http" | "mcp";
  /** Of a server that speaks plain HTTP: its origin. */
  readonly url: string;
}

export type ToolResponse =
  | { readonly action: "accept"; readonly content: Readonly<Record<string, unknown>> }
  | { readonly action: "decline" | "cancel" };

/** A call that stays open while a person is asked, as its kind describes it. Stored with the run, and given back as it is. */
type HeldCall = Readonly<Record<string, unknown>>;

export interface ToolAnswers {
  /** Of the server, sent back as it is. */
  readonly state: string | null;
  readonly held?: HeldCall;
  readonly responses: Readonly<Record<string, ToolResponse>>;
  /** How often the call has asked. */
  readonly rounds: number;
}

/** What a call waits for before it has a result. Stored with the run, whose column `pending_waits` shows it. */
export interface ToolWait {
  readonly kind: "time" | "event" | "sub_task";
  /** Of the event. */
  readonly name?: string;
  /** Who may send the signal that ends the wait. */
  readonly from?: "starter" | "members";
  /** ISO 8601. Either this or `seconds`. */
  readonly until?: string;
  readonly seconds?: number;
  /** Of a sub-task: the swarm whose agents work, what they are asked, and what they may use. Not shown. */
  readonly swarm_id?: string;
  readonly message?: string;
  readonly budget?: JsonRecord;
  readonly traceparent?: string;
}

/** A call that has its result when the wait ends. */
export interface ToolWaiting {
  readonly status: "waiting";
  readonly wait: ToolWait;
}

/** A call that continues with the answers to its questions. */
export interface ToolAsking {
  readonly status: "asking";
  readonly questions: readonly ToolQuestion[];
  readonly state: string | null;
  readonly held?: HeldCall;
}

export type ToolOutcome =
  | {
      readonly status: "succeeded";
      /** The value to store, with the same length limit as the text. */
      readonly output: unknown;
      /** The text that the model reads. */
      readonly text: string;
      /** For the model alone; never stored. */
      readonly images?: readonly ModelImage[];
      readonly outputChars: number;
      readonly isTruncated: boolean;
      readonly attempts: number;
      readonly durationMs: number;
    }
  | {
      readonly status: "failed" | "timed_out" | "cancelled";
      readonly error: ToolFault;
      /** The response of the server, with a length limit: for the model, and for those who can see outputs. */
      readonly text?: string;
      readonly attempts: number;
      readonly durationMs: number;
    };

export interface Tools {
  /** The tool as the model sees it, without the arguments that the configuration fixes. */
  describe(tool: CallableTool): ModelTool;
  /** The arguments that the model chose, or the reason why they are not valid together with the fixed ones. */
  checkInput(
    tool: CallableTool,
    inputText: string,
  ):
    | { readonly ok: true; readonly input: Readonly<Record<string, unknown>> }
    | { readonly ok: false; readonly fault: ToolFault };
  /** Never rejects. */
  run(
    tool: AssignedTool,
    input: Readonly<Record<string, unknown>>,
    context: ToolCallContext,
  ): Promise<ToolOutcome | ToolAsking | ToolWaiting>;
}
