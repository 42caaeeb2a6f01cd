import { getConfig } from "../../data/client.ts";
import { CardSection } from "../../components/card.tsx";
import { Code } from "../../components/code-block.tsx";
import { CopyButton } from "../../components/copy-button.tsx";

export function ConnectionCard() {
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
