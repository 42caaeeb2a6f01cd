import { BookOpen, FileJson } from "lucide-react";
import { getStart } from "../../data/client.ts";
import { Badge } from "../../components/badge.tsx";
import { buttonStyle } from "../../components/button.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { LimitsCard } from "./limits-card.tsx";
import { SnippetsCard } from "./snippets-card.tsx";

export function ApiPage() {
  return (
    <>
      <PageHeader
        title="API"
        aside={<Badge>Version {getStart().version}</Badge>}
        description="All that the console does goes through the public API. Any Supabase client library speaks it."
        actions={
          <>
            <a href="/openapi.json" target="_blank" rel="noopener noreferrer" className={buttonStyle()}>
              <FileJson aria-hidden />
              OpenAPI
              <span className="sr-only">(opens a new tab)</span>
            </a>
            <a href="/reference" target="_blank" rel="noopener noreferrer" className={buttonStyle("primary")}>
              <BookOpen aria-hidden />
              API reference
              <span className="sr-only">(opens a new tab)</span>
            </a>
          </>
        }
      />
      <div className="grid gap-5">
        <ConnectionCard />
        <SnippetsCard />
        <LimitsCard />
      </div>
    </>
  );
}
