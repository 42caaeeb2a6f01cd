import { Columns2, MessageSquareText, RotateCw } from "lucide-react";
import { useState } from "react";
import { useNavigate } from "react-router";
import { Avatar } from "../../components/avatar.tsx";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { useCommands } from "../../components/commands.tsx";
import { FormFrame } from "../../components/form-frame.tsx";
import { ButtonLink } from "../../components/link.tsx";
import { isMissing, PageNotLoaded } from "../../components/no-such-row.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { PathTabs } from "../../components/path-tabs.tsx";
import { ShowCode } from "../../components/show-code.tsx";
import { StatusBadge } from "../../components/status-dot.tsx";
import { useToast } from "../../components/toast.tsx";
import { useEditedRow } from "../../components/use-edited-row.ts";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { writeCurl } from "../../components/write-snippets.ts";
import { type Agent, type AgentDraft, useAgent } from "../../data/agents.ts";
import { useUpdateRow } from "../../data/changed-rows.ts";
import { useDraftsOf } from "../../data/drafts.ts";
import { useSaveEdit } from "../../data/save-edit.ts";
import { Activity } from "./activity.tsx";
import { AgentMenu } from "./agent-card.tsx";
import { draftOf, isSameDraft, tidyDraft, touchParts } from "./agent-draft.ts";
import { AgentForm } from "./agent-form.tsx";
import { AssignedTools } from "./assigned-tools.tsx";
import { History } from "./history.tsx";
import { Overview } from "./overview.tsx";
import { CustomersTab } from "./publish/customers-tab.tsx";
import { PublishTab } from "./publish/publish-tab.tsx";
import { TryPanel } from "./try-panel.tsx";

export function AgentPage({ id }: { readonly id: string }) {
  const read = useAgent(id);
  const drafts = useDraftsOf(id);
  if (read.rows === undefined || isMissing(read)) return <PageNotLoaded noun="agent" read={read} drafts={drafts} />;
  return <Page agent={read.rows} />;
}

function Page({ agent }: { readonly agent: Agent }) {
  const navigate = useNavigate();
  const path = `/agents/${agent.id}`;
  const tabs = [
    { value: "overview", label: "Overview", content: <Overview agent={agent} /> },
    { value: "settings", label: "Settings", content: <EditAgent agent={agent} /> },
    { value: "tools", label: "Tools", content: <AssignedTools agent={agent} /> },
    { value: "try", label: "Try it", content: <TryPanel agent={agent} /> },
    { value: "activity", label: "Activity", content: <Activity agent={agent} /> },
    { value: "history", label: "History", content: <History agent={agent} /> },
    { value: "publish", label: "Publish", content: <PublishTab agent={agent} /> },
    { value: "customers", label: "Customers", content: <CustomersTab agent={agent} /> },
  ];
  useCommands(
    tabs.map(({ value, label }) => ({
      id: `agent.${value}`,
      label: `${agent.name}: ${label.toLowerCase()}`,
      group: "This agent",
      icon: <MessageSquareText />,
      run: () => void navigate(value === "overview" ? path : `${path}/${value}`),
    })),
  );
  return (
    <>
      <PageHeader
        title={agent.name}
        crumbs={[{ label: "Agents", to: "/agents" }]}
        lead={<Avatar name={agent.name} seed={agent.id} shape="agent" />}
        // Below the name, because the width of the badge changes.
        description={
          <span className="flex min-w-0 items-center gap-2.5 pt-1.5">
            <StatusBadge status={agent.status} />
            {agent.role !== null && <span className="min-w-0">{agent.role}</span>}
          </span>
        }
        actions={
          <>
            <ButtonLink to={`/playground?agent=${agent.id}`} icon={<Columns2 />}>
              Playground
            </ButtonLink>
            <AgentCode agent={agent} />
            <AgentMenu agent={agent} />
          </>
        }
      />
      {agent.status === "error" && <InError agent={agent} />}
      <PathTabs label="Parts of the agent" path={path} tabs={tabs} />
    </>
  );
}

