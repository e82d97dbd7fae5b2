import { Readable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { parseJson } from 'base/parse-json';
import { z } from 'zod';
import type { SecretMask } from '../harness.ts';

const messageSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
});

/** Max length of a message, in bytes. Longer lines are recorded as plain output. */
const maxLineBytes = 16 * 1024 * 1024;

/** Limits of the agent's open requests, and of the bytes that it hasn't read yet. Requests beyond them are ignored. */
const maxRequests = 100;
const maxUnreadBytes = 16 * 1024 * 1024;

/**
 * Creates a stream that exchanges messages with an agent over its process's standard input and output. Output that
 * isn't a protocol message, such as a warning, is recorded unchanged.
 */
export function createAcpStream(openMask: () => SecretMask) {
  const input = new Readable({ read: () => undefined });
  const transcript = createAcpTranscript(openMask);
  const pending = new Set<string | number>();
  let requests = 0;
  let received = 0;
  let isReplaying = false;
  let held: Buffer[] = [];
  let heldBytes = 0;
  let incoming: ReadableStreamDefaultController<AnyMessage> | undefined;

  const stream: Stream = {
    readable: new ReadableStream({
      start: (controller) => {
        incoming = controller;
      },
      cancel: () => {
        incoming = undefined;
      },
    }),
    writable: new WritableStream({
      write(message) {
        if (!incoming) return;
        if (!('method' in message)) requests -= 1;
        else if ('id' in message && message.id != null) pending.add(message.id);
        input.push(`${JSON.stringify(message)}\n`);
      },
    }),
  };

  /** Passes on the protocol message in a line of output. Returns the text to record for the line. */
  function readLine(line: string): string {
    const message = parse(line);
    if (!message) return `${line}\n`;
    const { id, method } = message;
    const isExpected =
      method === undefined ? id !== undefined && pending.delete(id) : id !== undefined;
    if (isExpected || method !== undefined) received += 1;
    const shown = isReplaying ? '' : transcript.read(message);
    // Pass on only responses and requests, because the transcript handles all other messages.
    if (isExpected && (method === undefined || admitRequest()))
      incoming?.enqueue(message as AnyMessage);
    return shown;
  }

  /** Counts another request of the agent. Returns false if there are too many. */
  function admitRequest(): boolean {
    if (requests >= maxRequests || input.readableLength > maxUnreadBytes) return false;
    requests += 1;
    return true;
  }

  return {
    stream,
    /** Standard input of the process. */
    input,
    /** Returns the number of messages that the agent has sent. */
    received: () => received,
    /**
     * Turns replay mode on or off. While it's on, messages aren't recorded, because an agent that loads a session
     * repeats earlier messages.
     */
    replay(isOn: boolean): void {
      isReplaying = isOn;
    },

    push(chunk: Buffer): Buffer {
      const end = chunk.lastIndexOf(0x0a) + 1;
      if (end === 0 && heldBytes + chunk.length <= maxLineBytes) {
        held.push(chunk);
        heldBytes += chunk.length;
        return Buffer.alloc(0);
      }
      const whole = Buffer.concat([...held, chunk.subarray(0, end || chunk.length)]);
      held = [chunk.subarray(end || chunk.length)];
      heldBytes = held[0]?.length ?? 0;
      const lines = whole.toString('utf8').replace(/\n$/, '').split('\n');
      return Buffer.from(lines.map(readLine).join(''));
    },

    /** Closes the agent's input and stops passing on its messages. Later output is only recorded. */
    end(): void {
      input.push(null);
      incoming?.close();
      incoming = undefined;
    },
  };
}

const parse = (line: string) =>
  line.startsWith('{') ? messageSchema.safeParse(parseJson(line)).data : undefined;

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
 * Creates a transcript, which converts updates and the ends of turns into lines to record. All pieces of a text go
 * through one mask, so that a secret is found even if it's split.
 */
function createAcpTranscript(openMask: () => SecretMask) {
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
    /** Returns the lines to record for a message. Returns an empty string for requests and most responses. */
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
