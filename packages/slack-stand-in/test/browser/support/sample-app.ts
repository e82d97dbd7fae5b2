import type { App } from '@slack/bolt';
import type { KnownBlock } from '@slack/types';
import { sampleHome } from './sample-home.ts';
import { everythingModal, mrkdwn, option, plain } from './sample-modal.ts';

/** Registers a small app that uses all features of the page. */
export function registerSampleApp(app: App): void {
  app.command('/try', async ({ ack, client, command }) => {
    await ack();
    const view = everythingModal(command.text);
    view.private_metadata = command.channel_id;
    await client.views.open({ trigger_id: command.trigger_id, view });
  });
  app.options('environment', async ({ ack, options }) => {
    const names = ['production', 'staging', 'sandbox'].filter((each) =>
      each.includes(options.value),
    );
    await ack({ options: names.map((name) => option(name)) });
  });
  app.action('more', async ({ ack, action, body, client }) => {
    await ack();
    if (body.type !== 'block_actions' || action.type !== 'checkboxes' || !body.view) return;
    const isOn = action.selected_options.length > 0;
    const view = everythingModal('', isOn);
    view.private_metadata = body.view.private_metadata;
    await client.views.update({ view_id: body.view.id, view });
  });
  app.action('push', async ({ ack, body, client }) => {
    await ack();
    if (body.type !== 'block_actions') return;
    await client.views.push({
      trigger_id: body.trigger_id,
      view: {
        type: 'modal',
        title: plain('Deeper'),
        blocks: [{ type: 'section', text: mrkdwn('*Second* floor') }],
      },
    });
  });
  app.view('everything', async ({ ack, view, client, body }) => {
    const prompt = view.state.values['prompt']?.['text']?.value ?? '';
    if (prompt === 'bad') {
      await ack({ response_action: 'errors', errors: { prompt: 'This prompt is bad.' } });
      return;
    }
    await ack();
    const card = runCard(prompt, body.user.id, 'Running');
    await client.chat.postMessage({ channel: view.private_metadata, ...card });
  });
  app.action('cancel', async ({ ack, body, client }) => {
    await ack();
    if (body.type !== 'block_actions' || !body.message || !body.channel) return;
    const card = runCard('cancelled work', body.user.id, 'Cancelled');
    await client.chat.update({ channel: body.channel.id, ts: body.message.ts, ...card });
  });
  app.action('show', async ({ ack, respond }) => {
    await ack();
    await respond({ replace_original: false, text: 'Only you can read this.' });
  });
  app.shortcut('on-message', async ({ ack, client, shortcut }) => {
    await ack();
    const said = 'message' in shortcut ? (shortcut.message.text ?? '') : '';
    await client.views.open({ trigger_id: shortcut.trigger_id, view: everythingModal(said) });
  });
  app.shortcut('anywhere', async ({ ack, client, shortcut }) => {
    await ack();
    await client.views.open({ trigger_id: shortcut.trigger_id, view: everythingModal('anywhere') });
  });
  app.event('app_mention', async ({ event, client }) => {
    const text = `You said: ${event.text}`;
    await client.chat.postMessage({ channel: event.channel, thread_ts: event.ts, text });
    await client.reactions.add({ channel: event.channel, timestamp: event.ts, name: 'eyes' });
  });
  app.event('app_home_opened', async ({ event, client }) => {
    if (event.tab !== 'home') return;
    await client.views.publish({ user_id: event.user, view: sampleHome(undefined) });
  });
  app.action('creator', async ({ ack, action, body, client }) => {
    await ack();
    const creator = action.type === 'users_select' ? action.selected_user : undefined;
    await client.views.publish({ user_id: body.user.id, view: sampleHome(creator ?? undefined) });
  });
}

/** Returns the blocks of a run: header, state, prompt, facts and buttons. */
export function runCard(prompt: string, creator: string, state: string) {
  const startedSeconds = Math.floor(Date.now() / 1_000);
  const started = `<!date^${startedSeconds}^{date_short_pretty} at {time}|just now>`;
  const blocks: KnownBlock[] = [
    { type: 'header', text: plain(prompt.slice(0, 150) || 'Run') },
    { type: 'section', text: mrkdwn(`:hourglass_flowing_sand: *${state}* · started ${started}`) },
    { type: 'section', text: mrkdwn(`>${prompt}`) },
    { type: 'context', elements: [mrkdwn(`Started by <@${creator}> in *production*`)] },
  ];
  if (state === 'Running') {
    blocks.push({
      type: 'actions',
      elements: [
        { type: 'button', action_id: 'show', text: plain('Details') },
        {
          type: 'button',
          action_id: 'cancel',
          style: 'danger',
          text: plain('Cancel'),
          confirm: {
            title: plain('Cancel this run?'),
            text: plain('The agent stops where it is.'),
            confirm: plain('Cancel run'),
            deny: plain('Keep going'),
            style: 'danger',
          },
        },
      ],
    });
  }
  return { text: `${state}: ${prompt}`, blocks };
}
