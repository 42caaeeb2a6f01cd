import { getConfig } from "../../data/client.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { Link } from "../../components/link.tsx";

export interface RunCommandProps {
  readonly datasetId: string;
  readonly agentId: string;
  /** Empty for the latest. */
  readonly version: string;
  /** Empty for none. */
  readonly judgeId: string;
  readonly isStored: boolean;
}

/** The command that runs a dataset against a version of an agent. */
export function RunCommand({ datasetId, agentId, version, judgeId, isStored }: RunCommandProps) {
  const words = [
    `npx swarmbase eval ${datasetId} --agent ${agentId}`,
    ...(version === "" ? [] : [`--version ${version}`]),
    ...(judgeId === "" ? [] : [`--judge ${judgeId}`]),
    ...(isStored ? ["--store"] : []),
  ];
  const { url, anonKey } = getConfig();
  const variables = [
    `export SWARMBASE_URL=${url}`,
    `export SWARMBASE_ANON_KEY=${anonKey}`,
    "export SWARMBASE_ACCESS_TOKEN=…",
  ];
  return (
    <>
      <CodeBlock label="Command" code={words.join(" ")} isWrapped />
      <CodeBlock label="Variables" code={variables.join("\n")} isWrapped />
      <p className="text-sm text-ink-faint">
        On your computer or in CI. The access token is an <Link to="/account/keys">API key</Link> with the scopes read,
        write and run. Results appear here as they come.
      </p>
    </>
  );
}
