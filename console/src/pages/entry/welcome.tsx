import { Navigate } from "react-router";
import { describeReturnedError } from "../../data/returned-error.ts";
import { LinkFailed } from "./link-failed.tsx";
import { readKeptFrom } from "./where-from.ts";

/**
 * The page that links in mails and providers open. The layout redirects signed-in users, so only failures are shown here, or on the
 * page to sign in if a provider sent the browser back.
 */
export function Welcome() {
  if (describeReturnedError() === null) return <LinkFailed again="/magic-link" />;
  return <Navigate to="/sign-in" replace state={{ from: readKeptFrom() }} />;
}
