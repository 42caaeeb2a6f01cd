import { LinkFailed } from "./link-failed.tsx";

/** Where links in mails lead. Who has come in by one is sent on by the layout, so that only a failure is left to be shown. */
export function Welcome() {
  return <LinkFailed again="/magic-link" />;
}
