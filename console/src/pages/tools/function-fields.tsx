import { Field } from "../../components/field.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";
import { Choice } from "./choice.tsx";
import type { RequestFieldsProps } from "./request-fields.tsx";

/** The function of the database or of the app that a tool calls. */
export function FunctionFields({ form, onChange, errors }: Pick<RequestFieldsProps, "form" | "onChange" | "errors">) {
  const isDatabase = form.kind === "rpc";
  return (
    <div className="grid gap-5">
      <div className={isDatabase ? "grid gap-5 sm:grid-cols-[minmax(0,1fr)_10rem]" : "grid gap-5"}>
        <Field
          label="Function"
          error={errors["function"] ?? errors["config"]}
          hint={
            isDatabase
              ? "Called with the rights of the person who asks. A description or arguments that you leave empty come from the function."
              : "A name of the app's functions file. The function gets the person who asks."
          }
        >
          <TextInput
            required
            autoComplete="off"
            spellCheck={false}
            placeholder={isDatabase ? "list_my_orders" : "refund"}
            {...typed(form.functionName, (functionName) => onChange({ functionName }))}
          />
        </Field>
        {isDatabase && (
          <Field label="Schema" isOptional error={errors["schema"]}>
            <TextInput
              autoComplete="off"
              spellCheck={false}
              placeholder="public"
              {...typed(form.functionSchema, (functionSchema) => onChange({ functionSchema }))}
            />
          </Field>
        )}
      </div>
      {isDatabase && (
        <Choice
          label="May write"
          hint="Otherwise the database rejects every write of the function."
          isOn={form.mayWrite}
          error={errors["writes"]}
          onChange={(mayWrite) => onChange({ mayWrite })}
        />
      )}
    </div>
  );
}
