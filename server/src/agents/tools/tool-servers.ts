import type { JsonRecord } from "../../json/index.ts";
import type { ToolSecrets } from "./seal-secrets.ts";

/** A server as a request describes it. */
export interface NamedServer {
  /** Either the address of a server, */
  readonly url?: string | undefined;
  /** or the name of a server that the operator has listed. */
  readonly server?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Absent means that a single secret is sent as a bearer token. */
  readonly auth?: JsonRecord | undefined;
  readonly secrets: ToolSecrets;
}

/** A tool as its server describes it. */
export interface RemoteTool {
  readonly name: string;
  readonly description: string;
  readonly input_schema: JsonRecord;
}

/** Whose authorization a tool uses: that of its owner, or the account that the person who started the run has connected. */
export type ToolAccount = "owner" | "asker";

/** An owner and the address of a server. */
export interface AuthorizationKey {
  /** Absent means that it is of the owner of tools. */
  readonly account?: ToolAccount | undefined;
  /** Null means that it is for tools without an owner. */
  readonly ownerId: string | null;
  readonly url: string;
}

interface AuthorizationStart extends AuthorizationKey {
  readonly scope?: string | undefined;
  /** Of a client that somebody has registered by hand. */
  readonly clientId?: string | undefined;
  readonly clientSecret?: string | undefined;
  /** Where the browser continues afterwards. */
  readonly redirectTo?: string | undefined;
}

interface ConnectCall {
  readonly personId: string;
  /** A call that waits until the person connects an account. */
  readonly executionId: string;
  readonly redirectTo?: string | undefined;
}

interface StartedAuthorization {
  readonly authorization_url: string;
  readonly state: string;
  readonly expires_at: string;
}

interface AuthorizationFinish {
  /** Null is the service role. */
  readonly callerId: string | null;
  readonly state: string;
  readonly code: string;
  readonly iss?: string | undefined;
}

export interface ListedAuthorization {
  readonly url: string;
  readonly account: ToolAccount;
  readonly scope: string | null;
  readonly authorized: boolean;
  readonly authorized_at: Date | null;
}

/** What people have authorized the service to do at servers. Calls throw an `AppError` for what callers may see. */
export interface Authorizations {
  start(call: AuthorizationStart): Promise<StartedAuthorization>;
  /** Starts the sign-in for which a call waits. */
  connect(call: ConnectCall): Promise<StartedAuthorization>;
  /** Continues the calls that wait for the account. An account of a person is connected by that person alone. */
  finish(call: AuthorizationFinish): Promise<{ readonly url: string; readonly scope: string | null }>;
  list(ownerId: string | null): Promise<readonly ListedAuthorization[]>;
  /** Deletes the tokens, and withdraws them at their server if it can be reached. False means that there were none. */
  revoke(key: AuthorizationKey): Promise<boolean>;
  /** Reads the tokens of an account that is about to be deleted. The result withdraws them at their servers. */
  prepareWithdrawal(ownerId: string): Promise<() => void>;
}

/** The servers of a kind whose tools belong to servers. The function `tools` lists and imports their tools. */
export interface ToolServers {
  /** The value of `tools.config` for a tool of the server. Throws an `AppError` when the description is not valid. */
  buildConfig(server: NamedServer, toolName: string): JsonRecord;
  /** The tools of the server that `config` names. Throws an `AppError` when it has none, or cannot be asked. */
  listTools(call: {
    readonly ownerId: string | null;
    readonly config: JsonRecord;
    readonly secrets: ToolSecrets;
  }): Promise<readonly RemoteTool[]>;
  readonly authorizations: Authorizations;
}
