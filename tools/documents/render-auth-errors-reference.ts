import { AUTH_ERRORS } from "../../server/src/auth/index.ts";

const HEAD = `<!-- Generated from server/src/auth/auth-error.ts by \`npm run docs:reference\`. Do not edit by hand. -->

# Auth errors

What a refusal under \`/auth/v1\` has as \`error_code\`, in the header \`x-sb-error-code\`, and in the client library as \`error.code\`.
With 401, 403 and 429, \`code\` is the [interface's own](errors.md).

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
