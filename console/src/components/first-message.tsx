import { SendHorizontal, Sparkles } from "lucide-react";
import { useState } from "react";
import { AgentTerms, type PublishedAgent } from "./agent-terms.tsx";
import { Avatar } from "./avatar.tsx";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";
import { Card } from "./card.tsx";
import { Field } from "./field.tsx";
import { TextArea } from "./text-area.tsx";
import { typed } from "./typed.ts";

export function AgentHead({ agent }: { readonly agent: Pick<PublishedAgent, "id" | "name" | "role" | "owner_name"> }) {
  const { id, name, role, owner_name: owner } = agent;
  const words = [role, owner === null ? null : `by ${owner}`].filter((word) => word !== null);
  return (
    <div className="flex min-w-0 items-start gap-3">
      <Avatar name={name} seed={id} shape="agent" />
      <div className="grid min-w-0 flex-1">
        <h2 className="truncate font-semibold">{name}</h2>
        {words.length > 0 && <p className="truncate text-sm text-ink-soft">{words.join(", ")}</p>}
      </div>
    </div>
  );
}

interface FirstMessageProps {
  readonly agent: PublishedAgent;
  readonly isBusy?: boolean;
  readonly failure?: string | null;
  /** Absent in a preview. */
  onSend?(text: string): void;
}

/** The screen on which a conversation with an agent of somebody else begins. */
export function FirstMessage({ agent, isBusy = false, failure = null, onSend }: FirstMessageProps) {
  const [text, setText] = useState("");
  const isEmpty = text.trim() === "";
  return (
    <Card className="grid grid-cols-1 gap-4">
      <AgentHead agent={agent} />
      {agent.description !== null && (
        <p className="wrap-anywhere whitespace-pre-line text-ink-soft">{agent.description}</p>
      )}
      <AgentTerms terms={agent} />
      {agent.starter_questions.length > 0 && (
        <ul aria-label="Questions to begin with" className="flex flex-wrap gap-2">
          {agent.starter_questions.map((question) => (
            <li key={question} className="min-w-0">
              <Button
                size="small"
                icon={<Sparkles />}
                className="h-auto! min-h-7 max-w-full py-1 text-left wrap-anywhere whitespace-normal!"
                onClick={() => setText(question)}
              >
                {question}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <form
        className="grid grid-cols-1 gap-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isBusy && !isEmpty) onSend?.(text);
        }}
      >
        <Field label={`Message to ${agent.name}`}>
          <TextArea rows={3} {...typed(text, setText)} />
        </Field>
        {failure !== null && <Banner tone="bad">{failure}</Banner>}
        <Button
          type="submit"
          variant="primary"
          icon={<SendHorizontal />}
          isBusy={isBusy}
          disabled={isEmpty || onSend === undefined}
          className="justify-self-end"
        >
          Start conversation
        </Button>
      </form>
    </Card>
  );
}
