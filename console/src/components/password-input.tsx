import { clsx } from "clsx";
import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { IconButton } from "./icon-button.tsx";
import { TextInput } from "./text-input.tsx";

interface PasswordInputProps extends Omit<ComponentProps<"input">, "type"> {
  /** What the button shows and hides. */
  readonly subject?: string;
}

export function PasswordInput({ subject = "password", className, ...rest }: PasswordInputProps) {
  const [isShown, setShown] = useState(false);
  return (
    <div className="relative">
      <TextInput {...rest} type={isShown ? "text" : "password"} className={clsx("pr-10", className)} />
      <IconButton
        label={isShown ? `Hide ${subject}` : `Show ${subject}`}
        icon={isShown ? <EyeOff /> : <Eye />}
        size="small"
        className="absolute top-1 right-1"
        onClick={() => setShown(!isShown)}
      />
    </div>
  );
}
