import { z } from 'zod';
import type { SecretMask } from '../harness.ts';

const updateMessage = z.object({
  method: z.literal('session/update'),
  params: z.object({ update: z.looseObject({ sessionUpdate: z.string() }) }),
});
const chunk = z.looseObject({
  sessionUpdate: z.enum(['agent_message_chunk', 'agent_thought_chunk']),
  content: z.looseObject({ type: z.literal('text'), text: z.string() }),
});
const turnEnd = z.object({
  result: z.object({ stopReason: z.string(), usage: z.unknown().optional() }),
});

/**
 * Turns messages into lines that can be recorded: updates, and the ends of turns. Pieces of a text go through one mask,
 * so that a secret in two pieces is found.
 */
export function createAcpTranscript(openMask: () => SecretMask) {
  let open: { key: string; wrap: (text: string) => string; mask: SecretMask } | undefined;

  function closeText(): string {
    const rest = open?.mask.flush().toString('utf8') ?? '';
    const line = rest === '' ? '' : (open?.wrap(rest) ?? '');
    open = undefined;
    return line;
  }

  function text(update: z.infer<typeof chunk>): string {
    const key = JSON.stringify([update.sessionUpdate, update['messageId']]);
    const before = open?.key === key ? '' : closeText();
    const wrap = (words: string) =>
      lineOf({ ...update, content: { type: 'text', text: words }, _meta: undefined });
    const mask = open?.mask ?? openMask();
    open = { key, wrap, mask };
    const shown = mask.push(Buffer.from(update.content.text)).toString('utf8');
    return before + (shown === '' ? '' : wrap(shown));
  }

  return {
    /** The lines for a message; none for requests and most responses. */
    read(message: unknown): string {
      const { data: said } = updateMessage.safeParse(message);
      if (said) {
        const { update } = said.params;
        const { data: piece } = chunk.safeParse(update);
        return piece ? text(piece) : closeText() + lineOf(update);
      }
      const { data: end } = turnEnd.safeParse(message);
      return end ? closeText() + lineOf(end.result) : '';
    },
    end: closeText,
  };
}

const lineOf = (value: object) => `${JSON.stringify(value)}\n`;
