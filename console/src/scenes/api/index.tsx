import { BookOpen, FileJson } from "lucide-react";
import { getStart } from "../../data/client.ts";
import { Badge } from "../../parts/badge.tsx";
import { buttonLook } from "../../parts/button.tsx";
import { PageHeader } from "../../parts/page-header.tsx";
import { ConnectionCard } from "./connection-card.tsx";
import { LimitsCard } from "./limits-card.tsx";
import { SnippetsCard } from "./snippets-card.tsx";

export function ApiScene() {
  return (
    <>
      <PageHeader
        title="API"
        aside={<Badge>Version {getStart().version}</Badge>}
        description="All that the console does goes through the public API. Any Supabase client library speaks it."
        actions={
          <>
            <a href="/openapi.json" target="_blank" rel="noopener noreferrer" className={buttonLook()}>
              <FileJson aria-hidden />
              OpenAPI
              <span className="sr-only">(opens a new tab)</span>
            </a>
            <a href="/reference" target="_blank" rel="noopener noreferrer" className={buttonLook("primary")}>
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
