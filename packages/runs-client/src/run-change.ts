import { z } from 'zod';

/** Schema of a `change` event of `GET /agent/runs/events`, an extension of the API. */
export const runChangeSchema = z.looseObject({
  run_id: z.string(),
  state: z.string(),
  updated_at: z.string(),
});
export type RunChange = z.infer<typeof runChangeSchema>;
