import { Badge, type Tone } from "../../components/badge.tsx";
import type { Column } from "../../components/data-table.tsx";
import { DeleteMenu } from "../../components/delete-menu.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { FormFrame } from "../../components/form-frame.tsx";
import { formatCount, formatDuration } from "../../components/formats.ts";
import { List } from "../../components/list-page.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { PathTabs } from "../../components/path-tabs.tsx";
import { ShowCode } from "../../components/show-code.tsx";
import { useToast } from "../../components/toast.tsx";
import { ToolIcon } from "../../components/tool-icon.tsx";
import { whenColumn } from "../../components/when-column.tsx";
import { writeCurl } from "../../components/write-snippets.ts";
import { useToolUsers } from "../../data/agent-tools.ts";
import { useDeleteRow } from "../../data/changed-rows.ts";
import { useSaveEdit } from "../../data/save-edit.ts";
import { useUser } from "../../data/session.ts";
import { type Tool, type ToolCall, type ToolUpdate, useToolCalls } from "../../data/tools.ts";
import { readArguments } from "./arguments.ts";
import { TestTool } from "./test-tool.tsx";
import { ToolBadges } from "./tool-badges.tsx";
import { canBeTested, FORM_KINDS, renderUpdate } from "./tool-draft.ts";
import { ToolFormFields } from "./tool-form.tsx";
import { ToolOverview } from "./tool-overview.tsx";
import { useToolForm } from "./use-tool-form.ts";

const STYLES: Readonly<Record<ToolCall["status"], { readonly tone: Tone; readonly word: string }>> = {
  pending_approval: { tone: "thinking", word: "Waiting for approval" },
  pending_client: { tone: "thinking", word: "Waiting for the app" },
  waiting: { tone: "thinking", word: "Waiting" },
  running: { tone: "responding", word: "Running" },
  succeeded: { tone: "good", word: "Succeeded" },
  failed: { tone: "bad", word: "Failed" },
  denied: { tone: "neutral", word: "Denied" },
  timed_out: { tone: "bad", word: "Timed out" },
  cancelled: { tone: "neutral", word: "Cancelled" },
};
const COLUMNS: readonly Column<ToolCall>[] = [
  {
    title: "Call",
    width: "10rem",
    narrow: "title",
    text: ({ status }) => status,
    render: ({ status }) => <Badge tone={STYLES[status].tone}>{STYLES[status].word}</Badge>,
  },
  {
    title: "Result",
    width: "3fr",
    render: ({ error, output_chars: chars }) =>
      error === null ? (chars === null ? "" : `${formatCount(chars)} characters`) : error.message,
  },
  { title: "Duration", isNumber: true, render: ({ duration_ms: ms }) => (ms === null ? "" : formatDuration(ms)) },
  { title: "Attempts", isNumber: true, render: ({ attempts }) => formatCount(attempts) },
  whenColumn(),
];

export function ToolPage({ row: tool }: { readonly row: Tool }) {
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

function EditTool({ tool }: { readonly tool: Tool }) {
  const save = useSaveEdit<Tool, ToolUpdate>("tools");
  const state = useToolForm(tool, save.errors);
  const { base, form, round, isDirty, isReadable, errors, change, noteReadable, reset } = state;
  const toast = useToast();
  const finish = (saved: Tool | null) => {
    if (saved !== null) reset();
  };
  const submit = () => {
    if (!isReadable) return toast({ text: "A field contains invalid JSON.", tone: "bad" });
    return void save.run({ base, change: renderUpdate(form, base) }).then(finish);
  };
  return (
    <FormFrame
      label="Edit the tool"
      action="Save"
      cancel="Discard"
      needsChange
      isBusy={save.isBusy}
      isDirty={isDirty}
      failure={save.failure}
      errors={errors}
      onSubmit={submit}
      onResolve={(choice) => void save.resolve(choice).then(finish)}
      onCancel={() => {
        save.reset();
        reset();
      }}
    >
      <ToolFormFields key={round} form={form} onChange={change} onReadable={noteReadable} errors={errors} tool={base} />
    </FormFrame>
  );
}

/** The calls of the tool in swarms of the user. */
function ToolCalls({ tool }: { readonly tool: Tool }) {
  return (
    <List
      noun="calls"
      pages={useToolCalls(tool.id)}
      empty={
        <EmptyState picture="events" title="Not called yet">
          Lists the calls by agents in all swarms that you are in, with duration and errors. Test calls are not stored.
        </EmptyState>
      }
      table={{
        columns: COLUMNS,
        onOpen: {
          label: ({ status, created_at: at }) => `Open the run of the call (${STYLES[status].word}) at ${at}`,
          to: ({ run_id: runId }) => `/runs/${runId}`,
        },
      }}
    />
  );
}

/** Snippets that call the tool and assign it to an agent. */
function ToolCode({ tool }: { readonly tool: Tool }) {
  const input = Object.fromEntries(
    readArguments(tool.input_schema)
      .filter(({ isRequired }) => isRequired)
      .map(({ name }) => [name, "…"]),
  );
  const test = { action: "test", tool_id: tool.id, input };
  const assignment = { agent_id: "<agent id>", tool_id: tool.id, enabled: true, configuration: {} };
  const curl = [
    "# one real call",
    writeCurl({ method: "POST", path: "/functions/v1/tools", body: test }),
    "",
    "# assign it to an agent",
    writeCurl({ method: "POST", path: "/rest/v1/agent_tools", body: assignment, returnsRows: true }),
  ].join("\n");
  const supabaseJs = `// one real call
const { data: outcome } = await supabase.functions.invoke("tools", {
  body: ${JSON.stringify(test, null, 2).replaceAll("\n", "\n  ")},
});
console.log(outcome.success, outcome.output);

// assign it to an agent
await supabase.from("agent_tools").insert({
  agent_id: agentId,
  tool_id: ${JSON.stringify(tool.id)},
  enabled: true,
  configuration: {},
});`;
  return <ShowCode title={`${tool.name} from code`} curl={curl} supabaseJs={supabaseJs} />;
}

function DeleteTool({ tool }: { readonly tool: Tool }) {
  const { rows: users } = useToolUsers(tool.id);
  const count = users?.length ?? 0;
  return (
    <DeleteMenu row={tool} noun="tool" remove={useDeleteRow("tools")} listPath="/tools">
      {count > 0 && `${count === 1 ? "One of your agents has" : `${count} of your agents have`} this tool. `}
      The tool, its secrets and its assignments are deleted. This cannot be undone. Past calls stay in the runs.
    </DeleteMenu>
  );
}
