/** The error of any supabase-js call, in one shape. */
export class Failure extends Error {
  override readonly name = "Failure";
  /** The HTTP status; 0 when there was no response. */
  readonly status: number;
  /** The error code of the service, such as "VALIDATION_ERROR", or "". */
  readonly code: string;
  /** Field → error message of the service. */
  readonly fields: Readonly<Record<string, string>>;

  constructor(
    message: string,
    more: { status?: number; code?: string; fields?: Record<string, string>; cause?: unknown },
  ) {
    super(message, { cause: more.cause });
    this.status = more.status ?? 0;
    this.code = more.code ?? "";
    this.fields = more.fields ?? {};
  }
}

export interface ClientResponse {
  readonly data: unknown;
  readonly error: unknown;
  readonly status?: number;
}

/** The data of a supabase-js response without an error. */
export type DataOf<Result> = Result extends { readonly error: null; readonly data: infer Data } ? Data : never;

/** Returns the data of a supabase-js call, or throws a Failure. */
export async function unwrap<Result extends ClientResponse>(call: PromiseLike<Result>): Promise<DataOf<Result>> {
  let response: Result;
  try {
    response = await call;
  } catch (error) {
    throw await toFailure(error);
  }
  if (response.error !== null) throw await toFailure(response.error, response.status);
  return response.data as DataOf<Result>;
}

/** The form field to which an error code of the auth API belongs. */
const FIELDS_OF_CODES: Readonly<Record<string, string>> = {
  weak_password: "password",
  same_password: "password",
  email_address_invalid: "email",
  email_exists: "email",
  user_already_exists: "email",
};
/** The code of a request that needs the second factor first. */
export const SECOND_FACTOR = "insufficient_aal";
export const UNREACHABLE = "The service cannot be reached.";
/** The code of a request that needs a recent proof of the user. */
export const NEEDS_PROOF = "reauthentication_needed";

export async function toFailure(error: unknown, status = 0): Promise<Failure> {
  if (error instanceof Failure) return error;
  if (error instanceof DOMException && error.name === "AbortError") return new Failure("Cancelled.", { cause: error });
  const body = await bodyOf(error);
  const message = textOf(body["message"]) ?? textOf(body["msg"]);
  const found = numberOf(body["status"]) ?? numberOf(body["statusCode"]) ?? status;
  if (message === null || /failed to fetch|networkerror|load failed/i.test(message))
    return new Failure(UNREACHABLE, { cause: error });
  const code = codeOf(body);
  const text = toSentence(message);
  const field = FIELDS_OF_CODES[code];
  return new Failure(text, {
    status: found,
    code,
    fields: field === undefined ? fieldsOf(body["details"]) : { [field]: text },
    cause: error,
  });
}

/** What the caller must do first matters more than the common code of the status. */
export function codeOf(body: { readonly code?: unknown; readonly error_code?: unknown }): string {
  const { error_code: step } = body;
  return step === SECOND_FACTOR || step === NEEDS_PROOF ? step : (textOf(body.code) ?? "");
}

/** Errors of functions have an unread response; all others have the fields of the response body. */
async function bodyOf(error: unknown): Promise<Record<string, unknown>> {
  if (!isRecord(error)) return {};
  const response = error["context"];
  if (!(response instanceof Response)) {
    // These fields are not enumerable, so spreading would miss them.
    const { message, code, details, status, error_code } = error;
    return { message, code, details, status, error_code };
  }
  const body: unknown = await response.json().catch(() => null);
  return {
    ...(isRecord(body) ? body : { message: "The service sent an unexpected response." }),
    status: response.status,
  };
}

function fieldsOf(details: unknown): Record<string, string> {
  if (!isRecord(details)) return {};
  const entries = Object.entries(details).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(entries);
}

function toSentence(message: string): string {
  const text = message.trim();
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
