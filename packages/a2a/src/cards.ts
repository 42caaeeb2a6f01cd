import { AgentCard, type AgentSkill } from "@a2a-js/sdk";
import { isUuid } from "@swarmbase/sdk";
import { AppError } from "swarmbase/extension";
import { type CardSource, endpointOf, type Target } from "./target.ts";

/** A row of `agents` or `swarms`, as far as a card shows it. The system prompt is never part of a card. */
interface CardRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly avatar: string | null;
  readonly updated_at: string;
}

const MAX_SKILLS = 100;
const PUBLISHED = "settings->>a2a_published=eq.true";
const DESCRIPTION = { agents: "description:role", swarms: "description" } as const;
const MODES = ["text/plain", "application/json"];
const BEARER = "bearer";

/** Rejects with 404 when the caller of `rest` cannot see the row, or when it has to be published and is not. */
export async function readCard(source: CardSource, target: Target, isPublic: boolean): Promise<unknown> {
  const filters = [`id=eq.${target.id}`, ...(isPublic ? [PUBLISHED] : [])];
  const [row] = isUuid(target.id) ? await readRows(source, target.kind, filters) : [];
  if (row === undefined) throw new AppError("NOT_FOUND", "There is no published card at this address");
  const description = row.description ?? row.name;
  const skill = { ...toSkill(target.kind, row), id: "chat" };
  return renderCard(source, { ...row, description, url: endpointOf(source.baseUrl, target), skills: [skill] });
}

/** The card of the service: its skills are the published agents and swarms, each with the address of its own card. */
export async function readCatalogue(source: CardSource): Promise<unknown> {
  const filters = [PUBLISHED, "order=id", `limit=${MAX_SKILLS}`];
  const lists = await Promise.all(
    (["agents", "swarms"] as const).map(async (kind) =>
      (await readRows(source, kind, filters)).map((row) => ({
        ...toSkill(kind, row),
        description: `${row.description ?? row.name} (${endpointOf(source.baseUrl, { kind, id: row.id })}/.well-known/agent-card.json)`,
      })),
    ),
  );
  return renderCard(source, {
    name: "Swarmbase",
    description:
      "Agents and swarms of this service. Each skill names the address of the card that is used to talk to it.",
    avatar: null,
    updated_at: source.version,
    url: null,
    skills: lists.flat().slice(0, MAX_SKILLS),
  });
}

async function readRows(
  { rest }: CardSource,
  kind: Target["kind"],
  filters: readonly string[],
): Promise<readonly CardRow[]> {
  const select = `select=id,name,${DESCRIPTION[kind]},avatar,updated_at`;
  const { body } = await rest({ method: "GET", path: `/${kind}?${[select, ...filters].join("&")}` });
  return body as readonly CardRow[];
}

function toSkill(kind: Target["kind"], { id, name, description }: CardRow): AgentSkill {
  return {
    id: `${kind}/${id}`,
    name,
    description: description ?? name,
    tags: [kind === "agents" ? "agent" : "swarm"],
    examples: [],
    inputModes: [],
    outputModes: [],
    securityRequirements: [],
  };
}

interface CardContents extends Pick<CardRow, "name" | "avatar" | "updated_at"> {
  readonly description: string;
  /** Null for the catalogue, which takes no messages. */
  readonly url: string | null;
  readonly skills: AgentSkill[];
}

function renderCard({ baseUrl }: CardSource, { url, avatar, ...contents }: CardContents): unknown {
  const bindings = url === null ? [] : ["JSONRPC", "HTTP+JSON"];
  const card: AgentCard = {
    name: contents.name,
    description: contents.description,
    supportedInterfaces: bindings.map((protocolBinding) => ({
      url: url ?? baseUrl,
      protocolBinding,
      protocolVersion: "1.0",
      tenant: "",
    })),
    provider: undefined,
    version: contents.updated_at,
    documentationUrl: `${baseUrl}/docs/guides/a2a`,
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: url !== null, extensions: [] },
    securitySchemes: {
      [BEARER]: {
        scheme: {
          $case: "httpAuthSecurityScheme",
          value: {
            scheme: "Bearer",
            bearerFormat: "",
            description: "An access token or an API key (sk_…) of a user of the service",
          },
        },
      },
    },
    securityRequirements: [{ schemes: { [BEARER]: { list: [] } } }],
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: contents.skills,
    signatures: [],
    ...(avatar !== null && { iconUrl: avatar }),
  };
  return AgentCard.toJSON(card);
}
