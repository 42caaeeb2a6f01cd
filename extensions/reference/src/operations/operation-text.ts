import type { ErrorCode, LimitName } from "@swarmbase/sdk";
import type { AuthErrorCode } from "swarmbase/extension";
import type { Parameter, Schema } from "../openapi/document.ts";

/** The text of an operation: what the route table does not contain. */
export interface OperationText {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: BodyText;
  /** Responses by status; errors are derived from their codes. */
  readonly answers: Readonly<Record<number, AnswerText>>;
  /** The successful response for each `action` of the body, where they differ. A test calls every action. */
  readonly answersByAction?: Readonly<Record<string, Schema>>;
  readonly errors?: readonly NamedError[];
  /** Rows of the rate limits that the call counts for in addition to that of its route. */
  readonly alsoCounts?: readonly LimitName[];
  /** The same call with supabase-js, if it has one. */
  readonly javascript?: string;
}

/** A code, with the status of the response where it differs from that of the code. */
export type NamedError = ErrorCode | AuthErrorCode | readonly [code: ErrorCode | AuthErrorCode, status: number];

/** An id in the path that is not a UUID, with the status that GoTrue sends. */
export const MALFORMED_ID: NamedError = ["validation_failed", 404];

/** Text for a request body; its schema is the one that the service checks bodies with. */
export interface BodyText {
  /** Members that the code requires although the schema does not. */
  readonly required?: readonly string[];
  /** Members that are accepted from Supabase clients and always rejected, so they are not shown. */
  readonly hidden?: readonly string[];
  /** By name of a member, at any depth. */
  readonly fields?: Readonly<Record<string, string>>;
  /** Additional schema keywords, by name of a member. */
  readonly bounds?: Readonly<Record<string, Schema>>;
  /** Titles of the variants of the body, in their order. */
  readonly forms?: readonly string[];
  readonly examples: Readonly<Record<string, unknown>>;
  readonly isOptional?: boolean;
}

export interface AnswerText {
  readonly description: string;
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly mediaType?: string;
  /** In addition to the JSON response. */
  readonly stream?: Schema;
  readonly headers?: Readonly<Record<string, string>>;
}

export type OperationTexts = Readonly<Record<string, OperationText>>;

export function inPath(name: string, description: string, schema: Schema = UUID): Parameter {
  return { name, in: "path", required: true, description, schema };
}

export function inQuery(name: string, description: string, schema: Schema = { type: "string" }): Parameter {
  return { name, in: "query", description, schema };
}

export function inHeader(name: string, description: string): Parameter {
  return { name, in: "header", description, schema: { type: "string" } };
}

const UUID: Schema = { type: "string", format: "uuid" };

export function refer(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}
