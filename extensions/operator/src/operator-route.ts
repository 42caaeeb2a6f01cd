import {
  AppError,
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
  type ExtensionRoute,
  toExtensionError,
} from "swarmbase/extension";
import { admit, type Lack, type SessionOfCaller, settle } from "./sql/guard.ts";
import type { OperatorSettings } from "./settings.ts";

export type OperatorContext = ExtensionContext<OperatorSettings>;

/** A call of an operator. */
export interface OperatorRequest extends ExtensionRequest {
  readonly operatorId: string;
  /** Adds the reason, keys and changes to the entry of the audit log: neither secrets nor texts of conversations. */
  noteDetails(details: Readonly<Record<string, unknown>>): void;
}

export interface OperatorRoute extends Pick<ExtensionRoute, "method" | "path" | "isBodyRaw"> {
  /** In the audit log: `users.disable`. */
  readonly action: string;
  /** Whether the audit log hides the call unless it is asked for reads; by default those with GET. */
  readonly isRead?: boolean;
  /** What the call is about, for the audit log. */
  target?(request: ExtensionRequest): string | null;
  handler(request: OperatorRequest, context: OperatorContext): Promise<ExtensionResponse> | ExtensionResponse;
}

/** The responses are about other people. */
const NO_STORE = { "cache-control": "no-store" };
const MAX_TARGET_LENGTH = 500;
const SERVER_ERROR = 500;

/** The only way to a handler: an operator with a second factor and a recent sign-in, and an entry in the audit log. */
export function toExtensionRoute(route: OperatorRoute): ExtensionRoute<OperatorSettings> {
  const { method, path, isBodyRaw = false, action, target, handler, isRead = method === "GET" } = route;
  return {
    method,
    path,
    access: "user",
    keyScope: null,
    limit: "api",
    isBodyRaw,
    handler: async (request, context) => {
      const session = readSession(request, context);
      const { lack, entry } = await admit(context.database, session, {
        action,
        target: toStorable(target?.(request) ?? null),
        request_id: request.id,
        is_read: isRead,
      });
      if (lack !== null || entry === null) throw lackError(lack ?? "operator");
      let details: Readonly<Record<string, unknown>> = {};
      const noteDetails: OperatorRequest["noteDetails"] = (more) => {
        details = { ...details, ...more };
      };
      const end = async (status: number): Promise<void> => {
        const outcome = status >= SERVER_ERROR ? "failed" : status >= 400 ? "rejected" : "done";
        // The call has had its effect; its entry says that it began.
        await settle(context.database, entry, { outcome, status, details }).catch((error: unknown) =>
          context.fail("the audit log has no outcome of a call", error),
        );
      };
      try {
        const response = await handler({ ...request, operatorId: session.userId, noteDetails }, context);
        await end(response.status ?? 200);
        return { ...response, headers: { ...NO_STORE, ...response.headers } };
      } catch (error) {
        await end(toExtensionError(error)?.status ?? SERVER_ERROR);
        throw error;
      }
    },
  };
}

/** Targets have parts of the path, which anybody can choose. PostgreSQL stores no U+0000 and no half of a surrogate pair in JSON. */
function toStorable(target: string | null): string | null {
  return target?.replaceAll("\u0000", "\ufffd").slice(0, MAX_TARGET_LENGTH).toWellFormed() ?? null;
}

export function readSession({ caller }: Pick<ExtensionRequest, "caller">, context: OperatorContext): SessionOfCaller {
  const { userId, claims } = caller;
  if (userId === null) throw lackError("operator");
  const sessionId = claims["session_id"];
  return {
    userId,
    sessionId: typeof sessionId === "string" && sessionId !== "" ? sessionId : null,
    maxAgeSeconds: context.settings.OPERATOR_SIGN_IN_TTL_SECONDS,
  };
}

const LACK_MESSAGES: Readonly<Record<Lack, string>> = {
  operator: "This account is not an operator",
  second_factor: "Operators need a second factor: sign in and verify one",
  recent_sign_in: "The sign-in is too long ago: sign in again with the second factor",
};

function lackError(lack: Lack): AppError {
  return new AppError("FORBIDDEN", LACK_MESSAGES[lack], { details: { lacks: lack } });
}
