import { authCodeOf } from "../../auth/index.ts";
import { AppError } from "../../errors/index.ts";

const AUTH_PATH = /^\/auth\/v1(?:[/?]|$)/;

export function isAuthPath(url: string | undefined): boolean {
  return url !== undefined && AUTH_PATH.test(url);
}

/** Auth clients expect GoTrue's members in every error under `/auth/v1`, also in those that no auth endpoint raised. */
export function addAuthMembers(error: AppError, url: string | undefined): AppError {
  if (!isAuthPath(url)) return error;
  const { members = {}, headers = {} } = error.extra;
  const given = members["error_code"];
  const code = typeof given === "string" ? given : authCodeOf(error);
  return new AppError(error.code, error.message, {
    ...error.extra,
    members: { error_code: code, msg: error.message, ...members },
    headers: { "x-sb-error-code": code, ...headers },
  });
}
