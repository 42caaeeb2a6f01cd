import { actsForAsker } from "@swarmbase/sdk";
import { useToolUsers } from "../../data/agent-tools.ts";
import { useUser } from "../../data/session.ts";
import type { Tool } from "../../data/tools.ts";
import { Avatar } from "../../components/avatar.tsx";
import { Badge } from "../../components/badge.tsx";
import { CardSection } from "../../components/card.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { NotLoaded } from "../../components/not-loaded.tsx";
import { Facts } from "../../components/facts.tsx";
import { formatCount, formatDuration } from "../../components/formats.ts";
import { JsonView } from "../../components/json-view.tsx";
import { Link } from "../../components/link.tsx";
import { RelativeTime } from "../../components/relative-time.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { StatusDot } from "../../components/status-dot.tsx";
import { ActingNote } from "./acting-note.tsx";
import { type Argument, readArguments } from "./arguments.ts";
import { renderRequest } from "./render-request.ts";
import { Authorization } from "./authorization.tsx";
import { formOf } from "./tool-draft.ts";

export function ToolOverview({ tool }: { readonly tool: Tool }) {
  const list = readArguments(tool.input_schema);
  const isBuiltin = tool.kind === "builtin";
  const secrets = tool.secret_names.length === 0 ? "None" : `${tool.secret_names.join(", ")} (stored, not readable)`;
  return (
    <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,7fr)_minmax(0,5fr)]">
      <div className="grid min-w-0 gap-5">
        <CardSection title="Arguments">
          {list.length === 0 ? (
            <p className="text-ink-soft">None.</p>
          ) : (
            <ul className="grid divide-y divide-line">
              {list.map((argument) => (
                <ArgumentLine key={argument.name} argument={argument} />
              ))}
            </ul>
          )}
          <div className="mt-4">
            <JsonView label="Input schema" value={tool.input_schema} depth={0} />
          </div>
        </CardSection>
        {tool.kind !== "builtin" && tool.kind !== "client" && <Destination tool={tool} />}
      </div>
      <div className="grid min-w-0 gap-5">
        <Connection tool={tool} />
        {actsForAsker(tool) && <ActingNote kind={tool.kind} tool={tool} />}
        <Users tool={tool} />
        <CardSection title="Rules">
          <Facts
            rows={[
              ["Requires approval", tool.requires_approval ? "Yes, for each call" : "No"],
              ["Safe to repeat", tool.idempotent ? "Yes" : "No"],
              ["Timeout", formatDuration(tool.timeout_ms)],
              ["Maximum output", `${formatCount(tool.max_output_chars)} characters`],
              ["Secrets", isBuiltin ? null : secrets],
              ["Last changed", isBuiltin ? null : <RelativeTime at={tool.updated_at} />],
            ]}
          />
        </CardSection>
      </div>
    </div>
  );
}

/** For the owner: the authorization is theirs. */
function Connection({ tool }: { readonly tool: Tool }) {
  const user = useUser();
  const { url, auth } = formOf(tool);
  if (tool.owner_id !== user.id || tool.kind !== "mcp" || auth.type !== "oauth") return null;
  return (
    <CardSection title="Connection">
      <Authorization url={url} returnTo={`/tools/${tool.id}`} />
    </CardSection>
  );
}

function ArgumentLine({ argument: { name, schema, isRequired } }: { readonly argument: Argument }) {
  const { type, description } = schema;
  return (
    <li className="grid gap-0.5 py-2.5 first:pt-0">
      <div className="flex flex-wrap items-center gap-2">
        <code className="font-mono text-sm font-medium">{name}</code>
        {typeof type === "string" && <span className="text-sm text-ink-faint">{type}</span>}
        {isRequired && <Badge>Required</Badge>}
      </div>
      {typeof description === "string" && <p className="text-sm break-words text-ink-soft">{description}</p>}
    </li>
  );
}

function Destination({ tool }: { readonly tool: Tool }) {
  const form = formOf(tool);
  if (tool.kind !== "http" && tool.kind !== "mcp")
    return (
      <CardSection title="Configuration">
        <JsonView label="Configuration" value={tool.config} />
      </CardSection>
    );
  if (form.url === "")
    return (
      <CardSection title="Request">
        <p className="text-ink-soft">The tool has no URL, so it cannot be called.</p>
      </CardSection>
    );
  return (
    <CardSection
      title="Request"
      description={form.kind === "mcp" ? `The tool ${form.remoteName} of an MCP server.` : undefined}
    >
      <CodeBlock label={form.kind === "mcp" ? "Server" : "Request"} code={renderRequest(form)} isWrapped />
    </CardSection>
  );
}

function Users({ tool }: { readonly tool: Tool }) {
  const { rows, ...read } = useToolUsers(tool.id);
  return (
    <CardSection title="Assigned agents">
      {rows === undefined ? (
        <NotLoaded title="The agents could not be loaded." read={read} skeleton={<Skeleton className="h-16" />} />
      ) : rows.length === 0 ? (
        <p className="text-ink-soft">
          None. Open one of your <Link to="/agents">agents</Link> and assign this tool.
        </p>
      ) : (
        <ul className="grid max-h-80 gap-2.5 overflow-y-auto">
          {rows.map(
            ({ id, enabled, agents: agent }) =>
              agent !== null && (
                <li key={id} className="flex min-w-0 items-center gap-2.5">
                  <Avatar name={agent.name} seed={agent.id} shape="agent" size="small" />
                  <Link to={`/agents/${agent.id}/tools`} className="min-w-0 flex-1 truncate">
                    {agent.name}
                  </Link>
                  {enabled ? <StatusDot status={agent.status} label={agent.status} /> : <Badge>Off</Badge>}
                </li>
              ),
          )}
        </ul>
      )}
    </CardSection>
  );
}
