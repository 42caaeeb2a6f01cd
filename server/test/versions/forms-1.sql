-- Rows as version 1 of the stored forms writes them: what waits in a database while nodes of two releases run on it.
-- Never edit the rows. A change of a form adds a file, and both must be readable (decision 0025).

insert into auth.users (id, email, email_confirmed_at)
values ('01a1ebd7-0000-7000-8000-000000000001', 'owner@example.test', now()),
  ('01a1ebd7-0000-7000-8000-000000000002', 'member@example.test', now());
insert into public.agents (id, user_id, name)
values ('01a1ebd7-0000-7000-8000-0000000000a1', '01a1ebd7-0000-7000-8000-000000000001', 'Ada'),
  ('01a1ebd7-0000-7000-8000-0000000000a2', '01a1ebd7-0000-7000-8000-000000000001', 'Bo');
insert into public.swarms (id, owner_id, name)
values ('01a1ebd7-0000-7000-8000-0000000000b1', '01a1ebd7-0000-7000-8000-000000000001', 'ended'),
  ('01a1ebd7-0000-7000-8000-0000000000b2', '01a1ebd7-0000-7000-8000-000000000001', 'lost');
insert into public.swarm_agents (swarm_id, agent_id)
values ('01a1ebd7-0000-7000-8000-0000000000b1', '01a1ebd7-0000-7000-8000-0000000000a1'),
  ('01a1ebd7-0000-7000-8000-0000000000b2', '01a1ebd7-0000-7000-8000-0000000000a2');
insert into public.swarm_members (swarm_id, user_id, role, status)
values ('01a1ebd7-0000-7000-8000-0000000000b1', '01a1ebd7-0000-7000-8000-000000000002', 'member', 'active');
insert into public.messages (id, swarm_id, sender_type, sender_user_id, content)
values ('01a1ebd7-0000-7000-8000-0000000000c1', '01a1ebd7-0000-7000-8000-0000000000b1', 'user',
    '01a1ebd7-0000-7000-8000-000000000001', 'hello'),
  ('01a1ebd7-0000-7000-8000-0000000000c2', '01a1ebd7-0000-7000-8000-0000000000b2', 'user',
    '01a1ebd7-0000-7000-8000-000000000001', 'hello');

-- From here on the rows are exactly these: no trigger adds to them.
set session_replication_role = replica;

-- A run that has ended, with its events. A row of deltas stands for several events.
insert into public.runs (id, swarm_id, user_id, message_id, strategy, status, stop_reason, turn_count, queued_at,
  started_at, finished_at, usage)
values ('01a1ebd7-0000-7000-8000-0000000000d1', '01a1ebd7-0000-7000-8000-0000000000b1',
  '01a1ebd7-0000-7000-8000-000000000001', '01a1ebd7-0000-7000-8000-0000000000c1', 'round_robin', 'completed',
  'all_replied', 1, now(), now(), now(),
  '{"cost_usd": null, "estimated": false, "input_tokens": 20, "total_tokens": 30, "output_tokens": 10,
    "cached_input_tokens": 0}');
insert into private.run_leases (run_id, owner, fence, expires_at) values
  ('01a1ebd7-0000-7000-8000-0000000000d1', null, 1, null);
insert into public.run_events (run_id, swarm_id, seq, agent_id, restricted, type, data)
select '01a1ebd7-0000-7000-8000-0000000000d1', '01a1ebd7-0000-7000-8000-0000000000b1', e.seq,
  case when e.is_of_agent then uuid '01a1ebd7-0000-7000-8000-0000000000a1' end, e.restricted, e.type,
  '{"run_id": "01a1ebd7-0000-7000-8000-0000000000d1", "swarm_id": "01a1ebd7-0000-7000-8000-0000000000b1"}' || e.data
