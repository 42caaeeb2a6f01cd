import type { AuthContext } from "./auth-context.ts";
import { hasUsers } from "./sql/users.ts";

/** Returns a function that tells whether a visitor can make the first account of the service. It asks the database until there is one. */
export function watchFirstStart({ pool, settings }: Pick<AuthContext, "pool" | "settings">): () => Promise<boolean> {
  let isOver = !settings.authSignupEnabled;
  return async () => {
    if (isOver) return false;
    try {
      isOver = await hasUsers(pool);
    } catch {
      // The console also loads while the database is away, and then asks to sign in.
      return false;
    }
    return !isOver;
  };
}
