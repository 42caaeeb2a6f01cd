import { Check, Copy } from "lucide-react";
import { useEffect, useState } from "react";
import { Button } from "./button.tsx";
import { IconButton } from "./icon-button.tsx";

interface CopyButtonProps {
  readonly text: string;
  /** "Copy the key" */
  readonly label: string;
  /** Shows the label beside the icon. */
  readonly showsLabel?: boolean;
}

const SHOWN_MS = 1_600;

export function CopyButton({ text, label, showsLabel = false }: CopyButtonProps) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = () =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  const icon = isCopied ? <Check className="text-good" /> : <Copy />;
  return (
    <>
      {showsLabel ? (
        <Button size="small" icon={icon} onClick={copy}>
          {isCopied ? "Copied" : label}
        </Button>
      ) : (
        <IconButton size="small" icon={icon} label={isCopied ? "Copied" : label} onClick={copy} />
      )}
      <span role="status" className="sr-only">
        {isCopied ? "Copied" : ""}
      </span>
    </>
  );
}
