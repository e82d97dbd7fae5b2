import { beforeEach, describe, expect, it } from 'vitest';
import { describeAttempt } from '../../src/create-attempt.ts';
import { RunsApiError } from '../../src/runs-api-error.ts';
import { aRun, sendJson, startApiServer } from '../support/api-server.ts';
import {
  type CreateFault,
  createLossyService,
  type LossyOptions,
} from '../support/lossy-service.ts';
import { createMemoryService } from '../support/memory-service.ts';
import { startVirtualTime } from '../support/virtual-time.ts';

const request = { prompt: 'Mend the login test', title: 'Mend', config: { environment_id: 'e1' } };
const limits = { timeoutMs: 60_000, settleMs: 40 };

/** Creates a service whose first creates fail in the given ways. */
function lossy(faults: CreateFault[], options: Partial<LossyOptions> = {}) {
  return createLossyService({ nextFault: () => faults.shift() ?? 'none', ...options });
}

async function ambiguityOf(create: PromiseLike<unknown>) {
  const error = await Promise.resolve(create).catch((reason: unknown) => reason);
  if (error instanceof RunsApiError && error.attempt) return { error, attempt: error.attempt };
  throw new Error('was not ambiguous', { cause: error });
}

describe('a create', () => {
  beforeEach(startVirtualTime);

  it('sends its request id as key and in metadata, next to the metadata of the caller', async () => {
    const service = lossy([]);
    const more = { ...request, metadata: { team: 'blue' }, future_field: 1 };
    await service.client().runs.create(more, { idempotencyKey: 'req-1' });
    const [sent] = service.received;
    expect(sent?.headers['idempotency-key']).toBe('req-1');
    expect(sent?.body).toEqual({ ...more, metadata: { team: 'blue', request_id: 'req-1' } });
  });

  it('takes the request id from the metadata, or makes one', async () => {
    const service = lossy([]);
    const client = service.client();
    await client.runs.create({ ...request, metadata: { request_id: 'mine' } });
    await client.runs.create(request);
    expect(service.runs[0]?.metadata).toEqual({ request_id: 'mine' });
    expect(service.runs[1]?.metadata?.['request_id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each<[CreateFault, number]>([
    ['hang up before', 2],
    ['hang up during', 1],
    ['hang up after', 1],
    ['502 before', 2],
    ['502 after', 1],
    ['slow', 1],
    ['cut answer', 1],
    ['HTML answer', 1],
    ['empty answer', 1],
    ['429', 2],
    ['409', 2],
  ])('makes one run: %s', async (fault, posts) => {
    for (const options of [{}, { keepsMetadata: false }, { filters: false }]) {
      const service = lossy([fault], options);
      const created = await service.client(limits).runs.create(request);
      expect(service.runs.map((run) => run.run_id)).toEqual([created.run_id]);
      expect(service.received.filter(({ method }) => method === 'POST')).toHaveLength(posts);
    }
  });

  it('makes a second run if the service creates the first later than settleMs after it was given up', async () => {
    const first = { ...request, metadata: { request_id: 'r1' } };
    const service = createLossyService({
      // The first request creates its run while the second one arrives.
      nextFault: () => {
        const isFirst = service.received.filter(({ method }) => method === 'POST').length === 1;
        if (!isFirst) service.add(first);
        return isFirst ? 'hang up before' : 'none';
      },
    });
    await service.client(limits).runs.create(first);
    expect(service.runs.map((run) => run.metadata)).toEqual([first.metadata, first.metadata]);
  });

  it('finds the run of a request that is never answered', async () => {
    const created = lossy(['never answers']).client(limits).runs.create(request);
    expect(await created).toMatchObject({ run_id: 'run-1', state: 'QUEUED' });
  });

  it('returns status and request id for a run that it had to find', async () => {
    const service = lossy(['hang up after', 'none', 'hang up after']);
    const client = service.client(limits);
    const found = await client.runs.create(request).withResponse();
    expect(found).toMatchObject({ status: 200, data: { run_id: 'run-1' } });
    const raw = await client.runs.create(request).asResponse();
    expect(JSON.parse((await raw.body.toArray()).join(''))).toMatchObject({ run_id: 'run-2' });
    const rawFound = await client.runs.create(request).asResponse();
    expect(JSON.parse((await rawFound.body.toArray()).join(''))).toMatchObject({ run_id: 'run-3' });
  });

  it.each([400, 401, 403, 404, 422])('takes a %i as proof and does not look', async (status) => {
    const service = createMemoryService((reply) => reply.json(status, {}));
    await expect(service.client().runs.create(request)).rejects.toMatchObject({ status });
    expect(service.received).toHaveLength(1);
  });

  it('sends only as often as its retries allow, then says why it failed', async () => {
    const service = lossy(['502 before', '502 before', '502 before', '502 before']);
    const create = service.client({ ...limits, maxRetries: 1 }).runs.create(request);
    await expect(create).rejects.toMatchObject({ code: 'server_error', status: 502 });
    expect(service.received.filter(({ method }) => method === 'POST')).toHaveLength(2);
    expect(service.runs).toEqual([]);
  });

  it('repeats at once if the service honors the key', async () => {
    const service = lossy(['hang up after', '502 after'], { honorsKeys: true });
    const client = service.client({ isIdempotent: true, settleMs: 60_000 });
    await client.runs.create(request);
    expect(service.runs).toHaveLength(1);
    expect(service.received.map(({ method }) => method)).toEqual(['POST', 'POST', 'POST']);
  });

  it.each<[string, CreateFault[]]>([
    ['while the other is on its way', ['hang up before', 'slow after']],
    ['when the other is lost too', ['hang up after', 'hang up after']],
    ['when only one of them was made', ['hang up before', 'hang up after']],
  ])('does not take the run of an identical create %s', async (_, faults) => {
    const service = lossy(faults, { keepsMetadata: false });
    const client = service.client(limits);
    const both = await Promise.all([client.runs.create(request), client.runs.create(request)]);
    expect(new Set(both.map((created) => created.run_id)).size).toBe(2);
    expect(service.runs).toHaveLength(2);
  });

  it('fails with the reason of the caller when aborted', async () => {
    const stop = new AbortController();
    const service = lossy(['never answers']);
    setTimeout(() => stop.abort('enough'), 30);
    const create = service.client().runs.create(request, { signal: stop.signal });
    await expect(create).rejects.toBe('enough');
  });
});

it('a create finds its run after a real connection broke', async () => {
  const api = await startApiServer((response, { method }) => {
    if (method === 'POST') response.destroy();
    else {
      const run = { ...aRun(), ...(api.received[0]?.body as object) };
      sendJson(response, 200, { runs: [run], page_info: { has_next_page: false } });
    }
  });
  expect(await api.client().runs.create(request)).toMatchObject({ run_id: 'run-1' });
  expect(api.received.map(({ method }) => method)).toEqual(['POST', 'GET']);
});

describe('a create that stays ambiguous', () => {
  beforeEach(startVirtualTime);

  it('returns what is needed to look again, as plain JSON without the prompt', async () => {
    const service = lossy(['hang up before'], { isReadLost: () => true });
    const client = service.client({ timeoutMs: 2_000, maxRetries: 0 });
    const create = client.runs.create(request, { idempotencyKey: 'req-7' });
    const { error, attempt } = await ambiguityOf(create);
    expect(error).toMatchObject({ code: 'ambiguous', retryable: false });
    expect(error.cause).toMatchObject({ code: 'connection' });
    expect(attempt).toMatchObject({ requestId: 'req-7', config: { environment_id: 'e1' } });
    expect(JSON.parse(JSON.stringify(attempt))).toEqual(attempt);
    expect(`${error.stack}${JSON.stringify(error)}`).not.toContain('login test');
  });

  it('finds the run later, from stored JSON and with another client', async () => {
    let isDown = true;
    const service = lossy(['hang up after'], { isReadLost: () => isDown });
    const first = service.client({ timeoutMs: 2_000, maxRetries: 0 });
    const { attempt } = await ambiguityOf(first.runs.create(request));
    isDown = false;
    const found = await service.client().runs.findCreated(JSON.parse(JSON.stringify(attempt)));
    expect(found).toMatchObject({ outcome: 'found', isSure: true, run: { run_id: 'run-1' } });
  });

  it('is unsure while the service may still create the run, and sure afterwards', async () => {
    const service = lossy([]);
    const client = service.client();
    const attempt = describeAttempt(request, 'req-8', Date.now());
    const options = { settleMs: 10_000 };
    expect(await client.runs.findCreated(attempt, options)).toMatchObject({ outcome: 'unsure' });
    const settled = { ...attempt, lastSentMs: Date.now() - 10_001 };
    expect(await client.runs.findCreated(settled, options)).toEqual({ outcome: 'none' });
  });

  it('continues: takes the run if it exists, creates it if it surely does not', async () => {
    const service = lossy([]);
    const client = service.client(limits);
    const previous = describeAttempt(request, 'req-9', Date.now());
    const created = await client.runs.create(request, { previous });
    const again = await client.runs.create(request, { previous });
    expect([created.run_id, again.run_id]).toEqual(['run-1', 'run-1']);
    expect(service.runs).toHaveLength(1);
    expect(service.runs[0]?.metadata).toEqual({ request_id: 'req-9' });
  });
});

describe('a create that continues an earlier one', () => {
  const previous = { ...describeAttempt(request, 'req-1', Date.now()), lastSentMs: 0 };

  it.each([false, true])(
    'says at once that its key is rejected (isIdempotent: %s)',
    async (isIdempotent) => {
      const api = createMemoryService((reply, { method }) =>
        method === 'GET'
          ? reply.json(200, { runs: [], page_info: { has_next_page: false } })
          : reply.json(401, {}),
      );
      const create = api.client({ settleMs: 0, isIdempotent }).runs.create(request, { previous });
      await expect(create).rejects.toMatchObject({ code: 'unauthorized' });
      expect(api.received.filter(({ method }) => method === 'POST').length).toBeLessThanOrEqual(3);
    },
  );

  it('stays ambiguous when the search is rejected', async () => {
    const api = createMemoryService((reply) => reply.json(401, {}));
    const create = api.client().runs.create(request, { previous });
    await expect(create).rejects.toMatchObject({ code: 'ambiguous', attempt: previous });
    expect(api.received).toHaveLength(1);
  });

  it('sends the key again without looking if the service honors it', async () => {
    const service = lossy([], { honorsKeys: true });
    const client = service.client({ isIdempotent: true });
    const first = await client.runs.create(request, { idempotencyKey: 'req-1' });
    const again = await client.runs.create(request, { previous });
    expect(again.run_id).toBe(first.run_id);
    expect(service.received.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });
});
