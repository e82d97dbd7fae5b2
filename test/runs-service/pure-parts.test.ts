import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { lastLines } from '../../src/runs-service/execution/last-lines.ts';
import { createOutputRecorder } from '../../src/runs-service/execution/output-recorder.ts';
import { chooseNext } from '../../src/runs-service/queue/choose-next.ts';
import { afterLoss } from '../../src/runs-service/queue/lost-run.ts';
import {
  hasEnded,
  serviceRunStates,
  statesBefore,
} from '../../src/runs-service/queue/run-state.ts';
import { createServiceRunFollowups } from '../../src/store/service/service-run-followups.ts';
import { createServiceRuns } from '../../src/store/service/service-runs.ts';
import { useDatabase } from '../support/databases.ts';
import { temporaryFolder } from '../support/runs-service.ts';

const aRun = {
  session_token: 't',
  title: '',
  prompt: 'x',
  config_json: '{}',
  config_name: null,
  model_id: null,
  environment_id: 'e',
  skill_spec: null,
  creator_json: '{}',
  creator_uid: 'u',
  source: 'API',
  idempotency_key: null,
  request_hash: '',
  metadata: {},
};

const group = (creatorUid: string, environmentId: string, count: number, oldestCreatedAt = 0) => ({
  creatorUid,
  environmentId,
  count,
  oldestCreatedAt,
});

describe('the next run', () => {
  const free = () => Number.POSITIVE_INFINITY;

  it('is the oldest of those whose creators have as many going', () => {
    const queued = [group('a', 'x', 50, 2), group('b', 'x', 1, 1)];
    expect(chooseNext(queued, [], free)?.creatorUid).toBe('b');
  });

  it('is of the creator with the fewest going, however long others wait', () => {
    const queued = [group('a', 'x', 50, 1), group('b', 'x', 1, 9)];
    const going = [group('a', 'x', 1), group('a', 'y', 1), group('b', 'x', 1)];
    expect(chooseNext(queued, going, free)?.creatorUid).toBe('b');
  });

  it('is not in an environment that is full', () => {
    const queued = [group('a', 'x', 1, 1), group('a', 'y', 1, 2)];
    const going = [group('b', 'x', 2)];
    const roomIn = (id: string) => (id === 'x' ? 2 : 1);
    expect(chooseNext(queued, going, roomIn)?.environmentId).toBe('y');
    expect(chooseNext(queued.slice(0, 1), going, roomIn)).toBeUndefined();
  });
});

describe('states', () => {
  it('never go back, and no ended state is left', () => {
    const order = ['QUEUED', 'INPROGRESS', 'SUCCEEDED', 'FAILED', 'CANCELLED'];
    for (const to of serviceRunStates) {
      for (const from of statesBefore(to)) {
        expect(order.indexOf(from)).toBeLessThan(order.indexOf(to));
        expect(hasEnded(from)).toBe(false);
      }
    }
    expect(statesBefore('SUCCEEDED')).toEqual(['INPROGRESS']);
    expect(statesBefore('FAILED')).toEqual(['QUEUED', 'INPROGRESS']);
    expect(statesBefore('QUEUED')).toEqual([]);
    expect(serviceRunStates.filter(hasEnded)).toEqual(['SUCCEEDED', 'FAILED', 'CANCELLED']);
  });
});

describe('a run that nobody executes any more', () => {
  const db = useDatabase();
  const restarting = { id: 'e', repositories: [], command: ['x'], restart: true };
  it.each([
    ['has failed and may be run again', {}, { ...restarting, restart: false }, 'FAILED'],
    ['has failed when its environment is gone', {}, undefined, 'FAILED'],
    ['is begun anew where its environment says so', { restarts: 2 }, restarting, 'begin-again'],
    ['is not begun anew without end', { restarts: 3 }, restarting, 'FAILED'],
    ['has been cancelled if that was asked for', { cancel_requested: 1 }, restarting, 'CANCELLED'],
  ])('%s', async (_name, more, environment, becomes) => {
    const run = await createServiceRuns(db()).create({ ...aRun, session_token: _name });
    const next = afterLoss({ ...run, ...more }, environment, 'It was killed');
    expect(next === 'begin-again' ? next : next.state).toBe(becomes);
    if (next === 'begin-again' || next.state !== 'FAILED') return;
    expect(next.status).toMatchObject({ retryable: true });
    expect(next.status.message).toContain('It was killed');
  });
});

