import { type Tool, useUpdateTool } from "../../data/tools.ts";
import { FormFrame } from "../../components/form-frame.tsx";
import { useToast } from "../../components/toast.tsx";
import { formOf, renderUpdate } from "./tool-draft.ts";
import { ToolFormFields } from "./tool-form.tsx";
import { useToolForm } from "./use-tool-form.ts";

export function EditTool({ tool }: { readonly tool: Tool }) {
  const update = useUpdateTool();
  const state = useToolForm(formOf(tool), update.errors);
  const { form, round, isDirty, isReadable, errors, change, noteReadable, reset } = state;
  const toast = useToast();
  const submit = async () => {
    if (!isReadable) return toast({ text: "A field contains invalid JSON.", tone: "bad" });
    if ((await update.run({ id: tool.id, change: renderUpdate(form, tool) })) !== null) reset();
  };
  return (
    <FormFrame
      label="Edit the tool"
      action="Save"
      cancel="Discard"
      needsChange
      isBusy={update.isBusy}
      isDirty={isDirty}
      failure={update.failure}
      errors={errors}
      onSubmit={() => void submit()}
      onCancel={() => {
        update.reset();
        reset();
      }}
    >
      <ToolFormFields key={round} form={form} onChange={change} onReadable={noteReadable} errors={errors} tool={tool} />
    </FormFrame>
  );
}
