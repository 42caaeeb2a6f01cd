// Written by "npm run generate -- sdk-types" from the migrated schema; do not edit.
import type { JsonObject } from "../json.ts";
import type { ToolKind, ToolVisibility } from "../tools.ts";

/** Functions that agents can call: built-in, HTTP, or of an MCP server. */
export type ToolsTable = {
  Row: {
    /** The id, a UUID that sorts by time. */
    id: string;
    /** The owner; null for built-in and public tools of the operator. It cannot change. */
    owner_id: string | null;
    /** The name by which a model calls the tool. */
    name: string;
    /** What the tool does, for the model. */
    description: string;
    /** For grouping in a user interface. */
    category: string | null;
    /** For a user interface: a URL or a name. */
    icon: string | null;
    /** JSON Schema of the input; its `type` must be `object`. */
    input_schema: JsonObject;
    /** `http`, `mcp`, `client`, `swarm`, `builtin`, or a kind of an extension: `<extension>.<kind>`, or only its name, such as `rpc`, `function`, `schedule` or `a2a`. It cannot change. */
    kind: ToolKind;
    /** Where and how the tool is called. Its keys depend on `kind`; an empty object means that the tool cannot run yet. */
    config: JsonObject;
    /** `private`: the owner. `shared`: members of the owner's swarms. `public`: everybody. */
    visibility: ToolVisibility;
    /** True makes a call wait until a person approves it. */
    requires_approval: boolean;
    /** The time limit of one call. It does not apply to tools of kind `client`. */
    timeout_ms: number;
    /** The model reads this many characters of the output; longer output is truncated. */
    max_output_chars: number;
    /** False offers the tool to no agent. */
    enabled: boolean;
    /** When the row was created. A sent value is ignored. */
    created_at: string;
    /** When the row changed last. A sent value is ignored. */
    updated_at: string;
    /** The names of the stored secrets. */
    secret_names: string[];
    /** How often a `GET` or `HEAD` request that got no response is repeated. */
    max_retries: number;
    /** A call has the same effect once and twice. If its node is lost, the call is repeated; otherwise the model is told that its outcome is unknown. */
    idempotent: boolean;
    /** The service role wrote the definition last, not the owner. A tool that acts for the person who asks is offered to others than its owner only then. Set by the service. */
    is_vouched: boolean;
  };
  Insert: {
    /** The id, a UUID that sorts by time. */
    id?: string;
    /** The owner; null for built-in and public tools of the operator. It cannot change. */
    owner_id?: string | null;
    /** The name by which a model calls the tool. */
    name: string;
    /** What the tool does, for the model. */
    description: string;
    /** For grouping in a user interface. */
    category?: string | null;
    /** For a user interface: a URL or a name. */
    icon?: string | null;
    /** JSON Schema of the input; its `type` must be `object`. */
    input_schema?: JsonObject;
    /** `http`, `mcp`, `client`, `swarm`, `builtin`, or a kind of an extension: `<extension>.<kind>`, or only its name, such as `rpc`, `function`, `schedule` or `a2a`. It cannot change. */
    kind?: ToolKind;
    /** Where and how the tool is called. Its keys depend on `kind`; an empty object means that the tool cannot run yet. */
    config?: JsonObject;
    /** `private`: the owner. `shared`: members of the owner's swarms. `public`: everybody. */
    visibility?: ToolVisibility;
    /** True makes a call wait until a person approves it. */
    requires_approval?: boolean;
    /** The time limit of one call. It does not apply to tools of kind `client`. */
    timeout_ms?: number;
    /** The model reads this many characters of the output; longer output is truncated. */
    max_output_chars?: number;
    /** False offers the tool to no agent. */
    enabled?: boolean;
    /** How often a `GET` or `HEAD` request that got no response is repeated. */
    max_retries?: number;
    /** A call has the same effect once and twice. If its node is lost, the call is repeated; otherwise the model is told that its outcome is unknown. */
    idempotent?: boolean;
    /** The service role wrote the definition last, not the owner. A tool that acts for the person who asks is offered to others than its owner only then. Set by the service. */
    is_vouched?: boolean;
    /** Values by name, which replace all stored secrets. They are encrypted, and never returned. */
    secrets?: Record<string, string>;
  };
  Update: {
    /** The name by which a model calls the tool. */
    name?: string;
    /** What the tool does, for the model. */
    description?: string;
    /** For grouping in a user interface. */
    category?: string | null;
    /** For a user interface: a URL or a name. */
    icon?: string | null;
    /** JSON Schema of the input; its `type` must be `object`. */
    input_schema?: JsonObject;
    /** Where and how the tool is called. Its keys depend on `kind`; an empty object means that the tool cannot run yet. */
    config?: JsonObject;
    /** `private`: the owner. `shared`: members of the owner's swarms. `public`: everybody. */
    visibility?: ToolVisibility;
    /** True makes a call wait until a person approves it. */
    requires_approval?: boolean;
    /** The time limit of one call. It does not apply to tools of kind `client`. */
    timeout_ms?: number;
    /** The model reads this many characters of the output; longer output is truncated. */
    max_output_chars?: number;
    /** False offers the tool to no agent. */
    enabled?: boolean;
    /** How often a `GET` or `HEAD` request that got no response is repeated. */
    max_retries?: number;
    /** A call has the same effect once and twice. If its node is lost, the call is repeated; otherwise the model is told that its outcome is unknown. */
    idempotent?: boolean;
    /** The service role wrote the definition last, not the owner. A tool that acts for the person who asks is offered to others than its owner only then. Set by the service. */
    is_vouched?: boolean;
    /** Values by name, which replace all stored secrets. They are encrypted, and never returned. */
    secrets?: Record<string, string>;
  };
  Relationships: [];
};
