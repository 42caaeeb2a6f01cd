import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import { IconButton } from "./icon-button.tsx";
import { TextInput } from "./text-input.tsx";

export function PasswordInput(props: Omit<ComponentProps<"input">, "type">) {
  const [isShown, setShown] = useState(false);
  return (
    <div className="relative">
      <TextInput {...props} type={isShown ? "text" : "password"} className="pr-10" />
      <IconButton
        label={isShown ? "Hide password" : "Show password"}
        icon={isShown ? <EyeOff /> : <Eye />}
        size="small"
        className="absolute top-1 right-1"
        onClick={() => setShown(!isShown)}
      />
    </div>
  );
}
