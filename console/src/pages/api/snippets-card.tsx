import { useSearchParams } from "react-router";
import { useSamples } from "../../data/samples.ts";
import { CardSection } from "../../components/card.tsx";
import { CodeSnippets } from "../../components/code-snippets.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { listSnippets } from "./snippets.ts";

/** Code for the main features. */
export function SnippetsCard() {
  const [params, setParams] = useSearchParams();
  const snippets = listSnippets(useSamples());
  const open = snippets.find(({ id }) => id === params.get("show"))?.id ?? "agents";
  return (
    <CardSection title="From code" description="With your URL, key and ids. Passwords and tokens are variables.">
      <Tabs
        label="Examples"
        value={open}
        onChange={(show) => setParams({ show }, { replace: true, preventScrollReset: true })}
        tabs={snippets.map(({ id, title, text, curl, supabaseJs }) => ({
          value: id,
          label: title,
          content: (
            <div className="grid gap-4">
              <p className="text-pretty text-ink-soft">{text}</p>
              <CodeSnippets curl={curl} supabaseJs={supabaseJs} />
            </div>
          ),
        }))}
      />
    </CardSection>
  );
}
