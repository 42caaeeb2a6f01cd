import { extension as a2a } from "@swarmbase/a2a";
import { extension as a2aClient } from "@swarmbase/a2a-client";
import { extension as accountExport } from "@swarmbase/account-export";
import { extension as agUi } from "@swarmbase/ag-ui";
import { extension as agentsAsCode } from "@swarmbase/agents-as-code";
import { extension as appFunctions } from "@swarmbase/app-functions";
import { extension as listen } from "@swarmbase/listen";
import { extension as mcpClient } from "@swarmbase/mcp-client";
import { extension as mcpServer } from "@swarmbase/mcp-server";
import { extension as openaiApi } from "@swarmbase/openai-api";
import { extension as opentelemetry } from "@swarmbase/opentelemetry";
import { extension as operator } from "@swarmbase/operator";
import { extension as backup } from "@swarmbase/backup";
import { extension as databaseTools } from "@swarmbase/database-tools";
import { extension as docsSite } from "@swarmbase/docs-site";
import { extension as providers } from "@swarmbase/providers";
import { extension as reference, renderOpenApi } from "@swarmbase/reference";
import { extension as rpcTools } from "@swarmbase/rpc-tools";
import { extension as schedules } from "@swarmbase/schedules";
import { extension as triggers } from "@swarmbase/triggers";
import { loadCommands } from "../../server/src/commands/index.ts";
import { describeInterface } from "../../server/src/extensions/index.ts";
import { renderAuthErrorsReference } from "./render-auth-errors-reference.ts";
import { renderCliReference } from "./render-cli-reference.ts";
import { renderConfigurationReference } from "./render-configuration-reference.ts";
import { renderErrorsReference } from "./render-errors-reference.ts";
import { renderLimitsReference } from "./render-limits-reference.ts";
import { renderObservationsReference } from "./render-observations-reference.ts";
import { renderOperatorsReference } from "./render-operators-reference.ts";
import { tablePages } from "./render-tables-reference.ts";
import { EVENT_DOCUMENTS } from "../sdk/event-documents.ts";

/** The extensions of this repository. */
export const SHIPPED_EXTENSIONS = [
  providers,
  reference,
  docsSite,
  databaseTools,
  listen,
  backup,
  agentsAsCode,
  appFunctions,
  opentelemetry,
  mcpServer,
  mcpClient,
  openaiApi,
  a2a,
  a2aClient,
  rpcTools,
  schedules,
  triggers,
  agUi,
  accountExport,
  operator,
];

const CORE_COMMANDS = await loadCommands();
const INTERFACE = await describeInterface();

/** Pages that are written by a program, with what writes them. */
export const GENERATED_PAGES: Readonly<Record<string, () => string>> = {
  ...EVENT_DOCUMENTS,
  "docs/reference/auth-errors.md": renderAuthErrorsReference,
  "docs/reference/cli.md": () => renderCliReference(CORE_COMMANDS, SHIPPED_EXTENSIONS),
  "docs/reference/configuration.md": () => renderConfigurationReference(SHIPPED_EXTENSIONS),
  "docs/reference/errors.md": renderErrorsReference,
  "docs/reference/limits.md": renderLimitsReference,
  "docs/reference/observations.md": renderObservationsReference,
  "docs/reference/operators.md": renderOperatorsReference,
  ...tablePages(),
  "docs/reference/openapi.json": () => renderOpenApi(INTERFACE),
};
