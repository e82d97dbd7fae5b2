import { z } from 'zod';

const bodySchema = z.object({
  type: z.string().optional(),
  command: z.string().optional(),
  event: z.object({ type: z.string().optional() }).optional(),
});

/** What kind of delivery this was, for the log: payloads themselves hold prompts. */
export function whatWas(body: unknown): string | undefined {
  const { command, event, type } = bodySchema.safeParse(body).data ?? {};
  return command ?? event?.type ?? type;
}
