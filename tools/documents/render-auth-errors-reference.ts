import { AUTH_ERRORS } from "../../server/src/auth/index.ts";

const HEAD = `<!-- Generated from server/src/auth/auth-error.ts by \`npm run generate -- reference\`. Do not edit by hand. -->

# Auth errors

This page is for developers who handle errors of accounts and sign-ins. It lists every code with its status and text.

An error under \`/auth/v1\` has one of these codes as \`error_code\` and in the header \`x-sb-error-code\`; the client library shows it as \`error.code\`.
With 401, 403 and 429, and for errors that no call under \`/auth/v1\` raises (404 of an unknown path, 405, 413, 415, …), \`code\` is [a code of
the service](errors.md).

| \`error_code\` | status | text |
|---|---|---|
`;

/** Renders docs/reference/auth-errors.md. */
export function renderAuthErrorsReference(): string {
  const rows = Object.entries(AUTH_ERRORS).map(
    ([code, { status, message }]) => `| \`${code}\` | ${status} | ${message} |\n`,
  );
  return HEAD + rows.join("");
}
