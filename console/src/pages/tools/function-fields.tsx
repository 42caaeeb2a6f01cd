import { bindForm, type FieldsProps, TextField } from "../../components/form-fields.tsx";
import { Choice } from "./choice.tsx";
import type { ToolForm } from "./tool-draft.ts";

/** The function of the database or of the app that a tool calls. */
export function FunctionFields(props: FieldsProps<ToolForm>) {
  const { form, errors } = props;
  const bind = bindForm(props, { functionSchema: "schema", mayWrite: "writes" });
  const isDatabase = form.kind === "rpc";
  return (
    <div className="grid gap-5">
      <div className={isDatabase ? "grid gap-5 sm:grid-cols-[minmax(0,1fr)_10rem]" : "grid gap-5"}>
        <TextField
          label="Function"
          hint={
            isDatabase
              ? "Called with the rights of the person who asks. A description or arguments that you leave empty come from the function."
              : "A name of the app's functions file. The function gets the person who asks."
          }
          required
          autoComplete="off"
          spellCheck={false}
          placeholder={isDatabase ? "list_my_orders" : "refund"}
          {...bind("functionName")}
          error={errors["function"] ?? errors["config"]}
        />
        {isDatabase && (
          <TextField
            label="Schema"
            isOptional
            autoComplete="off"
            spellCheck={false}
            placeholder="public"
            {...bind("functionSchema")}
          />
        )}
      </div>
      {isDatabase && (
        <Choice
          label="May write"
          hint="Otherwise the database rejects every write of the function."
          {...bind("mayWrite")}
        />
      )}
    </div>
  );
}