from (values
  (1, false, false, 'run.started', jsonb '{"status": "running", "is_resumed": false}'),
  (2, true, false, 'turn.started', '{"model": "scripted", "turn_id": "5a699e1c-a2ba-4b9b-8cd8-fc47c870fd7d",
    "agent_id": "01a1ebd7-0000-7000-8000-0000000000a1", "agent_name": "Ada",
    "message_id": "b29998b2-6da2-4d9f-97b9-80391704c73c"}'),
  (3, true, false, 'agent.status_changed', '{"reason": "run_started", "status": "thinking",
    "agent_id": "01a1ebd7-0000-7000-8000-0000000000a1", "changed_at": "2026-11-17T23:28:11.889475+00:00",
    "previous_status": "idle"}'),
  (4, true, true, 'reasoning.delta', '{"deltas": ["hm"], "first_seq": 4,
    "turn_id": "5a699e1c-a2ba-4b9b-8cd8-fc47c870fd7d", "message_id": "b29998b2-6da2-4d9f-97b9-80391704c73c"}'),
  (6, true, false, 'message.delta', '{"deltas": ["Wai", "t."], "first_seq": 5,
    "turn_id": "5a699e1c-a2ba-4b9b-8cd8-fc47c870fd7d", "message_id": "b29998b2-6da2-4d9f-97b9-80391704c73c"}'),
  (7, true, true, 'tool.started', '{"input": {"word": "bridge"}, "turn_id": "5a699e1c-a2ba-4b9b-8cd8-fc47c870fd7d",
    "agent_id": "01a1ebd7-0000-7000-8000-0000000000a1", "tool_name": "look_up",
    "tool_execution_id": "0a1f4a71-2c0a-49ef-be35-119104a5f695"}'),
  (8, true, true, 'tool.executed', '{"input": {"word": "bridge"}, "status": "succeeded",
    "tool_id": "01a1ebd6-e474-731a-a480-807b9be6196f", "turn_id": "5a699e1c-a2ba-4b9b-8cd8-fc47c870fd7d",
    "agent_id": "01a1ebd7-0000-7000-8000-0000000000a1", "tool_name": "look_up", "truncated": false, "duration_ms": 1,
    "output_preview": "a structure", "tool_execution_id": "0a1f4a71-2c0a-49ef-be35-119104a5f695"}'),
  (9, true, false, 'turn.completed', '{"status": "completed", "turn_id": "5a699e1c-a2ba-4b9b-8cd8-fc47c870fd7d",
    "agent_id": "01a1ebd7-0000-7000-8000-0000000000a1", "agent_name": "Ada", "warnings": [], "finish_reason": "stop",
    "usage": {"cost_usd": null, "estimated": false, "input_tokens": 20, "total_tokens": 30, "output_tokens": 10,
      "cached_input_tokens": 0}}'),
  (10, false, false, 'run.completed', '{"status": "completed", "stop_reason": "all_replied", "responses": [],
    "errors": []}')
) as e (seq, is_of_agent, restricted, type, data);

-- A run whose node was lost while it wrote the answer after a tool call.
insert into public.runs (id, swarm_id, user_id, message_id, strategy, status, queued_at, started_at)
values ('01a1ebd7-0000-7000-8000-0000000000d2', '01a1ebd7-0000-7000-8000-0000000000b2',
  '01a1ebd7-0000-7000-8000-000000000001', '01a1ebd7-0000-7000-8000-0000000000c2', 'round_robin', 'running', now(),
  now());
insert into private.run_leases (run_id, owner, fence, expires_at) values
  ('01a1ebd7-0000-7000-8000-0000000000d2', 'lost node', 1, now() - interval '1 second');
insert into public.run_turns (id, run_id, swarm_id, agent_id, agent_name, position, status, framework, model,
  message_id, agent_version, started_at)
values ('999c4630-5e5a-43c5-b2c9-9ccadaad4a8d', '01a1ebd7-0000-7000-8000-0000000000d2',
  '01a1ebd7-0000-7000-8000-0000000000b2', '01a1ebd7-0000-7000-8000-0000000000a2', 'Bo', 0, 'responding', 'provider_a',
  'scripted', '8b54795f-aa4c-4be3-8752-d0cff6bc8857', 1, now());
insert into private.turn_snapshots (turn_id, config) values ('999c4630-5e5a-43c5-b2c9-9ccadaad4a8d', '{
  "name": "Bo", "role": null, "framework": "provider_a", "model": null, "system_prompt": null, "settings": {},
  "tools": []}');
insert into private.run_progress (run_id, progress) values ('01a1ebd7-0000-7000-8000-0000000000d2', '{
  "seq": 4, "finished": [], "elapsedMs": 83, "turnCount": 1, "answerCount": 0, "toolCallCount": 1,
  "suspended": [{
    "id": "999c4630-5e5a-43c5-b2c9-9ccadaad4a8d", "text": "Wait.", "asked": null, "model": "scripted",
    "usage": {"inputTokens": 10, "isEstimated": false, "outputTokens": 5, "reasoningTokens": 0, "cachedInputTokens": 0},
    "agentId": "01a1ebd7-0000-7000-8000-0000000000a2", "costUsd": null, "waiting": [], "attempts": 1,
    "messages": [
      {"role": "assistant", "content": "Wait.",
       "toolCalls": [{"id": "27b2a834-a0eb-46e7-a452-634c5b8c17d3", "name": "look_up", "inputText": "{}"}]},
      {"role": "tool", "output": "look_up says {}", "isError": false, "toolName": "look_up",
       "toolCallId": "27b2a834-a0eb-46e7-a452-634c5b8c17d3"}],
    "position": 0, "usedTool": true, "warnings": [], "framework": "provider_a",
    "messageId": "8b54795f-aa4c-4be3-8752-d0cff6bc8857", "toolSteps": 1, "durationMs": 80, "firstTokenMs": 1,
    "lastSeq": 1, "reservationIds": []}]}');
