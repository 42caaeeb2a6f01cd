import { useLayoutEffect } from "react";
import { ButtonLink, Link } from "../../components/link.tsx";
import { EntryHead } from "./entry-head.tsx";

/** A link from a mail that brought nobody in. */
export function LinkFailed({ again }: { readonly again: string }) {
  useLayoutEffect(() => {
    // Whatever the link left in the address is of no more use, and nobody should copy it.
    history.replaceState(history.state, "", location.pathname);
  }, []);
  return (
    <>
      <EntryHead title="This link does not work">
        It works once, for a short time, and only in the browser in which it was asked for.
      </EntryHead>
      <div className="flex flex-wrap items-center gap-4">
        <ButtonLink to={again} variant="primary">
          Ask for a new one
        </ButtonLink>
        <Link to="/sign-in">Sign in</Link>
      </div>
    </>
  );
}
