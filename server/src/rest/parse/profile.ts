import { restError } from "../rest-error.ts";
import { reread } from "./decode-text.ts";
import type { Method } from "./parsed-request.ts";

export interface Profile {
  readonly schema: string;
  readonly isProfileGiven: boolean;
}

export interface ProfileHeaders {
  readonly accept: string | undefined;
  readonly content: string | undefined;
}

/** The schema of a request, which reads and writes select by different headers. */
export function parseProfile(method: Method, headers: ProfileHeaders, schemas: readonly string[]): Profile {
  const header = headerFor(method) === "accept" ? headers.accept : headers.content;
  const [usual = ""] = schemas;
  if (header === undefined) return { schema: usual, isProfileGiven: false };
  const schema = reread(header).trim();
  if (!schemas.includes(schema)) {
    throw restError("PGRST106", `Invalid schema: ${schema}`, {
      hint: `Only the following schemas are exposed: ${schemas.join(", ")}`,
    });
  }
  return { schema, isProfileGiven: true };
}

function headerFor(method: Method): keyof ProfileHeaders {
  switch (method) {
    case "GET":
    case "HEAD":
    case "OPTIONS":
      return "accept";
    case "POST":
    case "PATCH":
    case "PUT":
    case "DELETE":
      return "content";
  }
}
