import { TextInput } from "./text-input.tsx";
import { typed } from "./typed.ts";

/** A six-digit code, which browsers can fill in. */
export function CodeInput({ value, onChange }: { readonly value: string; readonly onChange: (value: string) => void }) {
  return (
    <TextInput
      inputMode="numeric"
      autoComplete="one-time-code"
      pattern="[0-9 ]*"
      maxLength={10}
      required
      {...typed(value, (text) => onChange(text.replace(/\D/g, "")))}
      className="font-mono text-lg tracking-[0.3em]"
    />
  );
}
