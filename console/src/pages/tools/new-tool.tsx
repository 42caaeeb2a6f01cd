import { useNavigate } from "react-router";
import type { ToolDraft } from "../../data/tools.ts";
import { useInsertRow } from "../../data/changed-rows.ts";
import { FormFrame } from "../../components/form-frame.tsx";
import { SAVED } from "../../components/leave-guard.tsx";
import { Link } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useToast } from "../../components/toast.tsx";
import { canBeTested, renderNew } from "./tool-draft.ts";
import { ToolFormFields } from "./tool-form.tsx";
import { useToolForm } from "./use-tool-form.ts";

export function NewTool() {
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
