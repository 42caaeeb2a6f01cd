import { MessageSquare, SendHorizontal, X } from "lucide-react";
import { type Ref, useCallback, useImperativeHandle, useMemo, useRef, useState } from "react";
import { flushSync } from "react-dom";
import type { Message } from "../../../data/conversation-pages.ts";
import { useSay } from "../../../data/message-writes.ts";
import type { Question, Respond } from "../../../data/respond.ts";
import type { AskedQuestion } from "../../../data/run-ends.ts";
import type { Swarm } from "../../../data/swarms.ts";
import { Button } from "../../../components/button.tsx";
import { type Command, useCommands } from "../../../components/commands.tsx";
import { IconButton } from "../../../components/icon-button.tsx";
import { toPlainLine } from "../../../components/to-plain-line.ts";
import { AskSwitch } from "./ask-switch.tsx";
import { ComposerField } from "./composer-field.tsx";
import { Refusal } from "./refusal.tsx";
import { useRoom } from "./room-context.ts";
import { useDraft } from "./use-draft.ts";
import type { PendingMessages } from "./use-pending-messages.ts";
import { WhyNot } from "./why-not.tsx";

export interface ComposerHandle {
  focus(): void;
  /** Puts words there for somebody to send. */
  suggest(text: string): void;
  /** Sends a question beside what stands in the field. */
  ask(question: AskedQuestion): void;
}

export interface ComposerProps {
  readonly ref: Ref<ComposerHandle>;
  readonly respond: Respond;
  /** A run works: a further question waits its turn. */
  readonly isBusy: boolean;
  readonly pending: PendingMessages;
  receive(message: Message): void;
  readonly replyTo: Message | null;
  onReplied(): void;
  onSent(): void;
}

const CONFLICT_WORDS = {
  enqueue: "your question waits its turn.",
  reject: "another question is refused.",
  interrupt: "your question takes its place.",
} as const;

/** Where one says something, or asks. */
export function Composer(props: ComposerProps) {
  const { ref, respond, isBusy, replyTo, onReplied } = props;
  const { swarm, rights, places, userId } = useRoom();
  const field = useRef<HTMLTextAreaElement>(null);
  const draft = useDraft(userId, swarm.id);
  const [isAsking, setAsking] = useState(true);
  const canAsk = swarm.status === "active";
  const { send, say } = useSend({ ...props, draft });
  const failure = respond.failure ?? say.failure;
  const focus = useCallback(() => focusAtEnd(field.current), []);
  const submit = (asksAgents: boolean, onConflict?: Question["onConflict"]) => {
    if (draft.text.trim() === "") focus();
    else {
      const { text: content, clientMessageId } = draft;
      draft.clear();
      onReplied();
      send({ content, clientMessageId, replyToId: replyTo?.id ?? null, asksAgents: asksAgents && canAsk, onConflict });
    }
  };
  useImperativeHandle(ref, () => ({
    focus,
    suggest: (text) => {
      // A frame later the caret would be moved under the hands of somebody who already types.
      flushSync(() => draft.setText(text));
      focus();
    },
    ask: (question) => send({ ...question, clientMessageId: crypto.randomUUID(), asksAgents: true }),
  }));
  useFocusCommand(focus);
  if (!rights.canWrite) return <WhyNot />;
  return (
    <div className="grid grid-cols-1 gap-2">
      {swarm.status !== "active" && <WhyNot />}
      {failure !== null && (
        <Refusal
          failure={failure}
          onDismiss={() => {
            respond.reset();
            say.reset();
          }}
          onAskAgain={(onConflict) => submit(true, onConflict)}
        />
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(isAsking);
        }}
        className="relative rounded-xl border border-field-line bg-surface shadow-1 focus-within:border-accent focus-within:outline-2 focus-within:outline-accent"
      >
        {replyTo !== null && (
          <div className="flex items-center gap-2 border-b border-line px-3 py-1.5 text-sm text-ink-soft">
            <span className="min-w-0 flex-1 truncate">
              In reply to <span className="font-medium">{replyTo.sender_name}</span>:{" "}
              {toPlainLine(replyTo.content ?? "")}
            </span>
            <IconButton size="small" label="Do not reply to it" icon={<X />} onClick={onReplied} />
          </div>
        )}
        <ComposerField
          ref={field}
          text={draft.text}
          onChange={draft.setText}
          onSend={(isOther) => submit(isOther ? !isAsking : isAsking)}
          places={places.rows ?? []}
          placeholder={isAsking && canAsk ? "Ask the agents. @ names one of them." : "Say something."}
        />
        <div className="flex items-center gap-2 px-2 pb-2">
          <AskSwitch isAsking={isAsking && canAsk} isDisabled={!canAsk} onChange={setAsking} />
          <span className="hidden min-w-0 flex-1 truncate text-right text-sm text-ink-faint sm:block">
            {sayWhatFollows({ swarm, isBusy, isAsking: isAsking && canAsk })}
          </span>
          <Button
            type="submit"
            variant="primary"
            size="small"
            icon={isAsking && canAsk ? <SendHorizontal /> : <MessageSquare />}
            disabled={draft.text.trim() === ""}
            className="ml-auto"
          >
            {isAsking && canAsk ? "Ask" : "Say"}
          </Button>
        </div>
      </form>
    </div>
  );
}

function sayWhatFollows(now: { readonly swarm: Swarm; readonly isBusy: boolean; readonly isAsking: boolean }): string {
  const { swarm, isBusy, isAsking } = now;
  if (isAsking && isBusy) return `A run is under way: ${CONFLICT_WORDS[swarm.settings.on_conflict ?? "enqueue"]}`;
  if (!isAsking && swarm.status === "active" && swarm.settings.auto_respond === true)
    return "Everything that is said here is answered.";
  return "";
}

/** Where one would go on writing. */
function focusAtEnd(field: HTMLTextAreaElement | null): void {
  field?.focus();
  field?.setSelectionRange(field.value.length, field.value.length);
}

interface Sending extends ComposerProps {
  readonly draft: ReturnType<typeof useDraft>;
}

interface SendOptions extends AskedQuestion {
  readonly clientMessageId: string;
  readonly asksAgents: boolean;
  readonly onConflict?: Question["onConflict"];
}

/** What is refused comes back into the field, unless something else stands there by then. */
function useSend({ respond, pending, receive, onSent, draft }: Sending) {
  const { swarm } = useRoom();
  const say = useSay();
  const send = ({ content, clientMessageId, replyToId, agentIds, asksAgents, onConflict }: SendOptions) => {
    respond.reset();
    say.reset();
    pending.add({ clientMessageId, content, replyToId });
    onSent();
    const asked = asksAgents
      ? respond.ask({
          message: content,
          replyToId,
          clientMessageId,
          ...(agentIds !== undefined && { agentIds }),
          ...(onConflict !== undefined && { onConflict }),
        })
      : say.run({ swarmId: swarm.id, content, replyToId, clientMessageId }).then((stored) => {
          if (stored !== null) receive(stored);
          return stored;
        });
    void asked.then((done) => {
      if (done !== null) return;
      pending.drop(clientMessageId);
      draft.bringBack(content, clientMessageId);
    });
  };
  return { send, say };
}

function useFocusCommand(focus: () => void): void {
  const commands = useMemo<readonly Command[]>(
    () => [
      {
        id: "swarm.write",
        label: "Write a message",
        group: "This swarm",
        icon: <SendHorizontal />,
        keys: "r",
        run: () => setTimeout(focus, 0),
      },
    ],
    [focus],
  );
  useCommands(commands);
}
