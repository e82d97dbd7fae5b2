import type { ModalView } from '@slack/types';
import type { AgentConfig } from 'runs-client/contract';
import { valuesOf } from 'slack-stand-in/view-values';
import { beforeEach, describe, expect, it } from 'vitest';
import { createSettingsSubmission } from '../../../src/slack/settings/settings.ts';
import { renderSettings, versionOf } from '../../../src/slack/settings/settings-view.ts';
import { createStoredSettings } from '../../../src/slack/settings/stored-settings.ts';
import type { Scope } from '../../../src/store/people/settings.ts';
import { createStore } from '../../../src/store/store.ts';
import { useDatabase } from '../../support/database/databases.ts';
import { textOf } from '../../support/product/product.ts';

const database = useDatabase();

/** Submits a form as someone who can change every setting. */
async function submit(view: ModalView) {
  const { settings, digests, audit } = createStore(database());
  const stored = createStoredSettings({
    settings,
    digests,
    audit,
    people: { find: () => Promise.reject(new Error('not expected')) },
    connections: { names: async () => [] },
  });
  const submitSettings = createSettingsSubmission({
    stored,
    connections: { catalogFor: () => Promise.reject(new Error('not expected')) },
    promptRights: { denySettings: async () => undefined },
    ackWaitMs: 1_000,
  });
  const sent = JSON.parse(JSON.stringify(view));
  const submitted = {
    private_metadata: sent.private_metadata,
    state: JSON.parse(JSON.stringify({ values: valuesOf(sent.blocks) })),
  };
  return submitSettings(submitted, { teamId: 'T1', userId: 'U1' });
}

/** Builds the run defaults form with this configuration, as if it was opened when `stored` was current. */
const formOf = (scope: Scope, config: AgentConfig, stored: AgentConfig = {}) => {
  const seen = versionOf({ page: 'defaults', config: stored });
  return renderSettings({ scope, page: 'defaults', channelId: 'C1', config, seen });
};

async function saved(scope: Scope) {
  const scopeId = { person: 'U1', channel: 'C1', workspace: 'T1' }[scope];
  return createStore(database()).settings.read({ teamId: 'T1', scope, scopeId }, 'run.defaults');
}

beforeEach(async () => {
  await database().deleteFrom('settings').execute();
});

describe('settings that someone else changed while the form was open', () => {
  it.each<Scope>(['channel', 'workspace'])(
    'of a %s are shown, with what was typed, before they are overwritten',
    async (scope) => {
      const [hers, his] = [formOf(scope, { name: 'hers' }), formOf(scope, { name: 'his' })];
      expect(await submit(hers)).toBeUndefined();
      const again = await submit(his);
      if (again?.response_action !== 'update') throw new Error('not shown again');
      expect(textOf(again.view)).toMatch(/Someone changed.*Group hers/);
      expect(await saved(scope)).toEqual({ name: 'hers' });
      expect(await submit(again.view)).toBeUndefined();
      expect(await saved(scope)).toEqual({ name: 'his' });
    },
  );

  it('are saved once if the same form arrives twice', async () => {
    const form = formOf('workspace', { name: 'hers', model_id: 'm' });
    expect([await submit(form), await submit(form)]).toEqual([undefined, undefined]);
    expect(await saved('workspace')).toEqual({ name: 'hers', model_id: 'm' });
  });

  it('are saved over what the form showed', async () => {
    await submit(formOf('channel', { name: 'old' }));
    expect(await submit(formOf('channel', { name: 'new' }, { name: 'old' }))).toBeUndefined();
    expect(await saved('channel')).toEqual({ name: 'new' });
  });

  it('are only their own for a person', async () => {
    await submit(formOf('person', { name: 'one' }));
    expect(await submit(formOf('person', { name: 'two' }))).toBeUndefined();
    expect(await saved('person')).toEqual({ name: 'two' });
  });
});
