export { deleteSessions as endSessions, type WhichSessions } from "./sql/sessions.ts";
