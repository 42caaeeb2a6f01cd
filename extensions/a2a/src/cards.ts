import { isUuid } from "@swarmbase/sdk";
import { AppError, readRows, type TableRow } from "swarmbase/extension";
import { type CardSource, endpointOf, type Target } from "./target.ts";

/** A row of `agents` or `swarms`, as far as a card shows it. The system prompt is never part of a card. */
type CardRow = TableRow<"swarms", "id" | "name" | "description" | "avatar" | "updated_at">;

const MAX_SKILLS = 100;
const PUBLISHED = "settings->>a2a_published=eq.true";
const SELECT = {
  agents: "select=id,name,description:role,avatar,updated_at",
  swarms: "select=id,name,description,avatar,updated_at",
} as const;

/** What all cards have in common. */
const COMMON = {
  securitySchemes: {
    bearer: {
      httpAuthSecurityScheme: {
        scheme: "Bearer",
        description: "An access token or an API key (sk_…) of a user of the service",
      },
    },
  },
  securityRequirements: [{ schemes: { bearer: {} } }],
  defaultInputModes: ["text/plain", "application/json"],
  defaultOutputModes: ["text/plain", "application/json"],
};

/** Rejects with 404 when the caller of `rest` cannot see the row, or when it has to be published and is not. */
export async function readCard(source: CardSource, target: Target, isPublic: boolean): Promise<unknown> {
  const { kind, id } = target;
  const query = [SELECT[kind], `id=eq.${id}`, ...(isPublic ? [PUBLISHED] : [])].join("&");
  const [row] = isUuid(id) ? await readRows<CardRow>(source, `/${kind}`, query) : [];
  if (row === undefined) throw new AppError("NOT_FOUND", "There is no published card at this address");
  const url = endpointOf(source.baseUrl, target);
  return {
    ...COMMON,
    name: row.name,
    description: row.description ?? row.name,
    version: row.updated_at,
    documentationUrl: documentationOf(source),
    supportedInterfaces: ["JSONRPC", "HTTP+JSON"].map((protocolBinding) => ({
      url,
      protocolBinding,
      protocolVersion: "1.0",
    })),
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    skills: [{ ...toSkill(kind, row), id: "chat" }],
    ...(row.avatar !== null && { iconUrl: row.avatar }),
  };
}

/** The card of the service: its skills are the published agents and swarms, each with the address of its own card. */
export async function readCatalogue(source: CardSource): Promise<unknown> {
  const lists = await Promise.all(
    (["agents", "swarms"] as const).map(async (kind) => {
      const query = [SELECT[kind], PUBLISHED, "order=id", `limit=${MAX_SKILLS}`].join("&");
      return (await readRows<CardRow>(source, `/${kind}`, query)).map((row) => {
        const skill = toSkill(kind, row);
        const address = `${endpointOf(source.baseUrl, { kind, id: row.id })}/.well-known/agent-card.json`;
        return { ...skill, description: `${skill.description} (${address})` };
      });
    }),
  );
  const skills = lists.flat().slice(0, MAX_SKILLS);
  return {
    ...COMMON,
    name: "Swarmbase",
    description:
      "Agents and swarms of this service. Each skill names the address of the card that is used to talk to it.",
    version: source.version,
    documentationUrl: documentationOf(source),
    // The catalogue takes no messages, so it has no interfaces.
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: false },
    ...(skills.length > 0 && { skills }),
  };
}

function documentationOf({ baseUrl }: CardSource): string {
  return `${baseUrl}/docs/guides/a2a`;
}

function toSkill(kind: Target["kind"], { id, name, description }: CardRow) {
  const tag = kind === "agents" ? "agent" : "swarm";
  return { id: `${kind}/${id}`, name, description: description ?? name, tags: [tag] };
}