describe('the last lines of an output', () => {
  it.each([
    ['', ''],
    ['one\n', 'one'],
    ['1\n2\n3\n4\n\n----\n', '2\n3\n4'],
    ['  at a\r\n  at b\r\n', 'at a\nat b'],
    ['10 %\r20 %\r100 %', '100 %'],
    ['\u001b[31mred\u001b[0m\n', 'red'],
    [
      'Error: boom\n    at run (file:///x.js:1:2)\n    at async Turn.run (/x.js:1:2) {\n\nNode.js v20.20.2\n',
      'Error: boom',
    ],
    ['Reading prompt from stdin...\n', ''],
  ])('%j are %j', (output, lines) => {
    expect(lastLines(output, { lines: 3, characters: 100 })).toBe(lines);
  });

  it('are cut at the front, by characters as people count them', () => {
    expect(lastLines('😀😀😀😀', { lines: 3, characters: 3 })).toBe('');
    expect(lastLines('ab😀😀cd', { lines: 3, characters: 4 })).toBe('…😀cd');
  });
});

describe('the output recorder', () => {
  function record(limitBytes: number, ...chunks: string[]): string {
    const file = join(temporaryFolder(), 'deep', 'output.log');
    const recorder = createOutputRecorder(file, limitBytes);
    for (const chunk of chunks) recorder.write(Buffer.from(chunk), 'one');
    expect(recorder.close()).toBeUndefined();
    recorder.write(Buffer.from('late'), 'one');
    return readFileSync(file, 'utf8');
  }

  it('keeps everything up to the limit', () => {
    expect(record(10, '12345', '67890')).toBe('1234567890');
  });

  it('keeps the beginning and the end of more, and counts what is missing', () => {
    const output = record(10, '1234567890', 'x'.repeat(20_000), 'end');
    expect(output).toMatch(/^1234567890\n\[… 3619 bytes left out/);
    expect(output).toMatch(/xxxend$/);
  });

  it('begins a new line for another source, only when the line before has no end', () => {
    const file = join(temporaryFolder(), 'output.log');
    const recorder = createOutputRecorder(file, 100);
    for (const [text, source] of ['1-one', '1-more', '2-two\n', '1-three', '2-'].map(
      (each) => [each, each[0]] as const,
    ))
      recorder.write(Buffer.from(text), source);
    recorder.close();
    expect(readFileSync(file, 'utf8')).toBe('1-one1-more\n2-two\n1-three\n2-');
  });
});

describe('follow-ups in the store', () => {
  const db = useDatabase();

  it('are taken once each, and none is taken in after the last was asked for', async () => {
    const runs = createServiceRuns(db());
    const followups = createServiceRunFollowups(db());
    const { id } = await runs.create(aRun);
    const add = (message: string) => followups.add(id, ['QUEUED'], { message, key: null });
    expect(await Promise.all([add('1'), add('2')])).toEqual([true, true]);
    expect(await followups.takeOrClose(id)).toBe('1');
    expect(await add('3')).toBe(true);
    expect(await followups.takeOrClose(id)).toBe('2');
    expect(await followups.takeOrClose(id)).toBe('3');
    expect(await followups.takeOrClose(id)).toBeUndefined();
    expect(await add('late')).toBe(false);
    expect(await followups.listOf(id)).toEqual(['1', '2', '3']);
  });
});
