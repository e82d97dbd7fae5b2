import { describe, expect, it } from 'vitest';
import {
  shellEnvironment,
  startRunsService,
} from '../../packages/runs-service/test/support/runs-service.ts';
import { startApiGate } from '../support/network/api-gate.ts';
import { startKillableBot } from '../support/product/killable-bot.ts';
import { general, runMessageShowing, runMessagesIn, textOf } from '../support/product/product.ts';
import { watch } from '../support/product/replies.ts';
import { impatientMs } from '../support/product/waits.ts';

/** A short wait, so the bot acknowledges even if Slack hangs. */
const impatient = { ackWaitMs: impatientMs };

async function killableProduct(script: string) {
  const environments = [shellEnvironment(script, { default: true })];
  const { service } = await startRunsService({ environments });
  const gate = await startApiGate(service.apiUrl);
  const product = await startKillableBot({ runsApiUrl: gate.baseUrl });
  const { faults } = product.workspace;
  /** Delays all look-ups of people, so the bot can't decide in time. */
  const hang = () =>
    faults.inject({ name: 'answer_delayed', method: 'users.info', times: 50, delayMs: 60_000 });
  return { ...product, gate, hang };
}

describe('a bot that is killed after it acknowledged, while Slack hangs', () => {
  it('starts the run of a command after its restart, once', async () => {
    const { workspace, start, hang } = await killableProduct('echo done');
    const bot = await start(impatient);
    await hang();
    await workspace.as('ada').types(general, '/agent run count');
    await bot.kill();
    workspace.faults.clear();
    await start();
    await runMessageShowing(workspace, 'Succeeded');
    expect(runMessagesIn(workspace)).toHaveLength(1);
  });

  it('starts the run that someone wants again after its restart, once', async () => {
    const { workspace, start, hang } = await killableProduct('echo done');
    const bot = await start(impatient);
    await workspace.as('ada').types(general, '/agent run count');
    const { ts: messageTs } = await runMessageShowing(workspace, 'Succeeded');
    await hang();
    const grace = workspace.as('grace');
    await grace.clicks({ channelId: general, messageTs }, 'run:again');
    await bot.kill();
    workspace.faults.clear();
    await start();
    await workspace.until(() => {
      const [, again] = runMessagesIn(workspace);
      return textOf(again).includes('Succeeded') && textOf(again).includes(grace.person.id);
    });
    expect(runMessagesIn(workspace)).toHaveLength(2);
  });

  it('revokes the link of a run after its restart, and says so', async () => {
    const { workspace, gate, start } = await killableProduct('echo done');
    const bot = await start();
    const ada = workspace.as('ada');
    await ada.types(general, '/agent run count');
    const { ts: messageTs } = await runMessageShowing(workspace, 'Succeeded');
    const link = /https?:[^"]*\/session\/[\w-]+/.exec(textOf(runMessagesIn(workspace)))?.[0] ?? '';
    expect((await fetch(link)).status).toBe(200);
    await ada.clicks({ channelId: general, messageTs }, 'run:details');
    const view = await workspace.until(() =>
      textOf(ada.modal()?.content).includes('Timeline') ? ada.modal() : undefined,
    );
    const isRevoke = (path: string) => path.includes('session-link');
    const down = { status: 503, body: { title: 'Down' } };
    gate.answer((path) => (isRevoke(path) ? down : undefined));
    await ada.clicks({ view }, 'run:revoke-link');
    await workspace.until(() => textOf(ada.modal()?.content).includes('Revoking'));
    await bot.kill();
    gate.pass();
    await start();
    const messages = () => workspace.channels.flatMap(({ id }) => workspace.messagesIn(id));
    await workspace.until(() => textOf(messages()).includes('no longer works'));
    expect((await fetch(link)).status).toBe(404);
  });

  it('deletes a preset after its restart', async () => {
    const { workspace, start, hang } = await killableProduct('echo done');
    const patient = await start();
    const ada = workspace.as('ada');
    const opens = async (command: string, title: string) => {
      await ada.types(general, command);
      return workspace.until(() =>
        textOf(ada.modal()?.content).includes(title) ? ada.modal() : undefined,
      );
    };
    await opens('/agent model=small', 'Start');
    await ada.submits({ prompt: 'count', save_as: 'Nightly', save_for: { value: 'channel' } });
    await runMessageShowing(workspace, 'Succeeded');
    const view = await opens('/agent presets', 'Nightly');
    await patient.kill();
    const bot = await start(impatient);
    await hang();
    await ada.clicks({ view }, 'presets:remove');
    await bot.kill();
    workspace.faults.clear();
    await start();
    await workspace.until(() => textOf(ada.modal()?.content).includes('No presets yet'));
  });

  it("cancels the run of Slack's Stop after its restart, once", async () => {
    const { workspace, start, hang } = await killableProduct('exec sleep 600');
    const bot = await start(impatient);
    await workspace.as('grace').types(general, '/agent run wait');
    const { ts } = await runMessageShowing(workspace, 'In progress');
    await workspace.until(() => workspace.sessionStatus(general, ts) === 'processing');
    await hang();
    await workspace.as('ada').stops(general, ts);
    await bot.kill();
    workspace.faults.clear();
    await start();
    await runMessageShowing(workspace, 'Canceled');
    await workspace.until(() => workspace.sessionStatus(general, ts) === 'active');
    expect(workspace.messagesIn(general).filter(({ visibleTo }) => visibleTo)).toEqual([]);
  });

  it('cancels the run of a click after its restart', async () => {
    const { workspace, start, hang } = await killableProduct('exec sleep 600');
    const bot = await start(impatient);
    await workspace.as('grace').types(general, '/agent run wait');
    const { ts: messageTs } = await runMessageShowing(workspace, 'In progress');
    await hang();
    await workspace.as('ada').clicks({ channelId: general, messageTs }, 'run:cancel');
    await bot.kill();
    workspace.faults.clear();
    await start();
    await runMessageShowing(workspace, 'Canceled');
  });

  it('sends a reply to its run after its restart, once, and so with one that starts a run', async () => {
    const product = await killableProduct('case "$AGENT_PROMPT" in wait*) exec sleep 600;; esac');
    const { workspace, gate, start, hang } = product;
    const { followUps, creates } = watch(gate, product);
    let bot = await start(impatient);
    const ada = workspace.as('ada');
    const channelId = ada.directChannelId;
    const replies = async (text: string, state: string) => {
      const { message } = await ada.types(channelId, `${text} first`);
      await runMessageShowing(workspace, state, channelId);
      await hang();
      await ada.types(channelId, 'and the tests', { threadTs: message?.ts });
      await bot.kill();
      workspace.faults.clear();
      bot = await start(impatient);
    };
    await replies('wait', 'In progress');
    await expect.poll(followUps).toEqual(['and the tests']);
    await replies('count', 'Succeeded');
    const prompts = () => creates().map(({ prompt }) => prompt);
    const expected = ['wait first', 'count first', 'and the tests'];
    await expect.poll(prompts).toEqual(expected);
    expect(followUps()).toHaveLength(1);
  });
});
