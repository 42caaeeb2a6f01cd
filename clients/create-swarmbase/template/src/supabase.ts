import { createClient } from "@supabase/supabase-js";
import type { Database } from "@swarmbase/sdk";

const { VITE_SWARMBASE_URL: url = location.origin, VITE_SWARMBASE_ANON_KEY: key } = import.meta.env;

export const supabase = createClient<Database>(url, key);
