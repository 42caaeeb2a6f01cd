import { FIELD_BOUNDS } from "@swarmbase/sdk";
import type { AgentDraft } from "../../data/agents.ts";
import { Field } from "../../components/field.tsx";
import { formatCount } from "../../components/formats.ts";
import { TextArea } from "../../components/text-area.tsx";
import { TextInput } from "../../components/text-input.tsx";
import { typed } from "../../components/typed.ts";

export interface IdentityFieldsProps {
  readonly draft: AgentDraft;
  onChange(change: Partial<AgentDraft>): void;
  readonly errors: Readonly<Record<string, string>>;
}

const BOUNDS = {
  name: FIELD_BOUNDS["agents.name"],
  role: FIELD_BOUNDS["agents.role"],
  prompt: FIELD_BOUNDS["agents.system_prompt"],
  description: FIELD_BOUNDS["agents.description"],
  questions: FIELD_BOUNDS["agents.starter_questions"],
} as const;

export function IdentityFields({ draft, onChange, errors }: IdentityFieldsProps) {
  const { name, role, avatar, description, starter_questions: questions, system_prompt: prompt } = draft;
  return (
    <>
      <div className="grid gap-5 sm:grid-cols-2">
        <Field label="Name" error={errors["name"]} trailing={<Length text={name} max={BOUNDS.name.max} />}>
          <TextInput required autoComplete="off" placeholder="Ada" {...typed(name, (name) => onChange({ name }))} />
        </Field>
        <Field
          label="Role"
          isOptional
          error={errors["role"]}
          trailing={<Length text={role ?? ""} max={BOUNDS.role.max} />}
        >
          <TextInput autoComplete="off" placeholder="Explains things" {...typed(role, (role) => onChange({ role }))} />
        </Field>
      </div>
      <Field
        label="Instructions"
        isOptional
        hint="The system prompt: purpose, tone and rules of the agent."
        error={errors["system_prompt"]}
        trailing={<Length text={prompt ?? ""} max={BOUNDS.prompt.max} />}
      >
        <TextArea
          rows={11}
          className="min-h-64"
          placeholder="You explain things clearly and briefly, with an example."
          {...typed(prompt, (system_prompt) => onChange({ system_prompt }))}
        />
      </Field>
      <Field
        label="Avatar"
        isOptional
        hint="The URL of an image, for your applications. The console shows initials, because it loads nothing from other origins."
        error={errors["avatar"]}
      >
        <TextInput
          type="url"
          inputMode="url"
          autoComplete="off"
          placeholder="https://…"
          {...typed(avatar, (avatar) => onChange({ avatar }))}
        />
      </Field>
      <Field
        label="Description"
        isOptional
        hint="For the people who choose the agent. The model does not read it."
        error={errors["description"]}
        trailing={<Length text={description ?? ""} max={BOUNDS.description.max} />}
      >
        <TextArea
          rows={3}
          placeholder="Answers questions about your orders."
          value={description ?? ""}
          onChange={({ target }) => onChange({ description: target.value })}
        />
      </Field>
      <Field
        label="Starter questions"
        isOptional
        hint={`One on each line, up to ${BOUNDS.questions.maxItems}. Applications offer them to begin with.`}
        error={errors["starter_questions"]}
      >
        <TextArea
          rows={3}
          placeholder="Where is my order?"
          value={questions.join("\n")}
          onChange={({ target }) => onChange({ starter_questions: target.value.split("\n") })}
        />
      </Field>
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
