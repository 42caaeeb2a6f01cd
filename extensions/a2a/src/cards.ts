import { isUuid } from "@swarmbase/sdk";
import { AppError, type AskableAgent, readAgents, readRows, type TableRow } from "swarmbase/extension";
import { type CardSource, endpointOf, RESOURCE, type Target } from "./target.ts";

/** What a card shows of an agent or a swarm; the system prompt, the model and the owner are never part of it. */
type CardRow = TableRow<"swarms", "id" | "name" | "description" | "avatar"> & {
  /** Null for an agent of somebody else: its changes are its owner's. */
  readonly updated_at: string | null;
};

const MAX_SKILLS = 100;
const IN_ORDER = { order: "id", limit: MAX_SKILLS } as const;
const SWARM = "select=id,name,description,avatar,updated_at&order=id";
const PUBLISHED = "settings->>a2a_published=eq.true";

/** What all cards have in common. A program asks the user for a token, or has one of the user. */
function describeCommon(baseUrl: string) {
  const issuer = `${baseUrl}/auth/v1`;
  const tokenUrl = `${issuer}/oauth/token`;
  return {
    securitySchemes: {
      oauth2: {
        oauth2SecurityScheme: {
          description: `A token for the resource ${baseUrl}${RESOURCE}, with the consent of a user of the service`,
          flows: {
            authorizationCode: {
              authorizationUrl: `${issuer}/oauth/authorize`,
              tokenUrl,
              refreshUrl: tokenUrl,
              scopes: { read: "Read agents, swarms and messages", run: "Ask agents" },
              pkceRequired: true,
            },
          },
          oauth2MetadataUrl: `${baseUrl}/.well-known/oauth-authorization-server/auth/v1`,
        },
      },
      bearer: {
        httpAuthSecurityScheme: {
          scheme: "Bearer",
          description: "An access token or an API key (sk_…) of a user of the service",
        },
      },
    },
    securityRequirements: [{ schemes: { oauth2: { list: ["read", "run"] } } }, { schemes: { bearer: {} } }],
    defaultInputModes: ["text/plain", "application/json"],
    defaultOutputModes: ["text/plain", "application/json"],
  };
}

/** Rejects with 404 when the caller may not ask the agent or see the swarm, or when everybody would have to and does not. */
export async function readCard(source: CardSource, target: Target): Promise<unknown> {
  const { kind, id } = target;
  const [row] = isUuid(id) ? await READERS[kind](source, id) : [];
  if (row === undefined) throw new AppError("NOT_FOUND", "There is no card for you at this address");
  const url = endpointOf(source.baseUrl, target);
  return {
    ...describeCommon(source.baseUrl),
    name: row.name,
    description: row.description ?? row.name,
    version: row.updated_at ?? source.version,
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

/** The card of the service: its skills are agents that the caller may ask and published swarms, each with the address of its own card. */
export async function readCatalogue(source: CardSource): Promise<unknown> {
  const lists = await Promise.all(
    (["agents", "swarms"] as const).map(async (kind) => {
      return (await READERS[kind](source)).map((row) => {
        const skill = toSkill(kind, row);
        const address = `${endpointOf(source.baseUrl, { kind, id: row.id })}/.well-known/agent-card.json`;
        return { ...skill, description: `${skill.description} (${address})` };
      });
    }),
  );
  const skills = lists.flat().slice(0, MAX_SKILLS);
  return {
    ...describeCommon(source.baseUrl),
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

type Reader = (source: CardSource, id?: string) => Promise<readonly CardRow[]>;

/** The rows with cards for the caller; with an id, that one alone. */
const READERS: Readonly<Record<Target["kind"], Reader>> = {
  async agents({ core, restAsService: rest, now }, id) {
    if (core !== null) {
      const agents = await readAgents(core, { ...IN_ORDER, ...(id !== undefined && { id: `eq.${id}` }) });
      return agents.map(describeAgent);
    }
    const query = new URLSearchParams({
      select: `id:agent_id,runs_per_day,transcripts,agent_version,...agents!inner(name,role,avatar,description),...agent_versions(version_role:role)`,
      audience: "eq.everyone",
      or: `(expires_at.is.null,expires_at.gt.${now().toISOString()})`,
      // The first grant of each agent is the one that applies.
      order: "agent_id,priority.desc,created_at,id",
      limit: String(MAX_SKILLS),
      ...(id !== undefined && { agent_id: `eq.${id}` }),
    });
    const grants = await readRows<EveryonesGrant>({ rest }, "/agent_grants", query);
    return grants
      .filter((grant, index) => grant.id !== grants[index - 1]?.id && grant.runs_per_day !== 0)
      .map(({ agent_version: version, version_role: pinned, ...grant }) =>
        describeAgent({ ...grant, role: version === null ? grant.role : pinned, updated_at: null }),
      );
  },
  async swarms({ core, restAsService: rest }, id) {
    const published = `${SWARM}&${PUBLISHED}&limit=${MAX_SKILLS}`;
    if (id === undefined) return readRows<CardRow>({ rest }, "/swarms", published);
    const own = core === null ? [] : await readRows<CardRow>(core, "/swarms", `${SWARM}&id=eq.${id}`);
    return own.length > 0 ? own : readRows<CardRow>({ rest }, "/swarms", `${published}&id=eq.${id}`);
  },
};

type ShownAgent = Pick<AskableAgent, "id" | "name" | "role" | "avatar" | "description" | "transcripts" | "updated_at">;
/** A grant to everyone, with the agent, and the role of its version if the grant pins one. */
type EveryonesGrant = Omit<ShownAgent, "updated_at"> &
  TableRow<"agent_grants", "runs_per_day" | "agent_version"> & { readonly version_role: string | null };

/** Whoever asks is told before the first message that somebody else reads the conversation. */
function describeAgent({ id, name, role, avatar, description, transcripts, updated_at }: ShownAgent): CardRow {
  const notice = transcripts === "owner" ? "The owner of the agent reads the conversation." : null;
  const texts = [description ?? role ?? name, notice].filter((text) => text !== null);
  return { id, name, description: texts.join(" "), avatar, updated_at };
}

function documentationOf({ baseUrl }: CardSource): string {
  return `${baseUrl}/docs/guides/a2a`;
}

function toSkill(kind: Target["kind"], { id, name, description }: CardRow) {
  const tag = kind === "agents" ? "agent" : "swarm";
  return { id: `${kind}/${id}`, name, description: description ?? name, tags: [tag] };
}
