/** Whatever went wrong between a question and its answer, in one shape for all of supabase-js. */
export class Failure extends Error {
  override readonly name = "Failure";
  /** 0 when there was no answer at all. */
  readonly status: number;
  /** A code of the service such as "VALIDATION_ERROR"; "" when there is none. */
  readonly code: string;
  /** Field → what is wrong with it, as the service says it. */
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

export interface Answered {
  readonly data: unknown;
  readonly error: unknown;
  readonly status?: number;
}

/** What an answer of supabase-js holds when it holds no error. */
export type GoodOf<Answer> = Answer extends { readonly error: null; readonly data: infer Good } ? Good : never;

/** The rows, or a Failure that says in words what happened. For every call of supabase-js. */
export async function unwrap<Answer extends Answered>(asked: PromiseLike<Answer>): Promise<GoodOf<Answer>> {
  let answer: Answer;
  try {
    answer = await asked;
  } catch (error) {
    throw await toFailure(error);
  }
  if (answer.error !== null) throw await toFailure(answer.error, answer.status);
  return answer.data as GoodOf<Answer>;
}

/** What accounts say is wrong comes as a code; the field that it is about is known here. */
const FIELDS_OF_CODES: Readonly<Record<string, string>> = {
  weak_password: "password",
  same_password: "password",
  email_address_invalid: "email",
  email_exists: "email",
  user_already_exists: "email",
};
const NO_ANSWER = "The service cannot be reached.";

export async function toFailure(error: unknown, status = 0): Promise<Failure> {
  if (error instanceof Failure) return error;
  if (error instanceof DOMException && error.name === "AbortError") return new Failure("Given up.", { cause: error });
  const body = await bodyOf(error);
  const message = textOf(body["message"]) ?? textOf(body["msg"]);
  const found = numberOf(body["status"]) ?? numberOf(body["statusCode"]) ?? status;
  if (message === null || /failed to fetch|networkerror|load failed/i.test(message))
    return new Failure(NO_ANSWER, { cause: error });
  const code = textOf(body["code"]) ?? "";
  const text = sayPlainly(message);
  const field = FIELDS_OF_CODES[code];
  return new Failure(text, {
    status: found,
    code,
    fields: field === undefined ? fieldsOf(body["details"]) : { [field]: text },
    cause: error,
  });
}

/** A function's answer comes unread; all other errors carry what the service said. */
async function bodyOf(error: unknown): Promise<Record<string, unknown>> {
  if (!isRecord(error)) return {};
  const response = error["context"];
  if (!(response instanceof Response)) {
    // Errors of this class have their members where spreading does not find them.
    const { message, code, details, status } = error;
    return { message, code, details, status };
  }
  const body: unknown = await response.json().catch(() => null);
  return {
    ...(isRecord(body) ? body : { message: "The service answered something unexpected." }),
    status: response.status,
  };
}

function fieldsOf(details: unknown): Record<string, string> {
  if (!isRecord(details)) return {};
  const entries = Object.entries(details).filter((entry): entry is [string, string] => typeof entry[1] === "string");
  return Object.fromEntries(entries);
}

function sayPlainly(message: string): string {
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
