import { LinkFailed } from "./link-failed.tsx";

/** The page that links in mails open. The layout redirects signed-in users, so only failures are shown here. */
export function Welcome() {
  return <LinkFailed again="/magic-link" />;
}
