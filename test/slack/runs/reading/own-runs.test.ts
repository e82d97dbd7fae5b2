import { expect, it } from 'vitest';
import type { Connect } from '../../../../src/slack/configuration/connect.ts';
import { createOwnRuns } from '../../../../src/slack/runs/reading/own-runs.ts';
import { createRequests } from '../../../../src/store/requests/requests.ts';
import { aRun } from '../../../support/builders.ts';
import { useDatabase } from '../../../support/database/databases.ts';

const database = useDatabase();

const ofBot = (run_id: string, request_id: string, slack_team: string) =>
  aRun({ run_id, metadata: { request_id, slack_team } });
const runs = [
  ofBot('ours', 'of-t1', 'T1'),
  ofBot('theirs', 'of-t2', 'T2'),
  ofBot('deleted', 'was-deleted', 'T1'),
  aRun({ run_id: 'afar', metadata: { request_id: 'of-a-program' } }),
];

it.each([
  ['one workspace', false, ['ours', 'afar']],
  ['many workspaces', true, ['ours']],
])('are those that people of %s may know', async (_, isShared, expected) => {
  const requests = createRequests(database());
  for (const teamId of ['T1', 'T2'])
    await requests.accept({
      id: `of-${teamId.toLowerCase()}`,
      teamId,
      channelId: 'C1',
      creatorId: 'U1',
      prompt: 'count',
      title: 'Count',
      config: {},
      acceptedAt: Date.now(),
    });
  const service = {
    list: async () => ({ runs, page_info: { has_next_page: false } }),
    get: async (id: string) => runs.find(({ run_id }) => run_id === id) ?? aRun(),
  };
  const connect = (() => ({ runs: service })) as unknown as Connect;
  const own = createOwnRuns({ connect, requests, teamId: 'T1', isShared: () => isShared })(
    'default',
  );
  expect((await own.list()).runs.map(({ run_id }) => run_id)).toEqual(expected);
  for (const { run_id } of runs) {
    const found = await own
      .find(run_id)
      .then((seen) => ('request' in seen ? seen.request.runId : seen.run.run_id))
      .catch(({ code }) => code);
    expect(found).toEqual(expected.includes(run_id) ? run_id : 'not_found');
  }
});
