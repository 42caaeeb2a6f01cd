import { all, type EventCase, SERVICE, testEvents, user } from "./support/event-cases.ts";

const AGENTS: readonly EventCase[] = [
  {
    name: "a new agent",
    act: ({ stage, owner }) => stage.newAgent(owner, { name: "Bob", role: "helper", model: "m" }),
    expect: ({ owner }) => [
      {
        type: "agent.created",
        to: [owner],
        data: { name: "Bob", framework: "provider_a", model: "m", role: "helper", actor: user(owner) },
      },
    ],
  },
  {
    name: "a change",
    act: ({ stage, owner, agent }) => stage.update(owner, "agents", agent, { name: "Bob", settings: { top_p: 1 } }),
    expect: ({ owner, agent }) => [
      {
        type: "agent.updated",
        to: [owner],
        data: { agent_id: agent, changed_fields: ["name", "settings"], actor: user(owner) },
      },
    ],
  },
  {
    name: "a change that changes nothing",
    act: ({ stage, owner, agent }) => stage.update(owner, "agents", agent, { name: " Ada ", status: "idle" }),
  },
  {
    name: "a status alone",
    act: ({ stage, owner, agent }) => stage.update(owner, "agents", agent, { status: "error" }),
    expect: ({ owner, agent }) => [
      {
        type: "agent.status_changed",
        to: [owner],
        data: {
          agent_id: agent,
          status: "error",
          previous_status: "idle",
          reason: "manual",
          run_id: null,
          swarm_id: null,
        },
      },
    ],
  },
  {
    name: "a status and more",
    act: ({ stage, agent }) => stage.update("service_role", "agents", agent, { status: "thinking", name: "Bob" }),
    expect: ({ owner }) => [
      { type: "agent.updated", to: [owner], data: { changed_fields: ["name"], actor: SERVICE } },
      { type: "agent.status_changed", to: [owner], data: { status: "thinking" } },
    ],
  },
  {
    name: "a deletion, after the agent has left its swarms",
    act: ({ stage, owner, agent }) => stage.remove(owner, "agents", agent),
    expect: (fixture) => [
      {
        type: "swarm.agent_removed",
        to: all(fixture),
        data: { agent_id: fixture.agent, reason: "agent_deleted", actor: user(fixture.owner) },
      },
      {
        type: "agent.deleted",
        to: [fixture.owner],
        data: { name: "Ada", removed_from_swarms: [fixture.swarm], actor: user(fixture.owner) },
      },
    ],
  },
];

testEvents({ agents: AGENTS });
