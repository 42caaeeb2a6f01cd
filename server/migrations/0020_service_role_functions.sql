-- Functions that a developer adds are the service role's to call, as tables and sequences are. Nobody else's, until granted.
alter default privileges in schema public grant execute on functions to service_role;
