/** As much of OpenAPI 3.1 as is written here. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0";
  readonly jsonSchemaDialect: string;
  readonly info: {
    readonly title: string;
    readonly version: string;
    readonly summary: string;
    readonly description: string;
    readonly license: { readonly name: string; readonly identifier: string };
  };
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly webhooks: Readonly<Record<string, { readonly post: WebhookOperation }>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly responses: Readonly<Record<string, Response>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly securitySchemes: Readonly<Record<string, Readonly<Record<string, string>>>>;
  };
  /** Calls that supabase-js can make and that always get the same error. */
  readonly "x-not-offered": readonly NotOffered[];
}

interface NotOffered {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly code: string;
}

/** JSON Schema 2020-12; its keywords are those of the specification. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
  readonly contentMediaType?: string;
  readonly contentSchema?: Schema;
}

export interface Header {
  readonly $ref?: string;
  readonly description?: string;
  readonly schema?: Schema;
}

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
}

interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Readonly<Record<string, MediaType>>;
  /** The codes that an error with this status can have. */
  readonly "x-error-codes"?: readonly string[];
}

export interface Reference {
  readonly $ref: string;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description?: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, MediaType>>;
  };
  readonly responses: Readonly<Record<string, Response | Reference>>;
  /** Rows of the table of limits that the call counts for. */
  readonly "x-limits": readonly string[];
  /** The successful response for each `action` of the body, where they differ. */
  readonly "x-answers-by-action"?: Readonly<Record<string, Schema>>;
  /** Of a table: the callers of the access matrix that can do it, in the view of the owner's row. */
  readonly "x-callers"?: readonly string[];
  readonly "x-codeSamples"?: readonly { readonly lang: string; readonly label: string; readonly source: string }[];
}

export interface WebhookOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  /** Empty: a signature in a header takes its place. */
  readonly security: readonly [];
  readonly parameters: readonly Parameter[];
  readonly requestBody: { readonly required: true; readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, Response>>;
}
