import { Readable } from 'node:stream';
import type { AnyMessage, Stream } from '@agentclientprotocol/sdk';
import { parseJson } from 'base/parse-json';
import { z } from 'zod';
import type { SecretMask } from '../harness.ts';
import { createAcpTranscript } from './acp-messages.ts';

const messageSchema = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
});

/** More than any message needs. A longer line is output. */
const maxLineBytes = 16 * 1024 * 1024;

/** Requests of the agent at once, and what it doesn't read of our answers. More requests are ignored. */
const maxRequests = 100;
const maxUnreadBytes = 16 * 1024 * 1024;

/**
 * A connection over the pipes of a process. Output that isn't a message of the protocol is recorded as it is, because
 * agents print warnings there, and hostile ones anything.
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

  /** Returns what is recorded of a line. */
  function readLine(line: string): string {
    const message = parse(line);
    if (!message) return `${line}\n`;
    const { id, method } = message;
    const isExpected =
      method === undefined ? id !== undefined && pending.delete(id) : id !== undefined;
    if (isExpected || method !== undefined) received += 1;
    const shown = isReplaying ? '' : transcript.read(message);
    // Updates are read here. The rest answers us or asks us.
    if (isExpected && (method === undefined || mayAsk())) incoming?.enqueue(message as AnyMessage);
    return shown;
  }

  /** Counts one more request of the agent, unless there are too many. */
  function mayAsk(): boolean {
    if (requests >= maxRequests || input.readableLength > maxUnreadBytes) return false;
    requests += 1;
    return true;
  }

  return {
    stream,
    /** Standard input of the process. */
    input,
    /** How many messages came. */
    received: () => received,
    /** While an agent loads a session, it repeats what was said. */
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

    /** Closes the agent's input. What it still sends is only recorded. */
    end(): void {
      input.push(null);
      incoming?.close();
      incoming = undefined;
    },
  };
}

const parse = (line: string) =>
  line.startsWith('{') ? messageSchema.safeParse(parseJson(line)).data : undefined;
