import { createTestDatabase } from "../support/database.ts";
import { checkAccess } from "./check-access.ts";

checkAccess("access on a server of our own", { open: (cleanup) => createTestDatabase(cleanup) });
