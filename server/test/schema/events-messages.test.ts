import assert from "node:assert/strict";
import { all, type EventCase, SERVICE, SYSTEM, testEvents, user } from "./support/event-cases.ts";

const MESSAGES: readonly EventCase[] = [
  {
    name: "a message",
    act: ({ stage, member, swarm }) => stage.insert(member, "messages", { swarm_id: swarm, content: "Hi" }),
    expect: (fixture) => [
      {
        type: "message.created",
        to: all(fixture),
        data: {
          content: "Hi",
          sender_type: "user",
          sender_id: fixture.member,
          sender_name: "Olga",
          run_id: null,
          actor: user(fixture.member),
        },
      },
    ],
  },
  {
    name: "an agent's reply",
    act: ({ stage, swarm, agent }) =>
      stage.insert("service_role", "messages", {
        swarm_id: swarm,
        content: "Hi",
        sender_type: "agent",
        sender_agent_id: agent,
      }),
    expect: (fixture) => [
      {
        type: "message.created",
        to: all(fixture),
        data: { sender_type: "agent", sender_id: fixture.agent, sender_name: "Ada", actor: SERVICE },
      },
    ],
  },
  {
    name: "an edit",
    act: ({ stage, member, message }) =>
      stage.update(member, "messages", message, { content: "Bye", metadata: { a: 1 } }),
    expect: (fixture) => [
      {
        type: "message.updated",
        to: all(fixture),
        data: {
          message_id: fixture.message,
          content: "Bye",
          changed_fields: ["content", "metadata"],
          actor: user(fixture.member),
        },
      },
    ],
  },
  {
    name: "an edit that changes nothing",
    act: ({ stage, member, message }) => stage.update(member, "messages", message, { content: "Hello", metadata: {} }),
  },
  {
    name: "a deletion",
    act: ({ stage, admin, message }) => stage.remove(admin, "messages", message),
    expect: (fixture) => [
      { type: "message.deleted", to: all(fixture), data: { message_id: fixture.message, actor: user(fixture.admin) } },
    ],
  },
  {
    name: "clearing a tombstone",
    act: async ({ stage, owner, message }) => {
      await stage.remove(owner, "messages", message);
      await stage.takeEvents();
      await stage.remove("service_role", "messages", message);
    },
  },
  {
    name: "a flag, to the flagger and to those who manage the swarm",
    act: ({ stage, viewer, message }) =>
      stage.insert(viewer, "message_flags", { message_id: message, category: "spam", reason: "ad" }),
    expect: ({ owner, admin, viewer, message }) => [
      {
        type: "message.flagged",
        to: [owner, admin, viewer],
        data: { message_id: message, content: "Hello", actor: user(viewer) },
      },
    ],
  },
  {
    name: "a flag by moderation",
    act: ({ stage, message }) =>
      stage.insert("internal", "public.message_flags", { message_id: message, source: "moderation" }),
    expect: ({ owner, admin }) => [{ type: "message.flagged", to: [owner, admin], data: { actor: SYSTEM } }],
  },
  {
    name: "a second flag by the same user",
    act: async ({ stage, viewer, message }) => {
      await stage.insert(viewer, "message_flags", { message_id: message });
      await stage.takeEvents();
      await assert.rejects(stage.insert(viewer, "message_flags", { message_id: message }));
    },
  },
  {
    name: "the last flag taken back",
    act: async ({ stage, viewer, message }) => {
      const { id } = await stage.insert(viewer, "message_flags", { message_id: message });
      await stage.takeEvents();
      await stage.remove(viewer, "message_flags", id);
    },
    expect: (fixture) => [
      { type: "message.updated", to: all(fixture), data: { changed_fields: ["flagged"], actor: user(fixture.viewer) } },
    ],
  },
];

testEvents({ messages: MESSAGES });
