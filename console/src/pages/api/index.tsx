import { BookOpen, FileJson } from "lucide-react";
import { getConfig } from "../../data/client.ts";
import { Badge } from "../../components/badge.tsx";
import { buttonStyle } from "../../components/button.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { LimitsCard } from "./limits-card.tsx";
import { SnippetsCard } from "./snippets-card.tsx";

export function ApiPage() {
  const { version, referencePath } = getConfig();
  return (
    <>
      <PageHeader
        title="API"
        trailing={<Badge>Version {version}</Badge>}
        description="The console uses only the public API. These clients of Supabase were run against it, unmodified: supabase-js, @supabase/ssr, supabase-py, postgrest-py, supabase-go and the CLI's gen types. There is no file storage."
        {...(referencePath !== null && { actions: <ReferenceLinks path={referencePath} /> })}
      />
      <div className="grid gap-5">
        <ConnectionCard />
        <SnippetsCard />
        <LimitsCard />
      </div>
    </>
  );
}

/** The extension that serves the reference also serves the OpenAPI document. */
function ReferenceLinks({ path }: { readonly path: string }) {
  return (
    <>
      <a href="/openapi.json" target="_blank" rel="noopener noreferrer" className={buttonStyle()}>
        <FileJson aria-hidden />
        OpenAPI
        <span className="sr-only">(opens a new tab)</span>
      </a>
      <a href={path} target="_blank" rel="noopener noreferrer" className={buttonStyle("primary")}>
        <BookOpen aria-hidden />
        API reference
        <span className="sr-only">(opens a new tab)</span>
      </a>
    </>
  );
}
