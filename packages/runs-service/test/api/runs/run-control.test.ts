import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  type StartedService,
  shellEnvironment,
  startRunsService,
} from '../../support/runs-service.ts';

const json = { 'content-type': 'application/json' };

const post = (service: StartedService, path: string, body: unknown = {}) =>
  service.request(path, { method: 'POST', body: JSON.stringify(body), headers: json });

const outputOf = ({ dataDir }: StartedService, id: string) =>
  readFileSync(join(dataDir, 'transcripts', id, 'output.log'), 'utf8');

describe('cancel', () => {
  it('ends an active run with all its processes, and returns its id', async () => {
    const service = await startRunsService({
      environments: [shellEnvironment('sleep 1000 & echo started; wait')],
    });
    const id = await service.begin({ prompt: 'x' });
    await service.until(id, 'INPROGRESS');
    await service.printed(id, 'started');
    const answer = await post(service, `/agent/runs/${id}/cancel`);
    expect(answer.status).toBe(200);
    expect(await answer.json()).toBe(id);
    expect((await post(service, `/agent/runs/${id}/cancel`)).status).toBeOneOf([200, 400]);
    const run = await service.until(id, 'CANCELLED', 'FAILED', 'SUCCEEDED');
    expect(run.state).toBe('CANCELLED');
  });

  it('ends an agent that ignores SIGTERM', async () => {
    const service = await startRunsService({
      environments: [shellEnvironment(`trap '' TERM; echo deaf; while :; do sleep 1; done`)],
      killGraceMs: 50,
    });
    const id = await service.begin({ prompt: 'x' });
    await service.until(id, 'INPROGRESS');
    await service.printed(id, 'deaf');
    await post(service, `/agent/runs/${id}/cancel`);
    expect((await service.until(id, 'CANCELLED', 'FAILED')).state).toBe('CANCELLED');
  });

  it('says how many runs are ahead of a queued one, and no exact number of many', async () => {
    const service = await startRunsService({
      environments: [shellEnvironment('sleep 1000')],
      concurrency: 1,
    });
    await service.until(await service.begin({ prompt: 'first' }), 'INPROGRESS');
    const said: (string | undefined)[] = [];
    for (let number = 0; number < 7; number += 1) {
      const id = await service.begin({ prompt: `waiting ${number}` });
      said.push((await service.get(id)).status_message?.message);
    }
    expect(said).toEqual([
      'Next in the queue',
      '1 run ahead in the queue',
      '2 runs ahead in the queue',
      '3 runs ahead in the queue',
      'More than 3 runs ahead in the queue',
      '5 runs ahead in the queue',
      'More than 5 runs ahead in the queue',
    ]);
  });

  it('cancels a queued run at once, and rejects one that has ended', async () => {
    const service = await startRunsService({
      environments: [shellEnvironment('sleep 1000')],
      concurrency: 1,
    });
    const active = await service.begin({ prompt: 'first' });
    await service.until(active, 'INPROGRESS');
    const waiting = await service.begin({ prompt: 'second' });
    const behind = await service.begin({ prompt: 'third' });
    expect((await service.get(behind)).status_message?.message).toBe('1 run ahead in the queue');
    expect((await service.get(waiting)).session_link).toBeUndefined();
    expect((await post(service, `/agent/runs/${waiting}/cancel`)).status).toBe(200);
    expect((await service.get(waiting)).state).toBe('CANCELLED');
    expect((await service.get(behind)).status_message?.message).toBe('Next in the queue');
    const again = await post(service, `/agent/runs/${waiting}/cancel`);
    expect(again.status).toBe(400);
    expect(await again.text()).toContain('already ended');
    expect((await post(service, '/agent/runs/unknown/cancel')).status).toBe(404);
  });
});

