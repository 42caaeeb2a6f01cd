import { useEffect, useState } from "react";
import { Route, Routes, useNavigate, useParams } from "react-router";
import { Banner } from "../../components/banner.tsx";
import { FailureState } from "../../components/failure-state.tsx";
import { FormFrame } from "../../components/form-frame.tsx";
import { SAVED } from "../../components/leave-guard.tsx";
import { ButtonLink, Link } from "../../components/link.tsx";
import { NoSuchRow } from "../../components/no-such-row.tsx";
import { LoadedRow } from "../../components/one-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";
import { useInsertRow } from "../../data/changed-rows.ts";
import { getReturnPath, useAuthorizeTool, useFinishAuthorization } from "../../data/tool-authorizations.ts";
import { type ToolDraft, useTool } from "../../data/tools.ts";
import { readAuthorizationAnswer } from "./authorization-answer.ts";
import { ImportTools } from "./import-tools.tsx";
import { canBeTested, renderNew } from "./tool-draft.ts";
import { ToolFormFields } from "./tool-form.tsx";
import { ToolList } from "./tool-list.tsx";
import { ToolPage } from "./tool-page.tsx";
import { useToolForm } from "./use-tool-form.ts";

export function ToolsPage() {
  return (
    <Routes>
      <Route index element={<ToolList />} />
      <Route path="new" element={<NewTool />} />
      <Route path="import" element={<ImportTools />} />
      <Route path="authorized" element={<AuthorizedPage />} />
      <Route path="connect/:callId" element={<ConnectPage />} />
      <Route path=":id/:tab?" element={<LoadedRow noun="tool" useRead={useTool} page={ToolPage} />} />
      <Route path="*" element={<NoSuchRow noun="tool" />} />
    </Routes>
  );
}

/** The browser comes back here from an MCP server where the user has agreed, or has not. */
function AuthorizedPage() {
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

/** Sends the browser to the server where a waiting call needs an account. In a tab of its own, so that the conversation stays open. */
function ConnectPage() {
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

function NewTool() {
  const create = useInsertRow<ToolDraft>("tools");
  const { form, isDirty, isReadable, errors, change, noteReadable } = useToolForm(null, create.errors);
  const navigate = useNavigate();
  const toast = useToast();
  const submit = async () => {
    if (!isReadable) return toast({ text: "A field contains invalid JSON.", tone: "bad" });
    const tool = await create.run(renderNew(form));
    if (tool !== null) await navigate(`/tools/${tool.id}${canBeTested(form) ? "/test" : ""}`, { state: SAVED });
  };
  return (
    <>
      <PageHeader
        title="New tool"
        description={
          <>
            A request to an HTTPS URL, a function, the agents of a swarm, or schedules. For tools of an MCP server,{" "}
            <Link to="/tools/import">import them</Link>.
          </>
        }
        crumbs={[{ label: "Tools", to: "/tools" }]}
      />
      <FormFrame
        label="New tool"
        action="Create tool"
        isBusy={create.isBusy || create.isDone}
        isDirty={isDirty}
        failure={create.failure}
        errors={errors}
        onSubmit={() => void submit()}
        onCancel={() => void navigate("/tools")}
      >
        <ToolFormFields form={form} onChange={change} onReadable={noteReadable} errors={errors} />
      </FormFrame>
    </>
  );
}
