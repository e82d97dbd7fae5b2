import type { ServerResponse } from 'node:http';
import { createRunRequestSchema, type Run } from '../../src/contract.ts';
import { type ApiServer, type Received, sendJson, startApiServer } from './api-server.ts';

/** What happens to one create: before, while or after the run is created. */
export type CreateFault =
  | 'none'
  | 'hang up before'
  | 'hang up during'
  | 'hang up after'
  | '502 before'
  | '502 after'
  | 'slow'
  | 'slow after'
  | 'never answers'
  | 'never arrives'
  | 'cut answer'
  | 'HTML answer'
  | 'empty answer'
  | '429'
  | '409';

export type LossyOptions = {
  nextFault: (request: Received) => CreateFault;
  /** Whether the next read fails. */
  isReadLost?: (() => boolean) | undefined;
  keepsMetadata?: boolean;
  /** Whether it knows `metadata[…]`, `created_after` and sorting, or ignores them. */
  filters?: boolean;
  honorsKeys?: boolean;
  /** How far its clock is ahead. */
  clockAheadMs?: number | (() => number);
  sendsDate?: boolean;
  /** How long "during" and "slow" take. */
  lateMs?: number;
};

export type LossyService = ApiServer & { runs: Run[]; add(body: unknown): Run };

/** A runs service in memory that creates runs and loses responses on demand. */
export async function startLossyService(options: LossyOptions): Promise<LossyService> {
  const { lateMs = 15, clockAheadMs = 0, keepsMetadata = true, filters = true } = options;
  const aheadMs = typeof clockAheadMs === 'number' ? () => clockAheadMs : clockAheadMs;
  const runs: Run[] = [];
  const byKey = new Map<string, Run>();

  function add(body: unknown, key?: string): Run {
    const known = options.honorsKeys && key !== undefined ? byKey.get(key) : undefined;
    if (known) return known;
    const { prompt, title, config, metadata } = createRunRequestSchema.parse(body);
    const now = new Date(Date.now() + aheadMs()).toISOString();
    const run: Run = {
      run_id: `run-${runs.length + 1}`,
      prompt,
      title: title ?? 'Untitled',
      state: 'QUEUED',
      created_at: now,
      updated_at: now,
      agent_config: { ...config, model_id: 'resolved-model' },
      ...(keepsMetadata ? { metadata } : {}),
    };
    runs.push(run);
    if (key !== undefined) byKey.set(key, run);
    return run;
  }

  function answerCreate(response: ServerResponse, request: Received) {
    const key = request.headers['idempotency-key'];
    const create = () => add(request.body, typeof key === 'string' ? key : undefined);
    const reply = () => {
      const { run_id, state } = create();
      return { run_id, state, task_id: run_id };
    };
    const faults: Record<CreateFault, () => unknown> = {
      none: () => sendJson(response, 200, reply()),
      'hang up before': () => response.destroy(),
      'hang up during': () => {
        response.destroy();
        setTimeout(create, Math.random() * lateMs);
      },
      'hang up after': () => {
        create();
        response.destroy();
      },
      '502 before': () => response.writeHead(502).end('<html>Bad gateway'),
      '502 after': () => {
        create();
        response.writeHead(502).end('<html>Bad gateway');
      },
      slow: () => setTimeout(() => sendJson(response, 200, reply()), Math.random() * lateMs * 2),
      'slow after': () => {
        const made = reply();
        setTimeout(() => sendJson(response, 200, made), lateMs * 5);
      },
      'never answers': create,
      'never arrives': () => undefined,
      'cut answer': () => {
        response.writeHead(200, { 'content-length': 1_000 }).write(JSON.stringify(reply()));
        setImmediate(() => response.destroy());
      },
      'HTML answer': () => response.end(`<html>${JSON.stringify(reply())}`),
      'empty answer': () => response.end(reply() && ''),
      '429': () => sendJson(response, 429, {}, { 'retry-after-ms': '1' }),
      '409': () => sendJson(response, 409, {}, { 'retry-after-ms': '1' }),
    };
    faults[options.nextFault(request)]();
  }

  function answerList(response: ServerResponse, url: URL) {
    const query = url.searchParams;
    let found = runs.toReversed();
    if (filters) {
      const requestId = query.get('metadata[request_id]');
      const after = query.get('created_after') ?? '';
      found = found.filter((run) => run.created_at >= after);
      if (requestId) found = found.filter((run) => run.metadata?.['request_id'] === requestId);
    }
    const from = Number(query.get('cursor') ?? 0);
    const to = from + Number(query.get('limit') ?? 20);
    const next = to < found.length ? { has_next_page: true, next_cursor: `${to}` } : undefined;
    const page_info = next ?? { has_next_page: false };
    sendJson(response, 200, { runs: found.slice(from, to), page_info });
  }

  const api = await startApiServer((response, request) => {
    response.sendDate = false;
    const date = new Date(Date.now() + aheadMs()).toUTCString();
    if (options.sendsDate ?? true) response.setHeader('date', date);
    const url = new URL(request.url, 'http://x');
    if (request.method === 'POST') answerCreate(response, request);
    else if (options.isReadLost?.()) response.destroy();
    else if (url.pathname.endsWith('/runs')) answerList(response, url);
    else
      sendJson(
        response,
        200,
        runs.find((run) => url.pathname.endsWith(`/${run.run_id}`)),
      );
  });
  return { ...api, runs, add };
}
