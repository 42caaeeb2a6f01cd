import { FIELD_BOUNDS } from "@swarmbase/sdk";
import type { AgentDraft } from "../../data/agents.ts";
import { bindForm, type FieldsProps, TextAreaField, TextField } from "../../components/form-fields.tsx";
import { formatCount } from "../../components/formats.ts";

const BOUNDS = {
  name: FIELD_BOUNDS["agents.name"],
  role: FIELD_BOUNDS["agents.role"],
  prompt: FIELD_BOUNDS["agents.system_prompt"],
  description: FIELD_BOUNDS["agents.description"],
  questions: FIELD_BOUNDS["agents.starter_questions"],
} as const;

export function IdentityFields(props: FieldsProps<AgentDraft>) {
  const { name, role, description, starter_questions: questions, system_prompt: prompt } = props.form;
  const bind = bindForm(props);
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        <TextField
          label="Name"
          trailing={<Length text={name} max={BOUNDS.name.max} />}
          required
          autoComplete="off"
          placeholder="Ada"
          {...bind("name")}
        />
        <TextField
          label="Role"
          isOptional
          trailing={<Length text={role ?? ""} max={BOUNDS.role.max} />}
          autoComplete="off"
          placeholder="Explains things"
          {...bind("role")}
        />
      </div>
      <TextAreaField
        label="Instructions"
        isOptional
        hint="The system prompt: purpose, tone and rules of the agent."
        trailing={<Length text={prompt ?? ""} max={BOUNDS.prompt.max} />}
        rows={11}
        className="min-h-64"
        placeholder="You explain things clearly and briefly, with an example."
        {...bind("system_prompt")}
      />
      <TextField
        label="Avatar"
        isOptional
        hint="The URL of an image, for your applications. The console shows initials, because it loads nothing from other origins."
        type="url"
        inputMode="url"
        autoComplete="off"
        placeholder="https://…"
        {...bind("avatar")}
      />
      <TextAreaField
        label="Description"
        isOptional
        hint="For the people who choose the agent. The model does not read it."
        trailing={<Length text={description ?? ""} max={BOUNDS.description.max} />}
        placeholder="Answers questions about your orders."
        {...bind("description")}
      />
      <TextAreaField
        label="Starter questions"
        isOptional
        hint={`One on each line, up to ${BOUNDS.questions.maxItems}. Applications offer them to begin with.`}
        placeholder="Where is my order?"
        {...bind("starter_questions")}
        value={questions.join("\n")}
        onChange={(text) => props.onChange({ starter_questions: (text ?? "").split("\n") })}
      />
    </>
  );
}

/** The length of a text, shown from three quarters of the maximum on. */
function Length({ text, max }: { readonly text: string; readonly max: number }) {
  const length = Array.from(text).length;
  if (length < max * 0.75) return null;
  return (
    <span className={length > max ? "font-medium text-bad" : undefined}>
      {formatCount(length)} of {formatCount(max)}
    </span>
  );
}
