import { describe, expect, it } from 'vitest';
import { renderRunMessage } from '../../../../src/slack/run-message/render-run-message.ts';
import { spendQuestion } from '../../../preview/cases/a-question.ts';
import { aRequest, aRun } from '../../../support/builders.ts';

type Changes = Parameters<typeof aRequest>[0];

const session = { session_link: 'https://runs.example/s' };
const ended: Changes = { step: 'ended', run: aRun({ ...session, state: 'SUCCEEDED' }) };
const patch = {
  artifact_type: 'FILE',
  data: { artifact_uid: 'a1', filename: 'changes.patch', mime_type: 'text/x-diff' },
};
const pullRequest = {
  artifact_type: 'PULL_REQUEST',
  data: { url: 'https://github.com/acme/shop/pull/12', state: 'open' },
};
const mergeable = {
  ...pullRequest,
  data: { ...pullRequest.data, checks: 'passing', review: 'approved' },
};
const ratings = ['👍 Good result', '👎 Bad result'];
const threaded: Changes = { origin: { kind: 'mention', threadTs: '1.0' } };
const problem = (code: string) => ({ code, message: 'no', since: 1_793_536_496_000 });

/** Returns the button labels, with * after the primary one, then the menu entries. */
function controlsOf(changes: Changes) {
  const row = renderRunMessage(aRequest(changes)).blocks.findLast(({ type }) => type === 'actions');
  const elements = row?.type === 'actions' ? row.elements : [];
  const buttons = elements.flatMap((each) =>
    each.type === 'button' ? [each.text.text + (each.style === 'primary' ? '*' : '')] : [],
  );
  const menu = elements.flatMap((each) => (each.type === 'overflow' ? each.options : []));
  return { buttons, menu: menu.map(({ text }) => text.text) };
}

