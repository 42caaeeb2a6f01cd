import { Eye, EyeOff } from "lucide-react";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";

const HIDDEN = "whsec_••••••••••••••••••••••••";

/** The secret, or dots while it is null. */
export function SigningSecret({ secret }: { readonly secret: string | null }) {
  return (
    <div className="flex min-w-0 items-center gap-2 rounded-md border border-line bg-sunken py-1.5 pr-1.5 pl-3">
      <code data-secret className="min-w-0 flex-1 font-mono text-sm break-all">
        {secret ?? HIDDEN}
      </code>
      {secret !== null && <CopyButton text={secret} label="Copy the secret" />}
    </div>
  );
}

interface RevealButtonProps {
  readonly isRevealed: boolean;
  readonly isBusy: boolean;
  onReveal(): void;
  onHide(): void;
}

export function RevealButton({ isRevealed, isBusy, onReveal, onHide }: RevealButtonProps) {
  return isRevealed ? (
    <Button icon={<EyeOff />} onClick={onHide}>
      Hide
    </Button>
  ) : (
    <Button icon={<Eye />} isBusy={isBusy} onClick={onReveal}>
      Reveal
    </Button>
  );
}
