import { z } from 'zod';

const bodySchema = z.object({
  type: z.string().optional(),
  command: z.string().optional(),
  event: z.object({ type: z.string().optional() }).optional(),
});

/** The kind of a delivery, for the log. Payloads aren't logged: they contain prompts. */
export function deliveryKind(body: unknown): string | undefined {
  const { command, event, type } = bodySchema.safeParse(body).data ?? {};
  return command ?? event?.type ?? type;
}