describe('the buttons and the menu of a run message', () => {
  it.each<[name: string, changes: Changes, buttons: string[], menu: string[]]>([
    [
      'that starts',
      { step: 'posted', run: null, runId: null },
      ['Cancel', 'Details'],
      ['Notify me'],
    ],
    [
      'in progress',
      { run: aRun(session) },
      ['Open session', 'Cancel', 'Details'],
      ['Notify me', 'Stop updates'],
    ],
    [
      'in progress in a thread',
      { run: aRun(session), ...threaded },
      ['Open session', 'Cancel', 'Details'],
      ['Notify me', 'Stop updates', 'Share in channel'],
    ],
    [
      'that needs input',
      { run: aRun({ ...session, state: 'BLOCKED' }) },
      ['Answer*', 'Open session', 'Details'],
      ['Notify me', 'Stop updates'],
    ],
    [
      'at a cap',
      { run: aRun({ ...session, state: 'BLOCKED', agent_progress: { question: spendQuestion } }) },
      ['Answer*', 'Cancel', 'Details'],
      ['Open session', 'Notify me', 'Stop updates'],
    ],
    [
      'that is no longer followed',
      { run: aRun(session), unfollowedAt: 1 },
      ['Resume updates*', 'Open session', 'Details'],
      ['Notify me'],
    ],
    [
      'that ended',
      ended,
      ['Open session', 'Run again', 'Details'],
      ['Run again with changes', 'Make recurring', ...ratings],
    ],
    [
      'that ended in a thread',
      { ...ended, ...threaded },
      ['Open session', 'Run again', 'Details'],
      ['Run again with changes', 'Make recurring', 'Share in channel', ...ratings],
    ],
    [
      'that needs an account',
      {
        step: 'ended',
        run: aRun({
          ...session,
          state: 'FAILED',
          status_message: { message: 'no', auth_url: 'https://runs.example/connect' },
        }),
      },
      ['Connect*', 'Run again', 'Details'],
      ['Open session', 'Run again with changes', 'Make recurring'],
    ],
    [
      'that changed files',
      { step: 'ended', run: aRun({ ...session, state: 'SUCCEEDED', artifacts: [patch] }) },
      ['View changes', 'Open session', 'Details'],
      ['Run again', 'Run again with changes', 'Make recurring', ...ratings],
    ],
    [
      'of which the changes are being published',
      {
        step: 'ended',
        run: aRun({ ...session, state: 'SUCCEEDED', publication: { state: 'offered' } }),
        publishAskedAt: 1,
        publishWanted: { action: 'publish' },
        publishOutcome: 'accepted',
      },
      ['Open session', 'Run again', 'Details'],
      ['Run again with changes', 'Make recurring', ...ratings],
    ],
    [
      'with a pull request',
      {
        ...threaded,
        step: 'ended',
        run: aRun({ ...session, state: 'SUCCEEDED', artifacts: [pullRequest, patch] }),
      },
      ['View pull request*', 'View changes', 'Open session'],
      ['Details', 'Run again', 'Run again with changes', 'Make recurring', 'Share in channel'],
    ],
    [
      'with a pull request that can be merged',
      {
        step: 'ended',
        run: aRun({
          ...session,
          state: 'SUCCEEDED',
          artifacts: [mergeable, patch],
          publication: { state: 'published', actions: ['merge'] },
        }),
      },
      ['Merge*', 'View pull request', 'View changes'],
      ['Details', 'Run again', 'Run again with changes', ...ratings],
    ],
    [
      'that failed',
      { step: 'ended', run: aRun({ ...session, state: 'FAILED' }) },
      ['Run again*', 'Open session', 'Details'],
      ['Run again with changes', 'Make recurring'],
    ],
    [
      'with changes to publish',
      {
        step: 'ended',
        run: aRun({ state: 'SUCCEEDED', artifacts: [patch], publication: { state: 'offered' } }),
      },
      ['Create pull request*', 'View changes', 'Details'],
      ['Run again', 'Run again with changes', 'Make recurring', ...ratings],
    ],
    [
      "whose branch couldn't be pushed",
      {
        step: 'ended',
        run: aRun({
          state: 'SUCCEEDED',
          artifacts: [patch],
          publication: { state: 'failed', mode: 'branch' },
        }),
      },
      ['Retry push*', 'View changes', 'Details'],
      ['Run again', 'Run again with changes', 'Make recurring', ...ratings],
    ],
    [
      'that failed after changes and needs an account',
      {
        step: 'ended',
        run: aRun({
          ...session,
          state: 'FAILED',
          artifacts: [pullRequest, patch],
          status_message: { message: 'no', auth_url: 'https://runs.example/connect' },
        }),
      },
      ['Connect*', 'View pull request', 'View changes'],
      ['Open session', 'Details', 'Run again', 'Run again with changes', 'Make recurring'],
    ],
    [
      'that its service no longer knows',
      { step: 'ended', run: aRun(session), missingSince: 1, problem: problem('gone') },
      ['Resume updates', 'Run again', 'Details'],
      ['Open session', 'Run again with changes', 'Make recurring'],
    ],
    [
      'whose connection was removed',
      {
        step: 'ended',
        run: aRun(session),
        missingSince: 1,
        problem: problem('connection_removed'),
      },
      ['Run again', 'Details'],
      ['Open session', 'Run again with changes', 'Make recurring'],
    ],
    [
      'that was not started',
      { step: 'not_started', run: null, runId: null, problem: problem('unauthorized') },
      ['Try again*', 'Run again with changes', 'Details'],
      [],
    ],
    [
      'that was rejected',
      { step: 'not_started', run: null, runId: null, problem: problem('unprocessable') },
      ['Try again', 'Run again with changes*', 'Details'],
      [],
    ],
  ])('fit a run %s', (_, changes, buttons, menu) => {
    expect(controlsOf(changes)).toEqual({ buttons, menu });
  });

  it('link to a session only if its address is safe', () => {
    const run = aRun({ session_link: 'javascript:alert(1)' });
    expect(controlsOf({ run })).toEqual({
      buttons: ['Cancel', 'Details'],
      menu: ['Notify me', 'Stop updates'],
    });
  });
});
