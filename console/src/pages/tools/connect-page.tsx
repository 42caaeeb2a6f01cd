import { useEffect } from "react";
import { useParams } from "react-router";
import { useAuthorizeTool } from "../../data/tool-authorizations.ts";
import { FailureState } from "../../components/failure-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";

/** Sends the browser to the server where a waiting call needs an account. In a tab of its own, so that the conversation stays open. */
export function ConnectPage() {
  const { callId = "" } = useParams();
  const { run, failure } = useAuthorizeTool();
  const connect = () => void run({ at: { tool_execution_id: callId }, returnTo: "/account/connections" });
  // Once: each attempt replaces the one before.
  useEffect(() => {
    connect();
  }, [callId, run]);
  return (
    <>
      <PageHeader title="Connecting an account" />
      {failure === null ? (
        <Skeleton className="h-12" />
      ) : (
        <FailureState title="The account cannot be connected." message={failure.message} onRetry={connect} />
      )}
    </>
  );
}
