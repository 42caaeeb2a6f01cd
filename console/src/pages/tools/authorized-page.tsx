import { useEffect, useState } from "react";
import { useNavigate } from "react-router";
import { getReturnPath, useFinishAuthorization } from "../../data/tool-authorizations.ts";
import { Banner } from "../../components/banner.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";
import { readAuthorizationAnswer } from "./authorization-answer.ts";

/** The browser comes back here from an MCP server where the user has agreed, or has not. */
export function AuthorizedPage() {
  const [answer] = useState(() => readAuthorizationAnswer(location.hash));
  const { run, failure } = useFinishAuthorization();
  const navigate = useNavigate();
  const toast = useToast();
  useEffect(() => {
    if ("refusal" in answer) return;
    // The code works once and must not stay in the history.
    history.replaceState(history.state, "", location.pathname);
    void run(answer).then((url) => {
      if (url === null) return;
      toast({ text: `Connected to ${URL.parse(url)?.host ?? url}.` });
      return navigate(getReturnPath(), { replace: true });
    });
    // Once: a code works once.
  }, [answer, run]);
  const message = "refusal" in answer ? answer.refusal : (failure?.message ?? null);
  return (
    <>
      <PageHeader title="Connecting to the server" crumbs={[{ label: "Tools", to: "/tools" }]} />
      {message === null ? (
        <Skeleton className="h-12" />
      ) : (
        <div className="grid grid-cols-1 justify-items-start gap-4">
          <Banner tone="bad">The service is not connected: {message}</Banner>
          <ButtonLink to={getReturnPath()}>Back</ButtonLink>
        </div>
      )}
    </>
  );
}