insert into public.run_events (run_id, swarm_id, seq, agent_id, restricted, type, data)
select '01a1ebd7-0000-7000-8000-0000000000d2', '01a1ebd7-0000-7000-8000-0000000000b2', e.seq,
  case when e.is_of_agent then uuid '01a1ebd7-0000-7000-8000-0000000000a2' end, false, e.type,
  '{"run_id": "01a1ebd7-0000-7000-8000-0000000000d2", "swarm_id": "01a1ebd7-0000-7000-8000-0000000000b2"}' || e.data
from (values
  (1, false, 'run.started', jsonb '{"status": "running", "is_resumed": false}'),
  (2, true, 'turn.started', '{"model": "scripted", "turn_id": "999c4630-5e5a-43c5-b2c9-9ccadaad4a8d",
    "agent_id": "01a1ebd7-0000-7000-8000-0000000000a2", "agent_name": "Bo",
    "message_id": "8b54795f-aa4c-4be3-8752-d0cff6bc8857"}'),
  (3, true, 'message.delta', '{"deltas": ["Wait."], "first_seq": 3, "turn_id": "999c4630-5e5a-43c5-b2c9-9ccadaad4a8d",
    "message_id": "8b54795f-aa4c-4be3-8752-d0cff6bc8857"}'),
  (5, true, 'message.delta', '{"deltas": ["\n\n", "It is pro"], "first_seq": 4,
    "turn_id": "999c4630-5e5a-43c5-b2c9-9ccadaad4a8d", "message_id": "8b54795f-aa4c-4be3-8752-d0cff6bc8857"}')
) as e (seq, is_of_agent, type, data);

-- Events that no node has turned into deliveries yet.
insert into private.events (id, type, data, audience, created_at)
values ('01a1ebd7-0000-7000-8000-0000000000e1', 'agent.created', '{"agent_id": "01a1ebd7-0000-7000-8000-0000000000a1",
  "name": "Ada", "framework": "provider_a", "actor": {"type": "system", "id": null}}',
    '{01a1ebd7-0000-7000-8000-000000000001}', '2026-11-17T23:28:43.498Z'),
  ('01a1ebd7-0000-7000-8000-0000000000e2', 'message.created', '{"message_id": "01a1ebd7-0000-7000-8000-0000000000c1",
  "swarm_id": "01a1ebd7-0000-7000-8000-0000000000b1", "content": "hello", "sender_type": "user",
  "sender_id": "01a1ebd7-0000-7000-8000-000000000001", "sender_name": "User 01a1ebd7", "run_id": null,
  "reply_to_id": null, "created_at": "2026-11-17T23:28:43.498974+00:00", "actor": {"type": "system", "id": null}}',
    '{01a1ebd7-0000-7000-8000-000000000001}', '2026-11-17T23:28:43.498Z'),
  ('01a1ebd7-0000-7000-8000-0000000000e3', 'run.updated', '{"run_id": "01a1ebd7-0000-7000-8000-0000000000d1",
  "swarm_id": "01a1ebd7-0000-7000-8000-0000000000b1", "user_id": "01a1ebd7-0000-7000-8000-000000000001",
  "status": "completed", "stop_reason": "all_replied", "message_id": "01a1ebd7-0000-7000-8000-0000000000c1"}',
    '{01a1ebd7-0000-7000-8000-000000000001}', '2026-11-17T23:28:43.963Z');

-- A delivery that waits for its second attempt.
insert into public.webhook_deliveries (id, webhook_id, user_id, event_id, event_type, payload, status, attempts,
  next_retry_at)
values ('01a1ebd7-0000-7000-8000-0000000000f1', '01a1ebd7-0000-7000-8000-0000000000f0',
  '01a1ebd7-0000-7000-8000-000000000001', '01a1ebd7-0000-7000-8000-0000000000e0', 'swarm.created',
  '{"id":"evt_01a1ebd7-0000-7000-8000-0000000000e0","type":"swarm.created","created_at":"2026-11-17T23:28:40.000Z",'
  '"api_version":"2026-11-15","data":{"swarm_id":"01a1ebd7-0000-7000-8000-0000000000b1","name":"ended"}}',
  'retrying', 1, now());
insert into private.webhook_queue (delivery_id, webhook_id, event_seq, run_at)
values ('01a1ebd7-0000-7000-8000-0000000000f1', '01a1ebd7-0000-7000-8000-0000000000f0', 0, now());
insert into private.webhook_endpoint_queues (webhook_id, next_due_at)
values ('01a1ebd7-0000-7000-8000-0000000000f0', now());

reset session_replication_role;
