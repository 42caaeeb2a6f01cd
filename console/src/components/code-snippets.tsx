import { type ReactNode, useState } from "react";
import { writeProgramStart, writeShellStart } from "./write-snippets.ts";
import { CodeBlock } from "./code-block.tsx";
import { useCodeValues } from "./code-values.ts";
import { SegmentedControl } from "./segmented-control.tsx";

type Language = "supabase-js" | "curl";

export interface CodeSnippetsProps {
  readonly curl: string;
  readonly supabaseJs: string;
}

const LANGUAGES = [
  { value: "supabase-js", label: "supabase-js" },
  { value: "curl", label: "curl" },
] as const;

/** The same call in two languages, each with its one-time setup. */
export function CodeSnippets({ curl, supabaseJs }: CodeSnippetsProps) {
  const values = useCodeValues();
  const [preferred, setWished] = useState<Language>("supabase-js");
  const codes: Readonly<Record<Language, string>> = { "supabase-js": supabaseJs, curl };
  const offered = LANGUAGES.filter(({ value }) => codes[value] !== "");
  const chosen = offered.find(({ value }) => value === preferred)?.value ?? offered[0]?.value ?? "curl";
  return (
    <div className="grid gap-3">
      {offered.length > 1 && (
        <div>
          <SegmentedControl<Language> label="Language" value={chosen} onChange={setWished} choices={offered} />
        </div>
      )}
      {chosen === "curl" ? (
        <Snippet code={curl} label="curl" start={writeShellStart(values)}>
          Run this once in the shell. It asks for your password and stores the token in a variable.
        </Snippet>
      ) : (
        <Snippet code={supabaseJs} label="supabase-js" start={writeProgramStart(values)}>
          Put this once at the top of the program.
        </Snippet>
      )}
    </div>
  );
}

interface SnippetProps {
  readonly code: string;
  readonly label: string;
  readonly start: string;
  readonly children: ReactNode;
}

function Snippet({ code, label, start, children }: SnippetProps) {
  const language = label === "curl" ? "bash" : "js";
  return (
    <div className="grid gap-4">
      <CodeBlock label={label} code={code} language={language} />
      <details>
        <summary className="w-fit rounded-sm text-sm font-medium text-ink-soft hover:text-ink">
          Before the first call
        </summary>
        <div className="mt-3 grid gap-3">
          <p className="text-sm text-ink-soft">{children}</p>
          <CodeBlock label="Setup" code={start} language={language} />
        </div>
      </details>
    </div>
  );
}