function InError({ agent }: { readonly agent: Agent }) {
  const setStatus = useUpdateRow<Pick<Agent, "id" | "status">>("agents");
  return (
    <div className="mb-5">
      <Banner
        tone="bad"
        action={
          <Button
            size="small"
            icon={<RotateCw />}
            isBusy={setStatus.isBusy}
            onClick={() => void setStatus.run({ id: agent.id, status: "idle" })}
          >
            Set to idle
          </Button>
        }
      >
        The last turn failed; see the activity for the reason. The next turn resets the status.
      </Banner>
    </div>
  );
}

/** Snippets that read the agent, update it and subscribe to its status. */
function AgentCode({ agent }: { readonly agent: Agent }) {
  const id = agent.id;
  const settings = { ...agent.settings, temperature: agent.settings.temperature ?? 0.7 };
  const curl = [
    "# the agent with its tools",
    writeCurl({ path: `/rest/v1/agents?id=eq.${id}&select=*,agent_tools(enabled,configuration,tool(*))` }),
    "",
    "# settings are replaced as a whole",
    writeCurl({ method: "PATCH", path: `/rest/v1/agents?id=eq.${id}`, body: { settings }, returnsRows: true }),
  ].join("\n");
  const supabaseJs = `// the agent with its tools
const { data: agent } = await supabase
  .from("agents")
  .select("*, agent_tools(enabled, configuration, tool(*))")
  .eq("id", ${JSON.stringify(id)})
  .single();

// settings are replaced as a whole
await supabase
  .from("agents")
  .update({ settings: { ...agent.settings, temperature: ${settings.temperature} } })
  .eq("id", agent.id);

// its status, as it changes
supabase
  .channel("agent")
  .on(
    "postgres_changes",
    { event: "UPDATE", schema: "public", table: "agents", filter: \`id=eq.\${agent.id}\` },
    (change) => console.log(change.new.status),
  )
  .subscribe();`;
  return <ShowCode title={`${agent.name} from code`} curl={curl} supabaseJs={supabaseJs} />;
}

function EditAgent({ agent }: { readonly agent: Agent }) {
  const [changes, setChanges] = useState<Partial<AgentDraft>>({});
  const base = useEditedRow(agent, Object.keys(changes).length > 0);
  const save = useSaveEdit<Agent, Partial<AgentDraft>>("agents");
  const undo = useSaveEdit<Agent, Partial<AgentDraft>>("agents");
  const { errors, touch } = useFreshErrors(save.errors);
  const toast = useToast();
  const stored = draftOf(base);
  const draft = { ...stored, ...changes };
  const touched = Object.keys(changes) as (keyof AgentDraft)[];
  const pick = (from: AgentDraft) => Object.fromEntries(touched.map((field) => [field, from[field]]));
  const finish = (saved: Agent | null) => {
    if (saved === null) return;
    setChanges({});
    const takeBack = async () => {
      if ((await undo.run({ base: saved, change: pick(stored) })) === null)
        toast({ text: `${saved.name} was changed again, so this was not undone.`, tone: "bad" });
    };
    toast({
      text: `${saved.name} is saved. The changes apply to its next turn.`,
      action: { label: "Undo", run: () => void takeBack() },
    });
  };
  return (
    <FormFrame
      label="Settings"
      action="Save"
      cancel="Discard"
      needsChange
      isBusy={save.isBusy}
      isDirty={!isSameDraft(draft, stored)}
      failure={save.failure}
      errors={errors}
      onSubmit={() => void save.run({ base, change: pick(tidyDraft(draft)) }).then(finish)}
      onResolve={(choice) => void save.resolve(choice).then(finish)}
      onCancel={() => {
        save.reset();
        setChanges({});
      }}
    >
      <AgentForm
        draft={draft}
        onChange={(part) => {
          setChanges((old) => ({ ...old, ...part }));
          touchParts(touch, draft, part);
        }}
        errors={errors}
      />
    </FormFrame>
  );
}
