import { describe, expect, it } from 'vitest';
import { bundleSlashAgent } from '../packages/base/test/support/bundle.ts';
import { sentReaction } from '../src/slack/replies/reply-answers.ts';
import { createStore } from '../src/store/store.ts';
import { general, runMessageIn, runMessagesIn, textOf } from '../test/support/product/product.ts';
import { startTestBed } from './test-bed.ts';

/** Time for a repeated reply, because Slack delivers it again after a second and after a minute. */
const longWait = { timeoutMs: 150_000 };

/** Starts two replicas and a run that lasts, in a channel where plain replies go to the run. */
async function startInThread() {
  const testBed = await startTestBed('PostgreSQL');
  const { workspace, db, serviceDb } = testBed;
  const program = bundleSlashAgent();
  const replicas = [0, 1].map(() => testBed.createReplica(program));
  for (const replica of replicas) replica.start();
  await testBed.untilConnected(4);
  const owner = { teamId: workspace.team.id, scope: 'channel', scopeId: general } as const;
  await createStore(db).settings.write(owner, 'runs.replies', true);
  const ada = workspace.as('ada');
  await ada.types(general, '/agent run stay');
  const shows = (words: string) =>
    workspace.until(() => textOf(runMessageIn(workspace)).includes(words) || undefined, longWait);
  await shows('In progress');
  const threadTs = runMessageIn(workspace)?.ts ?? '';
  const status = () => workspace.sessionStatus(general, threadTs);
  await workspace.until(() => status() === 'processing', longWait);
  workspace.faults.inject({ name: 'delivered_twice', kind: 'events_api', times: 50 });
  return {
    workspace,
    ada,
    threadTs,
    shows,
    status,
    /** Kills a replica when both are up. It restarts at once, as under a supervisor. */
    async kill(index: 0 | 1) {
      await testBed.untilConnected(4);
      replicas[index]?.signal('SIGKILL');
    },
    endReplies: () =>
      workspace
        .messagesIn(general, { thread: threadTs })
        .filter(({ metadata }) => metadata?.['event_type'] === 'slash_agent_run_end'),
    async canceledInAudit() {
      const rows = await db.selectFrom('audit_entries').selectAll().execute();
      return rows.filter(({ action }) => action === 'run_cancel_requested').length;
    },
    async followUps() {
      const rows = await serviceDb.selectFrom('service_run_followups').selectAll().execute();
      return rows.map(({ message }) => message);
    },
  };
}

describe('people in the thread of a run that two replicas serve', () => {
  it('stop it once, however often they press Stop and whichever replica dies', async () => {
    const { workspace, ada, threadTs, shows, status, kill, ...read } = await startInThread();
    const presses = [ada.stops(general, threadTs), ada.stops(general, threadTs)];
    await kill(0);
    await Promise.all([...presses, ada.stops(general, threadTs)]);
    await kill(1);
    await shows('Canceled');
    await workspace.until(() => read.endReplies().length > 0, longWait);
    await workspace.until(() => status() !== 'processing', longWait);
    expect(await read.canceledInAudit()).toBe(1);
    expect(runMessagesIn(workspace)).toHaveLength(1);
    expect(read.endReplies()).toHaveLength(1);
  }, 600_000);

  it('reach it without a mention, once, and cancel it with a word', async () => {
    const { workspace, ada, threadTs, shows, kill, ...read } = await startInThread();
    const sent: string[] = [];
    const says = async (text: string) => {
      const { message } = await ada.types(general, text, { threadTs });
      sent.push(message?.ts ?? '');
    };
    const words = ['count the tests', 'and the docs', 'and the benchmarks', 'then tell me'];
    for (const [index, text] of words.entries()) {
      await says(text);
      if (index === 0) await kill(0);
      if (index === 2) await kill(1);
    }
    const isMarked = (ts: string) =>
      workspace
        .messagesIn(general, { thread: threadTs })
        .some((each) => each.ts === ts && textOf(each.reactions).includes(sentReaction));
    await workspace.until(() => sent.every(isMarked), longWait);
    await says('stop');
    await shows('Canceled');
    // Sort, because Slack repeats what a killed replica hadn't acknowledged after later replies.
    expect((await read.followUps()).sort()).toEqual(words.sort());
    expect(await read.canceledInAudit()).toBe(1);
    expect(runMessagesIn(workspace)).toHaveLength(1);
  }, 600_000);
});
