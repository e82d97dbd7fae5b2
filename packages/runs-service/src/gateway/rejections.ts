import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ModelApi } from '../environments/models-config.ts';
import type { Flavor } from './routes.ts';

/** Response of the gateway itself, in place of a provider's. */
export type Rejection = {
  status: number;
  message: string;
  /** Code for programs that read one. */
  code: string;
  retryAfterSeconds?: number;
};

export const noToken: Rejection = {
  status: 401,
  code: 'invalid_api_key',
  message:
    "The token of this run is missing or wrong. It's in the variables that the run's agent got.",
};
export const notFound: Rejection = {
  status: 404,
  code: 'not_found',
  message: "The model gateway doesn't offer this address.",
};

/**
 * Rejects what the run isn't allowed to do, such as a call over a cap. Each program shows the message of this status at
 * once, and doesn't repeat the call.
 */
export function deniedBy(api: ModelApi, code: string, message: string): Rejection {
  const status = { anthropic: 402, openai: 400, gemini: 403 }[api];
  return { status, message, code };
}

const anthropicTypes: Record<number, string> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
};

const geminiStatuses: Record<number, string> = {
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  502: 'UNAVAILABLE',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
};

/** Returns a rejection as an error of the API. */
function errorOf(api: ModelApi, { status, message, code }: Rejection): object {
  const isServers = status >= 500;
  switch (api) {
    case 'anthropic': {
      const type = anthropicTypes[status] ?? (isServers ? 'api_error' : 'invalid_request_error');
      return { type: 'error', error: { type, message } };
    }
    case 'openai': {
      const type = isServers ? 'server_error' : 'invalid_request_error';
      return { error: { message, type, param: null, code } };
    }
    case 'gemini': {
      const name = geminiStatuses[status] ?? (isServers ? 'INTERNAL' : 'INVALID_ARGUMENT');
      return { error: { code: status, message, status: name } };
    }
  }
}

/** Sends a rejection as the response. Does nothing if the agent has disconnected. */
export function reject(response: ServerResponse, api: ModelApi, rejection: Rejection): void {
  if (response.destroyed || response.writableEnded) return;
  const body = JSON.stringify(errorOf(api, rejection));
  const { status, retryAfterSeconds } = rejection;
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    // Claude Code repeats most errors for minutes unless this header says otherwise.
    ...(status < 500 && { 'x-should-retry': 'false' }),
    ...(retryAfterSeconds !== undefined && { 'retry-after': String(retryAfterSeconds) }),
  });
  response.end(body);
}

/** Returns the bytes that reject a call after its stream has begun, in the form that the API's programs show. */
export function rejectionInStream(flavor: Flavor, rejection: Rejection): string {
  const { message } = rejection;
  switch (flavor) {
    case 'messages':
      return `event: error\ndata: ${JSON.stringify(errorOf('anthropic', rejection))}\n\n`;
    case 'responses': {
      // Codex shows the message of this code only.
      const error = { code: 'invalid_prompt', message };
      const response = { id: 'resp_rejected', object: 'response', status: 'failed', error };
      const event = { type: 'response.failed', sequence_number: 0, response };
      return `event: response.failed\ndata: ${JSON.stringify(event)}\n\n`;
    }
    case 'chat':
      return `data: ${JSON.stringify(errorOf('openai', rejection))}\n\n`;
    case 'gemini':
      // Without `data:`, Gemini CLI ends. With it, the CLI sends the call again.
      return JSON.stringify(errorOf('gemini', rejection));
  }
}

/** Returns the bytes that keep a silent stream open, in the form that the API's programs accept. */
export function keepAliveOf(flavor: Flavor, number: number): string {
  switch (flavor) {
    case 'messages':
      return 'event: ping\ndata: {"type": "ping"}\n\n';
    case 'responses':
      return `event: keepalive\ndata: {"type":"keepalive","sequence_number":${number}}\n\n`;
    case 'chat':
      return ': keepalive\n\n';
    case 'gemini':
      return '\n';
  }
}

/** Time that an agent has to send the rest of a request that was rejected, in ms. */
const maxRestMs = 5_000;

/** Closes the connection if the agent doesn't end its request soon after a rejection. */
export function endRest(request: IncomingMessage): void {
  if (request.complete) return;
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), maxRestMs);
  const stop = () => clearTimeout(timer);
  request.on('end', stop).on('close', stop).resume();
}
