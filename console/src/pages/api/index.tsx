import { BookOpen, FileJson } from "lucide-react";
import { useSearchParams } from "react-router";
import { LIMITS, type LimitName } from "@swarmbase/sdk";
import { getConfig } from "../../data/client.ts";
import { useSamples } from "../../data/samples.ts";
import { type RateLimitState, useRateLimitStates } from "../../data/limits.ts";
import { Badge } from "../../components/badge.tsx";
import { buttonStyle } from "../../components/button.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { CardSection } from "../../components/card.tsx";
import { CodeSnippets } from "../../components/code-snippets.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Code } from "../../components/code-block.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { formatCount } from "../../components/formats.ts";
import { ProgressBar } from "../../components/progress-bar.tsx";
import { listSnippets } from "./snippets.ts";

const LABELS: Readonly<Record<LimitName, string>> = {
  api: "all requests of your account",
  auth: "sign-ups, passwords and codes, per IP address",
  ai: "each started reply of an agent",
  tool: "each tool call",
  webhook: "deliveries, tests and retries",
};
const NAMES = Object.keys(LIMITS) as LimitName[];

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

/** Code for the main features. */
function SnippetsCard() {
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

function ConnectionCard() {
  const { url, anonKey } = getConfig();
  return (
    <CardSection
      title="Connection"
      description="The two values that a client needs. Neither is secret: the signed-in user determines what a client may do."
    >
      <div className="grid gap-4">
        <div className="grid gap-4 md:grid-cols-2">
          <Value name="Base URL" value={url} />
          <Value name="Anon key" value={anonKey} />
        </div>
        <p className="text-sm text-pretty text-ink-soft">
          By default the service uses a self-signed certificate. Programs trust it with <Code>NODE_EXTRA_CA_CERTS</Code>{" "}
          or <Code>CURL_CA_BUNDLE</Code> set to <Code>tls/ca-cert.pem</Code> in its data directory (
          <Code>.swarmbase</Code> by default).
        </p>
      </div>
    </CardSection>
  );
}

function Value({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="grid min-w-0 gap-1.5">
      <div className="text-sm font-medium">{name}</div>
      <div className="flex min-w-0 items-center gap-1 rounded-md border border-line bg-sunken py-0.5 pr-1 pl-3">
        <span className="min-w-0 flex-1 truncate font-mono text-sm" title={value}>
          {value}
        </span>
        <CopyButton text={value} label={`Copy: ${name}`} />
      </div>
    </div>
  );
}

function LimitsCard() {
  const states = useRateLimitStates();
  return (
    <CardSection
      title="Limits"
      description="Requests per minute. The X-RateLimit headers of each response report the remaining ones; this table shows the last values."
    >
      <table className="w-full text-left">
        <thead className="text-xs text-ink-faint">
          <tr className="border-b border-line">
            <th scope="col" className="pb-2 font-medium">
              Limit
            </th>
            <th scope="col" className="w-20 pb-2 text-right font-medium sm:w-24">
              Per minute
            </th>
            <th scope="col" className="w-14 pb-2 pl-4 text-right font-medium sm:w-48">
              Left
            </th>
          </tr>
        </thead>
        <tbody>
          {NAMES.map((name) => (
            <LimitLine key={name} name={name} state={states[name]} />
          ))}
        </tbody>
      </table>
    </CardSection>
  );
}

function LimitLine({ name, state }: { readonly name: LimitName; readonly state: RateLimitState | undefined }) {
  const { name: title, limit } = LIMITS[name];
  return (
    <tr className="border-b border-line last:border-b-0">
      <th scope="row" className="py-2.5 pr-2 font-normal">
        <span className="block font-medium">{title}</span>
        <span className="block text-sm text-ink-faint">{LABELS[name]}</span>
      </th>
      <td className="py-2.5 text-right tabular-nums">{formatCount(state?.limit ?? limit)}</td>
      <td className="py-2.5 pl-4 text-right tabular-nums">
        {state === undefined ? (
          <span className="text-ink-faint">
            <span className="max-sm:sr-only">unknown</span>
            <span aria-hidden className="sm:hidden">
              –
            </span>
          </span>
        ) : (
          <span className="flex items-center justify-end gap-3">
            <span className="hidden w-24 sm:block">
              <ProgressBar label={`${title} left`} value={state.remaining} max={state.limit} />
            </span>
            {formatCount(state.remaining)}
          </span>
        )}
      </td>
    </tr>
  );
}
