import type pg from "pg";
import type { NamedImage } from "../../providers/model-port.ts";

export async function loadImages(pool: pg.Pool, runId: string): Promise<readonly NamedImage[]> {
  const { rows } = await pool.query<NamedImage>({
    name: "agents-load-images",
    text: `select name, media_type as "mediaType", translate(encode(data, 'base64'), E'\\n', '') as data
           from private.run_images where run_id = $1 order by position`,
    values: [runId],
  });
  return rows;
}
