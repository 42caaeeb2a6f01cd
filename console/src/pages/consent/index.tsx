import { useEffect } from "react";
import { useSearchParams } from "react-router";
import { isFollowable, isGone, useAnswer, useAuthorization } from "../../data/connected-programs.ts";
import { buttonStyle } from "../../components/button.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { PageSkeleton } from "../../components/skeleton.tsx";
import { ConsentForm } from "./consent-form.tsx";

/** Where a program sends the browser of a person whom it asks for access. */
export function ConsentPage() {
  const [params] = useSearchParams();
  const id = params.get("authorization_id") ?? "";
  const { rows: asked, ...read } = useAuthorization(id);
  const answer = useAnswer(id);
  if (isGone(read.failure) || isGone(answer.failure)) return <Gone />;
  if (asked === undefined)
    return <NotLoaded title="The request could not be loaded" read={read} skeleton={<PageSkeleton />} />;
  if (!("authorization_id" in asked)) return <Leaving url={asked.redirect_url} redirectUri={null} />;
  if (answer.url !== null) return <Leaving url={answer.url} redirectUri={asked.redirect_uri} />;
  return <ConsentForm asked={asked} answer={answer} />;
}

/** The service says the same of requests that have ended and of those of others, so that nobody learns of them. */
function Gone() {
  return (
    <>
      <PageHeader
        title="This request cannot be answered"
        description="It is more than ten minutes old, has been answered, or was opened with another account. Go back to the program and connect it again."
      />
      <ButtonLink to="/account/programs">Connected programs</ButtonLink>
    </>
  );
}

/** A program on this computer opens beside the page, which then stays. */
function Leaving({ url, redirectUri }: { readonly url: string; readonly redirectUri: string | null }) {
  const isSafe = isFollowable(url, redirectUri);
  useEffect(() => {
    // The request is over, so the way back does not lead here.
    if (isSafe) location.replace(url);
  }, [isSafe, url]);
  return (
    <>
      <PageHeader
        title={isSafe ? "Going back to the program" : "The program cannot be reached"}
        description={
          isSafe
            ? "You can close this page when the program has continued."
            : "It wants the answer at an address that a browser must not open. Tell whoever makes the program."
        }
      />
      {isSafe && (
        <a href={url} className={buttonStyle()}>
          Continue
        </a>
      )}
    </>
  );
}
