import { useUser } from "../../data/session.ts";
import { type Tool, useTool } from "../../data/tools.ts";
import { FailureState } from "../../components/failure-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { PathTabs } from "../../components/path-tabs.tsx";
import { PageSkeleton } from "../../components/skeleton.tsx";
import { ToolIcon } from "../../components/tool-icon.tsx";
import { DeleteTool } from "./delete-tool.tsx";
import { EditTool } from "./edit-tool.tsx";
import { TestTool } from "./test-tool.tsx";
import { ToolBadges } from "./tool-badges.tsx";
import { ToolCalls } from "./tool-calls.tsx";
import { ToolCode } from "./tool-code.tsx";
import { ToolGone } from "./tool-gone.tsx";
import { ToolOverview } from "./tool-overview.tsx";

const CLIENT_FAULTS = new Set([400, 403, 404, 406]);

export function ToolPage({ id }: { readonly id: string }) {
  const { rows: tool, failure, reload } = useTool(id);
  if (failure !== null && CLIENT_FAULTS.has(failure.status)) return <ToolGone />;
  if (tool !== undefined) return <Page tool={tool} />;
  if (failure === null) return <PageSkeleton />;
  return <FailureState title="The tool could not be loaded." message={failure.message} onRetry={reload} />;
}

function Page({ tool }: { readonly tool: Tool }) {
  const user = useUser();
  const isMine = tool.owner_id === user.id;
  const isOfApp = tool.kind === "client";
  const canTest = !isOfApp && (isMine || tool.kind === "builtin");
  const tabs = [
    { value: "overview", label: "Overview", content: <ToolOverview tool={tool} /> },
    ...(canTest ? [{ value: "test", label: "Test call", content: <TestTool tool={tool} /> }] : []),
    ...(isMine && !isOfApp ? [{ value: "edit", label: "Edit", content: <EditTool tool={tool} /> }] : []),
    { value: "calls", label: "Calls", content: <ToolCalls tool={tool} /> },
  ];
  return (
    <>
      <PageHeader
        title={tool.name}
        description={tool.description}
        crumbs={[{ label: "Tools", to: "/tools" }]}
        lead={<ToolIcon tool={tool} />}
        trailing={
          <span className="flex flex-wrap gap-1.5">
            <ToolBadges tool={tool} userId={user.id} />
          </span>
        }
        actions={
          <>
            <ToolCode tool={tool} />
            {isMine && <DeleteTool tool={tool} />}
          </>
        }
      />
      <PathTabs label="Parts of the tool" path={`/tools/${tool.id}`} tabs={tabs} />
    </>
  );
}
