import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createLogger } from 'base/logger';
import { onTestFinished } from 'vitest';
import type { ModelProvider } from '../../src/environments/models-config.ts';
import { createModelGateway } from '../../src/gateway/create-model-gateway.ts';
import type { GatewayReports } from '../../src/gateway/gateway-reports.ts';
import type { Hold } from '../../src/gateway/hold.ts';
import { listenForRun } from '../../src/gateway/listen-for-run.ts';
import type { RunAccess } from '../../src/gateway/run-access.ts';
import { createToken, hashToken } from '../../src/gateway/tokens.ts';
import { createModelCalls } from '../../src/store/model-calls.ts';
import type { Db } from '../../src/store/schema.ts';
import { anActiveRun, callOwner } from '../support/service/model-call-builder.ts';

export const realKey = 'sk-real-key-of-the-operator';

type BedOptions = {
  /** Function that responds in place of the provider. */
  answer: RequestListener;
  provider?: Partial<ModelProvider>;
  access?: Partial<RunAccess>;
  hold?: Hold;
  reports?: GatewayReports;
  keepAliveMs?: number;
  silenceMs?: number;
  calls?: ReturnType<typeof createModelCalls>;
};

/** Opens a gateway for one active run, with one scripted provider that has the name of its API. */
export async function openGatewayBed(db: Db, options: BedOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  const keyFile = join(folder, 'key');
  writeFileSync(keyFile, `${realKey}\n`);
  const upstream = createServer(options.answer).listen(0, '127.0.0.1');
  await once(upstream, 'listening');
  const { port } = upstream.address() as AddressInfo;
  const calls = options.calls ?? createModelCalls(db);
  const gateway = createModelGateway({
    calls,
    owner: callOwner,
    hold: options.hold ?? (async () => ({ outcome: 'stopped', message: 'No more money.' })),
    onEnded: () => undefined,
    reports: options.reports,
    keepAliveMs: options.keepAliveMs,
    silenceMs: options.silenceMs,
    logger: createLogger('silent'),
  });
  const runId = await anActiveRun(db);
  const token = createToken();
  const notes: string[] = [];
  const stopped: string[] = [];
  const clock: string[] = [];
  const closed = new AbortController();
  const api = options.provider?.api ?? 'anthropic';
  const provider: ModelProvider = {
    name: api,
    api,
    base_url: `http://127.0.0.1:${port}`,
    key_file: keyFile,
    allow_private: true,
    ...options.provider,
  };
  const access: RunAccess = {
    runId,
    environmentId: 'demo',
    tokenHash: hashToken(token),
    providers: [provider],
    models: undefined,
    caps: [],
    spendKeys: [`run:${runId}`],
    labels: { workspace: undefined, person: 'ada', channel: undefined },
    headersWithinMs: 60_000,
    clock: { pause: () => clock.push('pause'), resume: () => clock.push('resume') },
    note: (line) => notes.push(line),
    onStopped: (message) => stopped.push(message),
    signal: closed.signal,
    ...options.access,
  };
  const listener = await listenForRun(gateway.handlerFor(access), 'socket');
  const socketPath = join('folder' in listener.address ? listener.address.folder : '', 'socket');
  gateway.start(undefined);
  onTestFinished(async () => {
    closed.abort();
    await listener.close();
    await gateway.stop();
    upstream.closeAllConnections();
    upstream.close();
    rmSync(folder, { recursive: true });
  });

  /** Sends a request, and returns the response as soon as its headers arrive. */
  async function open(path: string, { method = 'POST', headers = {}, body }: Sent = {}) {
    const sent = request({
      socketPath,
      path,
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      agent: false,
    });
    sent.on('error', () => undefined);
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return { sent, response };
  }

  return {
    ...{
      gateway,
      runId,
      token,
      access,
      notes,
      stopped,
      clock,
      keyFile,
      socketPath,
      upstream,
      open,
    },
    close: () => closed.abort(),
    async call(path: string, sent: Sent = {}) {
      const { response } = await open(path, sent);
      const received = await text(response).catch(() => 'cut');
      return { status: response.statusCode, headers: response.headers, text: received };
    },
    rows: () => calls.ofRun(runId),
    /** Returns the run's calls when all of them have ended. */
    async endedRows() {
      await gateway.whenIdle(runId);
      return calls.ofRun(runId);
    },
  };
}
type Sent = {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
};

const event = (data: object & { type: string }) =>
  `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;

/** Events of a short response of the Messages API. */
export const messageEvents = {
  start: event({
    type: 'message_start',
    message: { model: 'claude-opus-5-5', usage: { input_tokens: 100, output_tokens: 1 } },
  } as { type: string }),
  text: event({
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'text_delta', text: 'Hi' },
  } as { type: string }),
  end:
    event({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 50 },
    } as { type: string }) + event({ type: 'message_stop' }),
};

/** Sends a whole response of the Messages API as a stream. */
export function answerMessage(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'request-id': 'req_upstream' });
  response.end(messageEvents.start + messageEvents.text + messageEvents.end);
}

export const messageBody = JSON.stringify({
  model: 'claude-opus-5-5',
  max_tokens: 32_000,
  stream: true,
  messages: [{ role: 'user', content: 'say hi' }],
});
