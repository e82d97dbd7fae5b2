import type { IncomingMessage } from 'node:http';

/** The same limit as Bolt's receiver. Slack's deliveries are a hundred times smaller. */
const mostBytes = 4 * 1024 * 1024;

/**
 * The body as text; undefined if it's too large.
 * @throws if the sender disconnects
 */
export function readBody(request: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > mostBytes) chunks.length = 0;
      else chunks.push(chunk);
    });
    request.on('end', () => resolve(bytes > mostBytes ? undefined : textOf(chunks)));
    request.on('error', reject);
  });
}

function textOf(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  return (chunks.length === 1 && first ? first : Buffer.concat(chunks)).toString();
}

const payloadField = 'payload=';

/**
 * Events are JSON, commands are form fields, and everything else is one form field `payload` with JSON. That one is by
 * far the largest, so it's decoded at once. Undefined if it's none of them.
 */
export function readDelivery(text: string): Record<string, unknown> | undefined {
  try {
    if (text.startsWith('{')) return asRecord(JSON.parse(text));
    if (text.startsWith(payloadField) && !text.includes('&')) {
      return asRecord(JSON.parse(decode(text.slice(payloadField.length))));
    }
    const fields = Object.fromEntries(new URLSearchParams(text));
    const { payload, command, ssl_check: check } = fields;
    if (payload !== undefined) return asRecord(JSON.parse(payload));
    return command === undefined && check === undefined ? undefined : fields;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof URIError) return undefined;
    throw error;
  }
}

const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '));

const asRecord = (value: unknown): Record<string, unknown> | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
