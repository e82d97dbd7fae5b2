import { createRunsClient } from 'runs-client';
import type { Run } from 'runs-client/contract';
import { RunsApiError } from 'runs-client/runs-api-error';
import { expect, it, vi } from 'vitest';
import {
  createAnswerReader,
  readAnswerNow,
} from '../../../../src/slack/runs/reading/whole-answer.ts';
import { aRun } from '../../../support/builders.ts';

const long = 'x'.repeat(5_000);
const cut = `${'x'.repeat(3_999)}…`;
const endedRun = (message: string, more: object = {}) =>
  aRun({ state: 'SUCCEEDED', status_message: { message }, ...more });
const of = (run: Run | null) => ({ run, connectionId: 'default' });
const ended = (message: string) => of(endedRun(message));

function createReader(run: Run, { bytes = '' } = {}) {
  const client = createRunsClient({ baseUrl: 'https://runs.example', apiKey: 'key' });
  const get = vi.spyOn(client.runs, 'get').mockResolvedValue(run);
  const data = { download_url: 'https://files.example/1' };
  vi.spyOn(client.artifacts, 'get').mockResolvedValue({
    artifact_type: 'FILE',
    artifact_uid: 'a1',
    data,
  });
  const file = { contentType: undefined, bytes: Buffer.from(bytes) };
  vi.spyOn(client.artifacts, 'download').mockResolvedValue(file);
  return { get, read: createAnswerReader(async () => client) };
}

it('takes a short answer from what is known, masked', async () => {
  const { get, read } = createReader(endedRun(''));
  const known = ended('password=hunter2hunter2 ');
  expect(await read(known)).toBe('password=[masked secret 1]');
  expect(get).not.toHaveBeenCalled();
  expect(await read(ended(' '))).toBeUndefined();
  expect(
    await read(of(aRun({ state: 'FAILED', status_message: { message: long } }))),
  ).toBeUndefined();
  expect(await read(of(null))).toBeUndefined();
});

it('asks for the run if its answer may be cut', async () => {
  const { read } = createReader(endedRun(cut, { agent_progress: { answer: long } }));
  expect(await read(ended(cut))).toBe(long);
});

it('reads the file of the answer where the run has none', async () => {
  const data = { artifact_uid: 'a1', filename: 'answer.md' };
  const artifacts = [{ artifact_type: 'PLAN' }, { artifact_type: 'FILE', data }];
  const { read } = createReader(endedRun(cut, { artifacts }), { bytes: long });
  expect(await read(ended(cut))).toBe(long);
});

it('is content with what is known where there is no more, or it cannot be read now', async () => {
  expect(await createReader(endedRun(cut)).read(ended(cut))).toBe(cut);
  const away = new RunsApiError({ code: 'connection', message: 'rejected', retryable: true });
  const fails = async () => {
    throw away;
  };
  await expect(readAnswerNow(fails, ended(cut))).resolves.toEqual({ answer: cut, isCut: true });
  const bug = async () => {
    throw new TypeError('bug');
  };
  await expect(readAnswerNow(bug, ended(cut))).rejects.toThrow(TypeError);
});
