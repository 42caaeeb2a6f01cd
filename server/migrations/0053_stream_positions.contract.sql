-- A stream continues after any event id: an event that is not stored yet will be, or a later event restarts its turn.

-- after functions

drop function if exists private.find_stream_position(uuid, integer);
