import { AppError } from "../../errors/index.ts";
import { html } from "../../html/index.ts";
import type { RenderAuthError } from "../call.ts";

/** The errors of RFC 6749, 7009, 8707 and of OpenID Connect that the service answers. */
type OAuthErrorCode =
  | "access_denied"
  | "invalid_client"
  | "invalid_grant"
  | "invalid_request"
  | "invalid_scope"
  | "invalid_target"
  | "login_required"
  | "request_not_supported"
  | "request_uri_not_supported"
  | "unauthorized_client"
  | "unsupported_grant_type"
  | "unsupported_response_type";

interface OAuthErrorExtra {
  readonly status?: number;
  readonly headers?: Record<string, string>;
}

export function oauthError(code: OAuthErrorCode, message: string, { status = 400, ...rest }: OAuthErrorExtra = {}) {
  return new AppError("BAD_REQUEST", message, { ...rest, foreign: { code, status }, members: { oauth_error: code } });
}

/** Returns null when the error is none of the protocol. */
export function oauthCodeOf({ extra: { members } }: AppError): string | null {
  const code = members?.["oauth_error"];
  return typeof code === "string" ? code : null;
}

/** In the form of RFC 6749, section 5.2, also what was rejected before the endpoint. */
export const renderOAuthError: RenderAuthError = (error) => ({
  status: error.status,
  headers: { "cache-control": "no-store" },
  body: JSON.stringify({
    error: oauthCodeOf(error) ?? (error.status === 429 || error.status >= 500 ? "server_error" : "invalid_request"),
    error_description: error.message,
  }),
});

/** For a browser that cannot be sent back, because nobody has proven where to. */
export const renderErrorPage: RenderAuthError = (error, request) => {
  if (request.headers.accept?.includes("text/html") !== true) return renderOAuthError(error, request);
  const { markup } =
    html`<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>The program cannot be connected</title><h1>The program cannot be connected</h1><p>${error.message}.</p><p>Go back to the program and start again. If this happens again, tell those who make the program.</p></html>`;
  const headers = { "cache-control": "no-store", "content-type": "text/html; charset=utf-8" };
  return { status: error.status, headers: { ...headers, "referrer-policy": "no-referrer" }, body: markup };
};
