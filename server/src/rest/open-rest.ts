import { openCatalogue } from "./catalogue/watch-catalogue.ts";
import type { RestOptions } from "./rest-options.ts";
import { RestModule } from "./rest-module.ts";

export async function openRest(options: RestOptions): Promise<RestModule> {
  const { database, listenUrl, settings, observer } = options;
  const catalogue = await openCatalogue({ pool: database.service, listenUrl, schemas: settings.dbSchemas, observer });
  return new RestModule(options, catalogue);
}
