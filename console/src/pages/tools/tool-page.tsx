import { useUser } from "../../data/session.ts";
import { type Tool, useTool } from "../../data/tools.ts";
import { isMissing, PageNotLoaded } from "../../components/no-such-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { PathTabs } from "../../components/path-tabs.tsx";
import { ToolIcon } from "../../components/tool-icon.tsx";
import { DeleteTool } from "./delete-tool.tsx";
import { EditTool } from "./edit-tool.tsx";
import { TestTool } from "./test-tool.tsx";
import { ToolBadges } from "./tool-badges.tsx";
import { canBeTested, FORM_KINDS } from "./tool-draft.ts";
import { ToolCalls } from "./tool-calls.tsx";
import { ToolCode } from "./tool-code.tsx";
import { ToolOverview } from "./tool-overview.tsx";

export function ToolPage({ id }: { readonly id: string }) {
  const read = useTool(id);
  if (read.rows === undefined || isMissing(read)) return <PageNotLoaded noun="tool" read={read} />;
  return <Page tool={read.rows} />;
}

function Page({ tool }: { readonly tool: Tool }) {
  const user = useUser();
  const isMine = tool.owner_id === user.id;
  const isOfApp = tool.kind === "client";
  const isEditable = isMine && FORM_KINDS.some((kind) => kind === tool.kind);
  const canTest = !isOfApp && canBeTested(tool) && (isMine || tool.kind === "builtin");
  const tabs = [
    { value: "overview", label: "Overview", content: <ToolOverview tool={tool} /> },
    ...(canTest ? [{ value: "test", label: "Test call", content: <TestTool tool={tool} /> }] : []),
    ...(isEditable ? [{ value: "edit", label: "Edit", content: <EditTool tool={tool} /> }] : []),
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
