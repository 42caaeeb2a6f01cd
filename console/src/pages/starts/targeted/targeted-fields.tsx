import type { ReactNode } from "react";
import { CardSection } from "../../../components/card.tsx";
import { bindForm, type FieldsProps, RadioField, TextAreaField, TextField } from "../../../components/form-fields.tsx";

export interface TargetedFieldsProps<Form> extends FieldsProps<Form> {
  /** The row is for an agent, and not for a swarm, which has its own conversation. */
  readonly isOfAgent: boolean;
}

interface MessageForm {
  readonly name: string;
  readonly message: string;
  readonly conversation: "own" | "new";
}

const CONVERSATIONS = [
  { value: "own", label: "One for all runs", hint: "The agent remembers what it said in earlier runs." },
  { value: "new", label: "A new one for each run" },
] as const;

/** What is sent to start a run, and where. */
export function MessageFields(props: TargetedFieldsProps<MessageForm> & { readonly hint: string }) {
  const { isOfAgent, hint } = props;
  const bind = bindForm(props);
  return (
    <CardSection title="Message">
      <div className="grid grid-cols-1 gap-4">
        <TextField label="Name" {...bind("name")} autoComplete="off" />
        <TextAreaField label="Message" hint={hint} {...bind("message")} />
        {isOfAgent && <RadioField label="Conversation" choices={CONVERSATIONS} {...bind("conversation")} />}
      </div>
    </CardSection>
  );
}

type LimitsForm = Readonly<Record<"max_tokens" | "max_cost_usd" | "pause_after_failures", string>>;

/** What a run may use, and how often it may fail. */
export function LimitFields({ children, ...props }: FieldsProps<LimitsForm> & { readonly children: ReactNode }) {
  const bind = bindForm(props);
  return (
    <CardSection title="Limits">
      <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
        <TextField label="Tokens of a run, at most" isOptional inputMode="numeric" {...bind("max_tokens")} />
        <TextField label="USD of a run, at most" isOptional inputMode="decimal" {...bind("max_cost_usd")} />
        <TextField
          label="Failures in a row until it is paused"
          hint="0: never."
          inputMode="numeric"
          {...bind("pause_after_failures")}
        />
        {children}
      </div>
    </CardSection>
  );
}
