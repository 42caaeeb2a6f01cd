import { isUuid } from "@swarmbase/sdk";
import {
  AppError,
  type ExtensionContext,
  type ExtensionRequest,
  type ExtensionResponse,
  readAgents,
} from "swarmbase/extension";

const PAGE = 100;

/** GET /ag-ui/agents: the agents that the caller may ask, with their addresses; `after` continues behind the last one of a page. */
export async function listAgents(
  { core, query }: ExtensionRequest,
  { baseUrl }: ExtensionContext,
): Promise<ExtensionResponse> {
  const { after } = query;
  if (after !== undefined && !isUuid(after))
    throw new AppError("VALIDATION_ERROR", "The request is not valid", {
      details: { after: "must be the id of an agent" },
    });
  const position = after === undefined ? {} : { id: `gt.${after}` };
  const agents = await readAgents(core, { order: "id", limit: PAGE, ...position });
  return {
    body: {
      agents: agents.map(({ id, name, role, avatar, description, payer, approver, transcripts }) => ({
        id,
        name,
        description: description ?? role,
        avatar,
        url: `${baseUrl()}/ag-ui/agents/${id}`,
        payer,
        approver,
        transcripts,
      })),
    },
  };
}
