import { type OperatorPage, useOperatorPages, useOperatorWrite } from "./operator.ts";
import type { Pages } from "./rows.ts";
import type { Write } from "./write.ts";

/** A program that may ask people for access: an OAuth client. */
export interface Program {
  readonly client_id: string;
  readonly client_name: string;
  readonly client_type: "public" | "confidential";
  readonly registration_type: "manual" | "dynamic" | "document";
  readonly redirect_uris: readonly string[];
  /** Without it, the program may ask for all that its registration permits. */
  readonly scope?: string;
  readonly created_at: string;
  /** Only in the answer that made it. */
  readonly client_secret?: string;
}

type ProgramFields = Pick<Program, "client_name" | "redirect_uris" | "scope"> & {
  readonly token_endpoint_auth_method?: string;
};

const NOUN = "oauth-clients";
const NO_FILTER = {};

export function usePrograms(): Pages<Program> {
  return useOperatorPages(`/${NOUN}`, NO_FILTER, readPage);
}

function readPage(body: { readonly clients: readonly Program[]; readonly next: string | null }): OperatorPage<Program> {
  return { rows: body.clients, next: body.next === null ? null : { page: body.next } };
}

/** Without an id, registers a program. */
export function useSaveProgram(id: string): Write<ProgramFields, Program> {
  return useOperatorWrite(NOUN, (body) => ({ method: id === "" ? "POST" : "PATCH", path: pathOf(id), body }));
}

/** The secret before it ends at once. */
export function useRenewSecret(id: string): Write<void, Program> {
  return useOperatorWrite(NOUN, () => ({ method: "POST", path: `${pathOf(id)}/regenerate_secret` }));
}

export function useDeleteProgram(id: string): Write<void, unknown> {
  return useOperatorWrite(NOUN, () => ({ method: "DELETE", path: pathOf(id) }));
}

function pathOf(id: string): string {
  return id === "" ? `/${NOUN}` : `/${NOUN}/${encodeURIComponent(id)}`;
}
