import { describe, expect, it } from 'vitest';
import { parseManifest } from '../src/manifest.ts';
import { anEntity, entityDetails, entityUrl } from './support/an-entity.ts';
import { callApi, callOk } from './support/call-api.ts';
import { testManifest } from './support/manifest.ts';
import { useWorkspace } from './support/use-workspace.ts';

const channel = 'C04ENGINEER';
const { entity_payload: payload } = anEntity;

describe('work objects', () => {
  const { startWorkspace } = useWorkspace();
  const start = async (options = {}) => {
    const workspace = await startWorkspace({ retryDelaysMs: [], keepTriggers: true, ...options });
    const { message } = await workspace.as('ada').types(channel, `see ${entityUrl}`);
    const unfurl = (metadata: unknown, more = {}) =>
      callApi(workspace, 'chat.unfurl', { channel, ts: message?.ts, metadata, ...more });
    return { workspace, ada: workspace.as('ada'), ts: message?.ts ?? '', unfurl };
  };
  /** Starts a workspace in which Ada has opened the card. */
  const opened = async () => {
    const started = await start();
    const { workspace, ada, ts } = started;
    await started.unfurl({ entities: [anEntity] });
    await ada.opensEntity(channel, ts);
    const request = Object(
      workspace.traffic.recent().findLast(({ name }) => name === 'events_api'),
    );
    const { event } = request.request;
    const present = (args: object) =>
      callApi(workspace, 'entity.presentDetails', { trigger_id: event.trigger_id, ...args });
    return { ...started, event, present };
  };

  it('are shown below the link, and the app is asked for details when someone opens one', async () => {
    const { workspace, ts, event, ada, present } = await opened();
    expect(workspace.messagesIn(channel).at(-1)?.attachments).toMatchObject([
      { is_app_unfurl: true, app_unfurl_url: entityUrl, entity: { external_ref: { id: 'run-1' } } },
    ]);
    expect(event).toMatchObject({
      type: 'entity_details_requested',
      user: ada.person.id,
      channel,
      message_ts: ts,
      external_ref: { id: 'run-1', type: 'run' },
      entity_url: entityUrl,
      link: { url: entityUrl, domain: 'runs.example.com' },
    });
    expect(ada.flexpane()?.shown).toBeUndefined();
    expect(await present({ metadata: entityDetails })).toEqual({ ok: true });
    expect(ada.flexpane()?.shown).toEqual({ details: entityDetails });
  });

  it('send clicks in their details, and ask for new details after that', async () => {
    const { workspace, ada, present } = await opened();
    await present({ metadata: entityDetails });
    await ada.clicksInEntity('stop');
    const [click, refresh] = workspace.traffic.recent().slice(-2);
    expect(click?.request).toMatchObject({
      type: 'block_actions',
      container: { type: 'entity_detail', external_ref: { id: 'run-1' }, channel_id: channel },
      actions: [{ type: 'button', action_id: 'stop', value: 'run-1' }],
    });
    expect(Object(click?.request)).not.toHaveProperty('response_url');
    expect(Object(refresh?.request).event.type).toBe('entity_details_requested');
    await expect(ada.clicksInEntity('again')).resolves.toBeDefined();
    await expect(ada.clicksInEntity('nothing')).rejects.toThrow('no button nothing');
    ada.closesEntity();
    expect(ada.flexpane()).toBeUndefined();
  });

  it.each<[string, object]>([
    ['no entities', {}],
    ['an entity without a reference', { entities: [{ ...anEntity, external_ref: undefined }] }],
    ['a reference with a dot', { entities: [{ ...anEntity, external_ref: { id: 'a.b' } }] }],
    ['no link', { entities: [{ ...anEntity, app_unfurl_url: undefined }] }],
    ['an unknown type', { entities: [{ ...anEntity, entity_type: 'slack#/entities/run' }] }],
    [
      'an unknown field',
      {
        entities: [
          { ...anEntity, entity_payload: { ...payload, fields: { state: { value: 'x' } } } },
        ],
      },
    ],
    [
      'an empty value',
      {
        entities: [
          { ...anEntity, entity_payload: { ...payload, fields: { status: { value: '' } } } },
        ],
      },
    ],
  ])('are rejected with %s', async (_, metadata) => {
    const { unfurl } = await start();
    expect(await unfurl(metadata)).toMatchObject({ ok: false, error: 'invalid_metadata_format' });
  });

  it('are rejected for a link that the message does not have, and together with blocks', async () => {
    const { unfurl } = await start();
    const url = 'https://runs.example.com/2';
    const other = { ...anEntity, app_unfurl_url: url };
    expect(await unfurl({ entities: [other] })).toMatchObject({ error: 'cannot_unfurl_url' });
    const both = { unfurls: { [entityUrl]: { text: 'x' } } };
    expect(await unfurl({ entities: [anEntity] }, both)).toMatchObject({
      error: 'invalid_arguments',
    });
  });

  it('are dropped with a warning if the manifest does not declare them', async () => {
    const { rich_previews: _, ...features } = testManifest.features;
    const { workspace, unfurl } = await start({
      manifest: parseManifest({ ...testManifest, features }),
    });
    const answer = await unfurl({ entities: [anEntity] });
    expect(answer).toMatchObject({ ok: true, warning: 'invalid_metadata_format' });
    expect(workspace.messagesIn(channel).at(-1)?.attachments).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['another entity', { external_ref: { id: 'run-2' } }, 'entity_metadata_does_not_match_trigger'],
    ['another address', { url: `${entityUrl}0` }, 'entity_metadata_does_not_match_trigger'],
    ['no address', { url: undefined }, 'invalid_metadata'],
    [
      'three buttons in front',
      {
        entity_payload: {
          ...payload,
          actions: { primary_actions: ['a', 'b', 'c'].map((id) => ({ text: id, action_id: id })) },
        },
      },
      'invalid_metadata',
    ],
  ])('have details that are rejected with %s', async (_, changes, error) => {
    const { present, ada } = await opened();
    expect(await present({ metadata: { ...entityDetails, ...changes } })).toMatchObject({ error });
    expect(ada.flexpane()?.shown).toBeUndefined();
  });

  it('have details for one trigger, which was made for an entity', async () => {
    const { workspace, present } = await opened();
    await workspace.as('ada').types(channel, '/try');
    const command = workspace.traffic.recent().findLast(({ name }) => name === 'slash_commands');
    const { trigger_id } = Object(command?.request);
    const metadata = entityDetails;
    const wrong = { error: 'invalid_trigger_id' };
    expect(await present({ metadata, trigger_id })).toMatchObject(wrong);
    expect(await present({ metadata, trigger_id: 'x' })).toMatchObject(wrong);
    expect(await present({ metadata })).toMatchObject({ ok: true });
    expect(await present({ metadata })).toMatchObject(wrong);
  });

  it('can be rejected by the app in words, for one person', async () => {
    const { workspace, ada, present, ts } = await opened();
    const error = { status: 'custom', custom_title: 'Not for you', custom_message: 'Ask Grace.' };
    await callOk(workspace, 'chat.postMessage', { channel, text: 'x' });
    expect(await present({ error: { status: 'no' } })).toMatchObject({ ok: false });
    await ada.refreshesEntity();
    const { event } = Object(workspace.traffic.recent().at(-1)?.request);
    await present({ error, trigger_id: event.trigger_id });
    expect(ada.flexpane()?.shown).toEqual({ error });
    expect(workspace.as('alan').flexpane()).toBeUndefined();
    await expect(ada.opensEntity(channel, ts, 'run-9')).rejects.toThrow('no such entity');
  });
});
