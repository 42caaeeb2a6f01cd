import type { Tool } from "../../data/tools.ts";
import { useSaveTool } from "../../data/saved-rows.ts";
import { FormFrame } from "../../components/form-frame.tsx";
import { useToast } from "../../components/toast.tsx";
import { renderUpdate } from "./tool-draft.ts";
import { ToolFormFields } from "./tool-form.tsx";
import { useToolForm } from "./use-tool-form.ts";

export function EditTool({ tool }: { readonly tool: Tool }) {
  const save = useSaveTool();
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
