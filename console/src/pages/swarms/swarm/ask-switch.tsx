import { clsx } from "clsx";
import { Bot, MessageSquare } from "lucide-react";
import { RadioGroup } from "radix-ui";

interface AskSwitchProps {
  readonly isAsking: boolean;
  readonly isDisabled: boolean;
  onChange(isAsking: boolean): void;
}

const CHOICES = [
  { value: "ask", label: "Agents answer", Icon: Bot },
  { value: "say", label: "No reply", Icon: MessageSquare },
] as const;

/** Selects whether the agents answer the message. */
export function AskSwitch({ isAsking, isDisabled, onChange }: AskSwitchProps) {
  return (
    <RadioGroup.Root
      aria-label="Who answers"
      orientation="horizontal"
      value={isAsking ? "ask" : "say"}
      onValueChange={(value) => onChange(value === "ask")}
      disabled={isDisabled}
      className="flex shrink-0 rounded-md bg-sunken p-0.5"
    >
      {CHOICES.map(({ value, label, Icon }) => (
        <RadioGroup.Item
          key={value}
          value={value}
          className={clsx(
            "flex h-6 items-center gap-1.5 rounded-[5px] px-2 text-xs font-medium text-ink-soft disabled:opacity-50",
            "data-[state=checked]:bg-raised data-[state=checked]:text-ink data-[state=checked]:shadow-1",
          )}
        >
          <Icon className="size-3.5" aria-hidden />
          {label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  );
}
