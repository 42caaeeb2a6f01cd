import { Flag as FlagIcon } from "lucide-react";
import { type Flag, useSettleFlag } from "../../../data/message-writes.ts";
import { Button } from "../../../components/button.tsx";
import { useToast } from "../../../components/toast.tsx";
import { toPlainLine } from "../../../components/to-plain-line.ts";
import { FLAG_LABELS } from "../labels.ts";
import { PanelSection } from "./panel-section.tsx";

interface FlagsPanelProps {
  readonly flags: readonly Flag[];
  onJump(messageId: string): void;
}

/** Messages that users, the blocklist or guardrails have flagged, for the managers of the swarm. */
export function FlagsPanel({ flags, onJump }: FlagsPanelProps) {
  const settle = useSettleFlag();
  const show = useToast();
  const run = (id: string, status: "upheld" | "dismissed") =>
    void settle
      .run({ id, status })
      .then((done) =>
        show(
          done === null
            ? { text: "The flag could not be changed.", tone: "bad" }
            : { text: status === "upheld" ? "The flag is upheld." : "The flag is dismissed." },
        ),
      );
  return (
    <PanelSection title="Flagged" count={flags.length}>
      <ul className="grid gap-2">
        {flags.map(({ id, message_id: messageId, messages: message, category, reason, source }) => (
          <li key={id} className="grid gap-2 rounded-md border border-bad bg-bad-soft p-3">
            <button type="button" onClick={() => onJump(messageId)} className="grid gap-0.5 rounded-sm text-left">
              <span className="flex items-center gap-1.5 text-sm font-medium text-bad">
                <FlagIcon className="size-3.5" aria-hidden />
                {describeFlag(source, category)}
              </span>
              <span className="line-clamp-2 text-sm">
                {message?.sender_name}: {toPlainLine(message?.content ?? "deleted")}
              </span>
              {reason !== null && <span className="line-clamp-2 text-sm text-ink-soft">“{reason}”</span>}
            </button>
            <div className="flex gap-2">
              <Button size="small" onClick={() => run(id, "upheld")}>
                Uphold
              </Button>
              <Button size="small" onClick={() => run(id, "dismissed")}>
                Dismiss
              </Button>
            </div>
          </li>
        ))}
      </ul>
    </PanelSection>
  );
}

function describeFlag(source: Flag["source"], category: string | null): string {
  if (source === "moderation") return "By the blocklist";
  if (source === "guardrail") return `By the guardrail ${category ?? ""}`.trim();
  if (category === null) return "Flagged";
  return Object.hasOwn(FLAG_LABELS, category) ? FLAG_LABELS[category as keyof typeof FLAG_LABELS] : category;
}
