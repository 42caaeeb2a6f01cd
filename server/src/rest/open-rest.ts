import { openCatalogue } from "./catalogue/watch-catalogue.ts";
import type { RestOptions } from "./rest-options.ts";
import { RestRoom } from "./rest-room.ts";

export async function openRest(options: RestOptions): Promise<RestRoom> {
  const { database, listenUrl, settings, observer } = options;
  const catalogue = await openCatalogue({ pool: database.service, listenUrl, schemas: settings.dbSchemas, observer });
  return new RestRoom(options, catalogue);
}
