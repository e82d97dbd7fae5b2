import { expect, it } from 'vitest';
import { linkEarlierRun } from '../../../../src/slack/runs/showing/earlier-run.ts';
import { aRequest, aRun } from '../../../support/builders.ts';

const session_link = 'https://runs.example/s/1';
const before = aRequest({ channelId: 'C1', run: aRun({ session_link }) });
const noMessage = async () => undefined;

it('links the session of an earlier run without a message, but not where other people read it', async () => {
  expect(await linkEarlierRun(noMessage, {}, before, 'C1')).toEqual({ link: session_link });
  expect(await linkEarlierRun(noMessage, {}, before, 'C2')).toEqual({});
});

it('links the session of a run started outside Slack only in a direct message, because guests read channels', async () => {
  const again = { runId: 'run-1', link: session_link };
  expect(await linkEarlierRun(noMessage, again, undefined, 'D1')).toEqual(again);
  expect(await linkEarlierRun(noMessage, again, undefined, 'C1')).toEqual({ runId: 'run-1' });
});
