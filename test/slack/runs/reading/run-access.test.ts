import { expect, it } from 'vitest';
import { createRunAccess } from '../../../../src/slack/runs/reading/run-access.ts';
import { createStore } from '../../../../src/store/store.ts';
import { useDatabase } from '../../../support/database/databases.ts';

const teamId = 'T1';
const database = useDatabase();

/** Stores Ada's run in a private channel that Grace is in. */
async function startDoor(
  rejections: {
    see?: string;
    message?: string;
    cancel?: string;
    tryAgain?: string;
    answer?: string;
  } = {},
) {
  const { requests, conversations } = createStore(database());
  const unexpected = () => {
    throw new Error('not expected');
  };
  const place = { teamId, conversationId: 'C1' };
  await requests.accept({
    id: 'r1',
    teamId,
    creatorId: 'ada',
    channelId: 'C1',
    prompt: 'p',
    title: 't',
    config: {},
    acceptedAt: 1,
  });
  if (await conversations.note(place)) await conversations.moved(place, 'grace', true);
  const { seeRequest, command, tryAgain, see } = createRunAccess({
    requests,
    // These functions aren't called for runs that were started in Slack.
    readOwnRuns: unexpected,
    connections: { has: unexpected, through: unexpected },
    rights: {
      denyFollowUp: async () => rejections.message,
      denyCancel: async () => rejections.cancel,
      denyPublish: async () => rejections.cancel,
      denyTryAgain: async () => rejections.tryAgain,
      authorizeAnswer: unexpected,
      authorizeSpend: unexpected,
    },
    promptRights: {
      denySee: async () => rejections.see,
      denyPublish: unexpected,
      authorizeAnswer: unexpected,
      authorizeSpend: unexpected,
    },
  });
  const ways = { seeRequest, command, tryAgain };
  return async (userId: string, conversationId?: string) => {
    const viewer = { teamId, userId, conversationId };
    const found = await Promise.all([
      ...Object.values(ways).map((enter) => enter(viewer, 'r1')),
      see(viewer, { requestId: 'r1' }),
    ]);
    return found.map((each) => ('sentence' in each ? each.sentence : 'may'));
  };
}

const gone = expect.stringContaining("conversation that you aren't in");

it('lets in who is in the conversation of the run, and its creator', async () => {
  const enter = await startDoor();
  expect(await enter('ada')).toEqual(['may', 'may', 'may', 'may']);
  expect(await enter('grace')).toEqual(['may', 'may', 'may', 'may']);
  expect(await enter('alan')).toEqual([gone, gone, gone, gone]);
  // Slack lets people click only in conversations that they can see.
  expect(await enter('alan', 'C1')).toEqual(['may', 'may', 'may', 'may']);
  expect(await enter('alan', 'C2')).toEqual([gone, gone, gone, gone]);
});

it('says why someone in the conversation may not do this', async () => {
  const enter = await startDoor({ see: 'not see', cancel: 'not cancel', tryAgain: 'not again' });
  expect(await enter('grace')).toEqual(['not see', 'not cancel', 'not again', 'not see']);
});
