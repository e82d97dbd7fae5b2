import { describe, expect, it } from 'vitest';
import { parseManifest } from '../../src/manifest.ts';
import { callOk } from '../support/call-api.ts';
import { testManifest } from '../support/manifest.ts';
import { useWorkspace } from '../support/use-workspace.ts';

const channel = 'C04ENGINEER';
const option = (value: string) => ({ text: { type: 'plain_text', text: value }, value });
const select = (action_id: string) => ({
  type: 'static_select',
  action_id,
  options: [option('a'), option('b')],
});
const overflow = { type: 'overflow', action_id: 'more', options: [option('again'), option('off')] };
const thumb = (text: string) => ({ text: { type: 'plain_text', text }, value: text });
const feedback = {
  type: 'feedback_buttons',
  action_id: 'rate',
  positive_button: thumb('good'),
  negative_button: thumb('bad'),
};
const blocks = [
  { type: 'actions', block_id: 'row', elements: [select('one'), select('two'), overflow] },
  { type: 'context_actions', block_id: 'below', elements: [feedback] },
];

describe('a person', () => {
  const { startWorkspace } = useWorkspace();

  async function startWithSelects() {
    const workspace = await startWorkspace({ retryDelaysMs: [] });
    const { ts } = await callOk(workspace, 'chat.postMessage', { channel, text: 'x', blocks });
    const place = { channelId: channel, messageTs: String(ts) };
    const last = () => Object(workspace.traffic.recent().at(-1)?.request);
    return { workspace, place, last };
  }

  it('finds only their own earlier picks in the state of a message', async () => {
    const { workspace, place, last } = await startWithSelects();
    await workspace.as('ada').clicks(place, 'one', 'a');
    await workspace.as('ada').clicks(place, 'two', 'b');
    const picked = (value: string | null) => ({
      type: 'static_select',
      selected_option: value && option(value),
    });
    expect(last().state.values.row).toEqual({ one: picked('a'), two: picked('b') });
    await workspace.as('grace').clicks(place, 'two', 'a');
    expect(last().state.values.row).toEqual({ one: picked(null), two: picked('a') });
  });

  it('picks only what a menu offers', async () => {
    const { workspace, place, last } = await startWithSelects();
    const ada = workspace.as('ada');
    await ada.clicks(place, 'more', 'again');
    expect(last().actions).toMatchObject([{ type: 'overflow', selected_option: option('again') }]);
    await expect(ada.clicks(place, 'more', 'nothing')).rejects.toThrow('again, off');
    await expect(ada.clicks(place, 'nothing')).rejects.toThrow(
      'row/one, row/two, row/more, below/rate',
    );
  });

  it('gives feedback with one of two buttons, as often as they like', async () => {
    const { workspace, place, last } = await startWithSelects();
    const ada = workspace.as('ada');
    for (const given of ['good', 'bad', 'bad']) {
      await ada.clicks(place, 'rate', given);
      expect(last().actions).toEqual([
        {
          type: 'feedback_buttons',
          action_id: 'rate',
          block_id: 'below',
          ...thumb(given),
          action_ts: expect.stringMatching(/^\d+\.\d{6}$/),
        },
      ]);
    }
    await expect(ada.clicks(place, 'rate', 'splendid')).rejects.toThrow('good, bad');
    await expect(ada.clicks(place, 'rate')).rejects.toThrow('good, bad');
  });

  it('sees public channels and their own; a guest only their own', async () => {
    const { workspace } = await startWithSelects();
    expect(workspace.as('grace').sees('C04SECRETS1')).toEqual([]);
    expect(() => workspace.as('alan').sees('C04SECRETS1')).toThrow("can't see");
    expect(() => workspace.as('sam').sees('C04GENERAL1')).toThrow("can't see");
    expect(() => workspace.as('nobody')).toThrow('nobody');
  });

  it('can post only as a member, and not in a read-only Messages tab', async () => {
    const app_home = { messages_tab_read_only_enabled: true };
    const manifest = parseManifest({
      ...testManifest,
      features: { ...testManifest.features, app_home },
    });
    const workspace = await startWorkspace({ manifest });
    const [ada, alan] = [workspace.as('ada'), workspace.as('alan')];
    expect((await alan.types('C04RANDOM01', 'hello')).outcome.acked).toBe(true);
    expect((await workspace.as('steve').types('C04PARTNERS', 'hi')).message).toBeDefined();
    expect((await ada.types(ada.directChannelId, 'hi')).outcome).toMatchObject({
      error: 'messages_tab_read_only',
    });
  });

  it('sends the app nothing if the manifest has no interactivity', async () => {
    const settings = { ...testManifest.settings, interactivity: { is_enabled: false } };
    const workspace = await startWorkspace({
      manifest: parseManifest({ ...testManifest, settings }),
    });
    expect(await workspace.as('ada').usesGlobalShortcut('anywhere')).toMatchObject({
      error: 'app_not_interactive',
    });
  });

  it("has only the manifest's shortcuts, and no commands in threads", async () => {
    const { workspace, place } = await startWithSelects();
    const ada = workspace.as('ada');
    await expect(ada.usesGlobalShortcut('on-message')).rejects.toThrow('no global shortcut');
    const { outcome } = await ada.types(channel, '/try', { threadTs: place.messageTs });
    expect(outcome).toMatchObject({ error: '/try is not supported in threads. Sorry!' });
  });

  it('from another company has another team', async () => {
    const { workspace, last } = await startWithSelects();
    const steve = workspace.as('steve');
    await steve.types('C04PARTNERS', 'hi');
    expect(last()).toMatchObject({
      is_ext_shared_channel: true,
      event: { user_team: 'T09OUTSIDER', source_team: 'T09OUTSIDER' },
    });
    const posted = await callOk(workspace, 'chat.postMessage', {
      channel: 'C04PARTNERS',
      text: 'x',
      blocks,
    });
    await steve.clicks({ channelId: 'C04PARTNERS', messageTs: String(posted['ts']) }, 'one', 'a');
    expect(last()).toMatchObject({ user: { team_id: 'T09OUTSIDER' }, team: { id: 'T09OUTSIDER' } });
  });

  it('gets ids for names in commands only if the manifest wants it', async () => {
    const { workspace, last } = await startWithSelects();
    const ada = workspace.as('ada');
    await ada.types(channel, '/try ask @grace in #engineering & <b>');
    expect(last().text).toBe('ask @grace in #engineering &amp; &lt;b&gt;');
    await ada.types(channel, '/escaped ask @grace in #engineering & <b>');
    expect(last().text).toBe('ask <@U04GRACEHOP> in <#C04ENGINEER|engineering> &amp; &lt;b&gt;');
  });
});
