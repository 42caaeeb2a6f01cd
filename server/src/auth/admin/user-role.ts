import { authError } from "../auth-error.ts";

const ROLE = /^[a-z][a-z0-9_]{0,62}$/;
/** A token with one of these would be more, or less, than a user's. */
const RESERVED = /^(?:anon|service_role|authenticator|postgres|public|none|(?:supabase|swarmbase|sb|pg|dashboard)_.*)$/;

export function parseUserRole(text: string): string {
  if (!ROLE.test(text)) throw authError("validation_failed", "role must be a name in lower case");
  if (RESERVED.test(text)) throw authError("validation_failed", `role ${text} cannot be given to a user`);
  return text;
}
