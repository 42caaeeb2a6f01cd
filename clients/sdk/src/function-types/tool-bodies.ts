// Written by "npm run generate -- sdk-types" from the OpenAPI document; do not edit.
import type { GrantParty } from "../grants.ts";
import type { ToolVisibility } from "../tools.ts";

export interface ToolsListBody {
  /** the address of the MCP server */
  url?: string | undefined;
  server?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** how the secret is sent; if absent, the only secret is a bearer token */
  auth?:
    | {
        type: "bearer";
        secret: string;
      }
    | {
        type: "basic";
        username: string;
        secret: string;
      }
    | {
        type: "header";
        header: string;
        secret: string;
      }
    | {
        type: "oauth";
        /** `asker`: an account of the caller, which tools use in runs of the caller; if absent, `owner` */
        account?: GrantParty | undefined;
      }
    | undefined;
  /** name to value, at most 20 */
  secrets?: Record<string, string> | undefined;
  action: "list";
  /** with `list`: use the server of this tool */
  tool_id?: string | undefined;
}

export interface ToolsImportBody {
  /** the address of the MCP server */
  url?: string | undefined;
  server?: string | undefined;
  headers?: Record<string, string> | undefined;
  /** how the secret is sent; if absent, the only secret is a bearer token */
  auth?:
    | {
        type: "bearer";
        secret: string;
      }
    | {
        type: "basic";
        username: string;
        secret: string;
      }
    | {
        type: "header";
        header: string;
        secret: string;
      }
    | {
        type: "oauth";
        /** `asker`: an account of the caller, which tools use in runs of the caller; if absent, `owner` */
        account?: GrantParty | undefined;
      }
    | undefined;
  /** name to value, at most 20 */
  secrets?: Record<string, string> | undefined;
  action: "import";
  /** the names of the tools on the server */
  names: readonly string[];
  /** only the service role can use `public` */
  visibility?: ToolVisibility | undefined;
  /** for the service role: the owner of the tools or of the authorizations */
  user_id?: string | undefined;
}

export interface ToolsAuthorizeBody {
  action: "authorize";
  /** the address of the MCP server */
  url?: string | undefined;
  /** with `authorize`, in place of `url`: a call that waits until the caller connects an account */
  tool_execution_id?: string | undefined;
  /** `asker`: an account of the caller, which tools use in runs of the caller; if absent, `owner` */
  account?: GrantParty | undefined;
  /** the OAuth scope to request; if absent, the scope that the server names */
  scope?: string | undefined;
  /** a client that you have registered; if absent, the service registers itself */
  client_id?: string | undefined;
  client_secret?: string | undefined;
  /** the address to which the browser returns; below `SITE_URL`, or in `REDIRECT_ALLOW_LIST` */
  redirect_to?: string | undefined;
  /** for the service role: the owner of the tools or of the authorizations */
  user_id?: string | undefined;
}

export interface ToolsFinishAuthorizationBody {
  action: "finish_authorization";
  /** from the fragment of the address to which the browser returned, like `code` and `iss` */
  state: string;
  code: string;
  iss?: string | undefined;
}

export interface ToolsListAuthorizationsBody {
  action: "list_authorizations";
  /** for the service role: the owner of the tools or of the authorizations */
  user_id?: string | undefined;
}

export interface ToolsRevokeAuthorizationBody {
  action: "revoke_authorization";
  /** the address of the MCP server */
  url: string;
  /** `asker`: an account of the caller, which tools use in runs of the caller; if absent, `owner` */
  account?: GrantParty | undefined;
  /** for the service role: the owner of the tools or of the authorizations */
  user_id?: string | undefined;
}

export interface ToolsTestBody {
  action: "test";
  /** with `list`: use the server of this tool */
  tool_id: string;
  /** the arguments, as a model would send them */
  input?: Record<string, unknown> | undefined;
}

export type ToolsBody =
  | ToolsListBody
  | ToolsImportBody
  | ToolsAuthorizeBody
  | ToolsFinishAuthorizationBody
  | ToolsListAuthorizationsBody
  | ToolsRevokeAuthorizationBody
  | ToolsTestBody;
