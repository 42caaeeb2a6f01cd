import { useLayoutEffect } from "react";
import { ButtonLink, Link } from "../../components/link.tsx";
import { EntryHead } from "./entry-head.tsx";

/** Shown when a link from a mail does not work. */
export function LinkFailed({ again }: { readonly again: string }) {
  useLayoutEffect(() => {
    // Removes the parameters of the link from the URL, so that they are not copied.
    history.replaceState(history.state, "", location.pathname);
  }, []);
  return (
    <>
      <EntryHead title="This link does not work">
        Links work once, for a short time, and only in the browser that requested them.
      </EntryHead>
      <div className="flex flex-wrap items-center gap-4">
        <ButtonLink to={again} variant="primary">
          Request a new link
        </ButtonLink>
        <Link to="/sign-in">Sign in</Link>
      </div>
    </>
  );
}