describe('follow-ups', () => {
  it('are rejected with a list of mistakes', async () => {
    const service = await startRunsService({ environments: [shellEnvironment('sleep 1000')] });
    const id = await service.begin({ prompt: 'x' });
    for (const [body, status, detail] of [
      [{ message: 'x', attachments: [], mode: 'normal' }, 400, "attachments: isn't supported"],
      [{ message: 'x', mode: 'plan' }, 400, "mode: isn't supported"],
      [{ message: ' ' }, 400, 'message: must not be empty'],
      [{ message: 'x'.repeat(200_001) }, 422, 'message: is longer than 200000 characters'],
      [{ message: 'a\0b' }, 422, 'NUL'],
    ] as const) {
      const answer = await post(service, `/agent/runs/${id}/followups`, body);
      expect(answer.status).toBe(status);
      expect(await answer.text()).toContain(detail);
    }
  });

  it('reach the agent one after the other, in the same work folder', async () => {
    const service = await startRunsService({
      environments: [
        shellEnvironment(
          'echo "got: $(cat) $AGENT_FOLLOWUP"; [ -n "$AGENT_FOLLOWUP" ] || { until [ -e ../../go ]; do sleep 0.02; done; }; echo x >> notes.txt; wc -l < notes.txt',
        ),
      ],
    });
    const id = await service.begin({ prompt: 'start' });
    await service.until(id, 'INPROGRESS');
    await service.printed(id, 'got: start ');
    for (const message of ['more', 'and more'])
      expect((await post(service, `/agent/runs/${id}/followups`, { message })).status).toBe(200);
    writeFileSync(join(service.dataDir, 'work', id, 'go'), '');
    await service.until(id, 'SUCCEEDED');
    expect(outputOf(service, id)).toBe('got: start \n3\ngot: more 1\n4\ngot: and more 1\n5\n');
  });

  it("replace the prompt in the command's file and variable", async () => {
    const wait = '[ -n "$AGENT_FOLLOWUP" ] || until [ -e ../../go ]; do sleep 0.02; done';
    const script = `${wait}; echo "$(cat "$1") | $(cat "$AGENT_PROMPT_FILE" | head -c 10) | \${AGENT_PROMPT-unset}"`;
    const environment = {
      ...shellEnvironment(''),
      command: ['sh', '-c', script, 'agent', '{prompt_file}'],
    };
    const service = await startRunsService({ environments: [environment] });
    const id = await service.begin({ prompt: 'start' });
    await service.until(id, 'INPROGRESS');
    const long = 'long '.repeat(30_000).trim();
    for (const message of ['more', long])
      expect((await post(service, `/agent/runs/${id}/followups`, { message })).status).toBe(200);
    await expect
      .poll(() => existsSync(join(service.dataDir, 'work', id, 'input', 'prompt.txt')))
      .toBe(true);
    writeFileSync(join(service.dataDir, 'work', id, 'go'), '');
    expect((await service.until(id, 'SUCCEEDED', 'FAILED')).state).toBe('SUCCEEDED');
    expect(outputOf(service, id)).toBe(
      `start | start | start\nmore | more | more\n${long} | long long  | unset\n`,
    );
  });

  it('count once per key, even if repeated after the end of the run, when new ones are rejected', async () => {
    const service = await startRunsService({
      environments: [
        shellEnvironment(
          'echo "got: $AGENT_FOLLOWUP"; [ -n "$AGENT_FOLLOWUP" ] || until [ -e ../../go ]; do sleep 0.02; done',
        ),
      ],
    });
    const id = await service.begin({ prompt: 'start' });
    await service.printed(id, 'got: ');
    const send = async (key: string) => {
      const path = `/agent/runs/${id}/followups`;
      const headers = { 'content-type': 'application/json', 'idempotency-key': key };
      const body = JSON.stringify({ message: 'more' });
      return (await service.request(path, { method: 'POST', headers, body })).status;
    };
    expect(await Promise.all([send('one'), send('one'), send('two')])).toEqual([200, 200, 200]);
    writeFileSync(join(service.dataDir, 'work', id, 'go'), '');
    await service.until(id, 'SUCCEEDED');
    expect(outputOf(service, id)).toBe('got: \ngot: 1\ngot: 1\n');
    expect(await send('one')).toBe(200);
    const late = await post(service, `/agent/runs/${id}/followups`, { message: 'late' });
    expect([late.status, await late.text()]).toEqual([
      400,
      expect.stringContaining('conversation_id'),
    ]);
  });
});

describe('the queue', () => {
  it('respects the concurrency of environments and the service', async () => {
    const service = await startRunsService({
      environments: [
        shellEnvironment('sleep 1000', { id: 'one', concurrency: 1 }),
        shellEnvironment('sleep 1000', { id: 'two' }),
      ],
      concurrency: 2,
    });
    const inOne = { prompt: 'x', config: { environment_id: 'one' } };
    const inTwo = { prompt: 'x', config: { environment_id: 'two' } };
    const first = await service.begin(inOne);
    const second = await service.begin(inOne);
    const third = await service.begin(inTwo);
    const fourth = await service.begin(inTwo);
    await service.until(first, 'INPROGRESS');
    await service.until(third, 'INPROGRESS');
    expect((await service.get(second)).state).toBe('QUEUED');
    expect((await service.get(fourth)).state).toBe('QUEUED');
    await post(service, `/agent/runs/${third}/cancel`);
    await service.until(fourth, 'INPROGRESS');
    expect((await service.get(second)).state).toBe('QUEUED');
  });
});
