import type { IncomingMessage } from 'node:http';

/** The same limit as Bolt's receiver. Slack's deliveries are a hundred times smaller. */
const mostBytes = 4 * 1024 * 1024;
/** Without a signature only Slack's check of the certificate is answered, which is tiny. */
export const mostUnsignedBytes = 1_024;

/**
 * The body as text. Undefined if it's too large: then the rest isn't read.
 * @throws if the sender disconnects
 */
export function readBody(request: IncomingMessage, isSigned: boolean): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const limit = isSigned ? mostBytes : mostUnsignedBytes;
    const chunks: Buffer[] = [];
    let bytes = 0;
    function take(chunk: Buffer): void {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes <= limit) return;
      request.off('data', take).pause();
      resolve(undefined);
    }
    request.on('data', take);
    request.on('end', () => resolve(textOf(chunks)));
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
