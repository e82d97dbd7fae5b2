import { RunsApiError } from 'runs-client/runs-api-error';
import { expect, it } from 'vitest';
import { readChanges } from '../../../src/slack/changes/read-changes.ts';
import { aRun } from '../../support/builders.ts';

const patch = {
  artifact_type: 'FILE',
  data: { artifact_uid: 'a1', filename: 'changes.patch', mime_type: 'text/x-diff' },
};

it.each([
  ['default', 'RUNS_API_KEY'],
  ['c1', "rejected this workspace's API key"],
  ['c1/T1/U1', "rejected <@U1>'s API key"],
])('a rejected key is named as what it is: %s', async (connectionId, words) => {
  const get = async () => {
    throw new RunsApiError({ code: 'unauthorized', message: 'no' });
  };
  const run = aRun({ artifacts: [patch] });
  const read = await readChanges(
    async () => ({ artifacts: { get, download: () => expect.unreachable('nothing to read') } }),
    {
      run,
      connectionId,
    },
  );
  expect('sentence' in read && read.sentence).toContain(words);
});
