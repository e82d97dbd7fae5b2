import { createRunRequestSchema, type Run } from '../../src/contract.ts';
import type { Received } from './api-server.ts';
import { createMemoryService, type MemoryService, type Reply } from './memory-service.ts';

/** A failure of one create, before, while or after the run is created. */
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
  /** Returns true if the next read fails. */
  isReadLost?: (() => boolean) | undefined;
  keepsMetadata?: boolean;
  /** False if the service ignores `metadata[…]`, `created_after` and sorting. */
  filters?: boolean;
  honorsKeys?: boolean;
  /** Difference between the service's clock and the local clock, in ms. */
  clockAheadMs?: number | (() => number);
  sendsDate?: boolean;
  /** Longest delay in ms before "hang up during" creates the run. "slow" and "slow after" use multiples of it. */
  lateMs?: number;
  random?: () => number;
};

export type LossyService = MemoryService & { runs: Run[]; add(body: unknown): Run };

/** Creates a runs service that creates runs and loses responses on demand. */
export function createLossyService(options: LossyOptions): LossyService {
  const { lateMs = 15, clockAheadMs = 0, keepsMetadata = true, filters = true } = options;
  const { random = Math.random } = options;
  const aheadMs = typeof clockAheadMs === 'number' ? () => clockAheadMs : clockAheadMs;
  const runs: Run[] = [];
  const byKey = new Map<string, Run>();

  function add(body: unknown, key?: string): Run {
    const known = options.honorsKeys && key !== undefined ? byKey.get(key) : undefined;
    if (known) return known;
    const { prompt = '', title, config, metadata } = createRunRequestSchema.parse(body);
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

  function answerCreate(reply: Reply, request: Received) {
    const key = request.headers['idempotency-key'];
    const create = () => add(request.body, typeof key === 'string' ? key : undefined);
    const created = () => {
      const { run_id, state } = create();
      return { run_id, state, task_id: run_id };
    };
    const faults: Record<CreateFault, () => unknown> = {
      none: () => reply.json(200, created()),
      'hang up before': reply.hangUp,
      'hang up during': () => {
        reply.hangUp();
        setTimeout(create, random() * lateMs);
      },
      'hang up after': () => {
        create();
        reply.hangUp();
      },
      '502 before': () => reply.text(502, '<html>Bad gateway'),
      '502 after': () => {
        create();
        reply.text(502, '<html>Bad gateway');
      },
      slow: () => setTimeout(() => reply.json(200, created()), random() * lateMs * 2),
      'slow after': () => {
        const made = created();
        setTimeout(() => reply.json(200, made), lateMs * 5);
      },
      'never answers': create,
      'never arrives': () => undefined,
      'cut answer': () => reply.cut(JSON.stringify(created()).slice(0, -1)),
      'HTML answer': () => reply.text(200, `<html>${JSON.stringify(created())}`),
      'empty answer': () => reply.text(200, created() && ''),
      '429': () => reply.json(429, {}, { 'retry-after-ms': '1' }),
      '409': () => reply.json(409, {}, { 'retry-after-ms': '1' }),
    };
    faults[options.nextFault(request)]();
  }

  function answerList(reply: Reply, url: URL) {
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
    reply.json(200, { runs: found.slice(from, to), page_info });
  }

  const date = () => new Date(Date.now() + aheadMs()).toUTCString();
  const service = createMemoryService(
    (reply, request) => {
      const url = new URL(request.url, 'http://x');
      if (request.method === 'POST') answerCreate(reply, request);
      else if (options.isReadLost?.()) reply.hangUp();
      else if (url.pathname.endsWith('/runs')) answerList(reply, url);
      else
        reply.json(
          200,
          runs.find((run) => url.pathname.endsWith(`/${run.run_id}`)),
        );
    },
    () => ((options.sendsDate ?? true) ? { date: date() } : {}),
  );
  return { ...service, runs, add };
}
