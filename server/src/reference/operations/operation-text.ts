import type { ErrorCode, LimitName } from "@swarmbase/sdk";
import type { AuthErrorCode } from "../../auth/index.ts";
import type { Parameter, Schema } from "../openapi/document.ts";

/** What the route table does not know of an operation and a reader wants to. */
export interface OperationText {
  readonly id: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly body?: BodyText;
  /** By status. Errors are not among them: they follow from their codes. */
  readonly answers: Readonly<Record<number, AnswerText>>;
  readonly errors?: readonly NamedError[];
  /** Rows of the limits that the call counts for beside that of its route. */
  readonly alsoCounts?: readonly LimitName[];
  /** With supabase-js, where it has a call for it. */
  readonly javascript?: string;
}

/** A code, with another status than it usually has where that is so. */
export type NamedError = ErrorCode | AuthErrorCode | readonly [code: ErrorCode | AuthErrorCode, status: number];

/** The schema itself is the one that the service checks bodies with. */
export interface BodyText {
  /** What has to be there, where the schema leaves it to the code to say so. */
  readonly required?: readonly string[];
  /** Taken so that a client of Supabase is understood, and always refused. */
  readonly hidden?: readonly string[];
  /** By name of a member, wherever it stands. */
  readonly fields?: Readonly<Record<string, string>>;
  /** More than the schema says, by name of a member. */
  readonly bounds?: Readonly<Record<string, Schema>>;
  /** Of the forms that the body can have, in their order. */
  readonly forms?: readonly string[];
  readonly examples: Readonly<Record<string, unknown>>;
  readonly isOptional?: boolean;
}

export interface AnswerText {
  readonly description: string;
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly mediaType?: string;
  /** Beside the JSON form. */
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
