import { ArrowRight, Check } from "lucide-react";
import { useState } from "react";
import { useSearchParams } from "react-router";
import { type ImportOutcome, type RemoteServer, type RemoteTool, useListRemote } from "../../data/tool-calls.ts";
import { Banner } from "../../components/banner.tsx";
import { Button } from "../../components/button.tsx";
import { CardSection } from "../../components/card.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { TextField } from "../../components/form-fields.tsx";
import { fromLines, type HeaderLine } from "../../components/header-lines.ts";
import { OptionalHeaders } from "../../components/headers-editor.tsx";
import { ButtonLink, Link } from "../../components/link.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ToolIcon } from "../../components/tool-icon.tsx";
import { useFreshErrors } from "../../components/use-fresh-errors.ts";
import { type AuthDraft, hasSecret, NO_AUTH, writeAuth } from "./auth-draft.ts";
import { AuthFields } from "./auth-fields.tsx";
import { Authorization } from "./authorization.tsx";
import { ChooseRemote } from "./choose-remote.tsx";

/** In the address after a return from the server: its URL, and whose account its tools use. */
const AUTHORIZED = "authorized";
const ACCOUNT = "account";

interface Listed {
  readonly server: RemoteServer;
  readonly tools: readonly RemoteTool[];
}

/** Lists the tools of an MCP server and imports the selected ones. */
export function ImportTools() {
  const [listed, setListed] = useState<Listed | null>(null);
  const [outcome, setOutcome] = useState<ImportOutcome | null>(null);
  return (
    <>
      <PageHeader
        title="Import from an MCP server"
        description="Imports tools of the server as your own tools. Import only from servers that you trust, because models read their descriptions."
        crumbs={[{ label: "Tools", to: "/tools" }]}
      />
      {outcome !== null ? (
        <Imported
          outcome={outcome}
          onAgain={() => {
            setOutcome(null);
            setListed(null);
          }}
        />
      ) : (
        <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,5fr)_minmax(0,6fr)]">
          <Server onListed={setListed} isListed={listed !== null} />
          {listed === null ? (
            <EmptyState picture="tools" title="The tools of the server appear here">
              Enter the address, list the tools, and select. Imported tools work like your other tools: you can test
              them, disable them and assign them to agents.
            </EmptyState>
          ) : (
            <ChooseRemote key={listed.server.url} server={listed.server} tools={listed.tools} onImported={setOutcome} />
          )}
        </div>
      )}
    </>
  );
}

interface ServerProps {
  onListed(listed: Listed | null): void;
  readonly isListed: boolean;
}

function Server({ onListed, isListed }: ServerProps) {
  const [address] = useSearchParams();
  const authorized = address.get(AUTHORIZED);
  const [url, setUrl] = useState(authorized ?? "");
  const [auth, setAuth] = useState<AuthDraft>(
    authorized === null ? NO_AUTH : { ...NO_AUTH, type: address.get(ACCOUNT) === "asker" ? "asker" : "oauth" },
  );
  const [headers, setHeaders] = useState<readonly HeaderLine[]>([]);
  const list = useListRemote();
  const { errors, touch } = useFreshErrors(list.errors);
  const ask = async () => {
    const server = renderServer(url.trim(), auth, headers);
    const tools = await list.run(server);
    onListed(tools === null ? null : { server, tools });
  };
  const change = (fields: readonly string[], apply: () => void) => {
    for (const field of fields) touch(field);
    onListed(null);
    apply();
  };
  return (
    <CardSection title="The server">
      <form
        className="grid gap-5"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <TextField
          label="Address"
          hint="The HTTPS URL of the MCP endpoint."
          error={errors["url"]}
          type="url"
          inputMode="url"
          required
          autoComplete="off"
          spellCheck={false}
          placeholder="https://mcp.example.com/mcp"
          value={url}
          onChange={(text) => change(["url"], () => setUrl(text))}
        />
        <AuthFields
          auth={auth}
          onChange={(next) => change(["auth", "secrets"], () => setAuth(next))}
          isStored={false}
          kind="mcp"
          errors={errors}
        />
        {(auth.type === "oauth" || auth.type === "asker") && (
          <Authorization
            url={url.trim()}
            returnTo={`/tools/import?${new URLSearchParams({ [AUTHORIZED]: url.trim(), [ACCOUNT]: auth.type }).toString()}`}
          />
        )}
        <OptionalHeaders
          arePublic
          lines={headers}
          onChange={(next) => change(["headers"], () => setHeaders(next))}
          errors={errors}
        />
        {list.failure !== null && Object.keys(list.errors).length === 0 && (
          <Banner tone="bad">{list.failure.message}</Banner>
        )}
        <Button
          type="submit"
          variant={isListed ? "plain" : "primary"}
          icon={<ArrowRight />}
          isBusy={list.isBusy}
          className="justify-self-start"
        >
          {isListed ? "List again" : "List tools"}
        </Button>
      </form>
    </CardSection>
  );
}

function renderServer(url: string, auth: AuthDraft, headers: readonly HeaderLine[]): RemoteServer {
  const rendered = writeAuth(auth);
  return {
    url,
    ...(rendered !== undefined && { auth: rendered }),
    ...(hasSecret(auth) && { secrets: { [auth.secretName]: auth.value } }),
    ...(headers.length > 0 && { headers: fromLines(headers) }),
  };
}

function Imported({ outcome, onAgain }: { readonly outcome: ImportOutcome; onAgain(): void }) {
  const { imported, skipped } = outcome;
  return (
    <div className="grid max-w-3xl gap-5">
      <CardSection
        title={imported.length === 1 ? "1 tool is imported" : `${imported.length} tools are imported`}
        description="Assign them on the pages of your agents."
      >
        <ul className="grid gap-2.5">
          {imported.map((tool) => (
            <li key={tool.id} className="flex min-w-0 items-center gap-2.5">
              <ToolIcon tool={tool} size="small" />
              <Link to={`/tools/${tool.id}`} className="min-w-0 truncate">
                {tool.name}
              </Link>
              <Check className="size-4 shrink-0 text-good" aria-hidden />
            </li>
          ))}
        </ul>
      </CardSection>
      {skipped.length > 0 && (
        <CardSection title="Skipped">
          <ul className="grid gap-2">
            {skipped.map(({ name, reason }) => (
              <li key={name} className="break-words">
                <span className="font-medium">{name}</span> <span className="text-ink-soft">{reason}</span>
              </li>
            ))}
          </ul>
        </CardSection>
      )}
      <div className="flex gap-2">
        <ButtonLink to="/tools?from=mine" variant="primary">
          Show my tools
        </ButtonLink>
        <Button onClick={onAgain}>Import more</Button>
      </div>
    </div>
  );
}
