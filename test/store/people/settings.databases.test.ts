import { expect, it } from 'vitest';
import { createStore } from '../../../src/store/store.ts';
import { describeOnDatabase } from '../../support/database/databases.ts';

const hourMs = 3_600_000;
const aDraft = {
  context: 'c',
  messages: 1,
  left: 0,
  rest: 'r',
  notices: ['said'],
  names: { id: 'name' },
  isWanted: true,
};

describeOnDatabase('settings and drafts', (database) => {
  it('keeps a draft until it is used, and deletes old ones', async () => {
    const { drafts } = createStore(database());
    await drafts.write({ id: 'old', teamId: 'T1' }, aDraft, 0);
    await drafts.write({ id: 'new', teamId: 'T1' }, { ...aDraft, context: '' }, 1);
    await drafts.removeOld(hourMs + 1);
    expect(await drafts.read('old')).toBeUndefined();
    await drafts.rewrite('new', aDraft);
    expect(await drafts.read('new')).toEqual({ ...aDraft, isWhole: false });
    await drafts.markExpanded('new');
    await drafts.rewrite('new', aDraft);
    expect(await drafts.read('new')).toEqual({ ...aDraft, isWhole: true });
    await drafts.remove('new');
    await drafts.rewrite('new', aDraft);
    expect(await drafts.read('new')).toBeUndefined();
  });

  it('reads the settings of each scope for one person in one channel', async () => {
    const { settings, drafts } = createStore(database());
    const workspace = { teamId: 'T1', scope: 'workspace', scopeId: 'T1' } as const;
    const person = { teamId: 'T1', scope: 'person', scopeId: 'U1' } as const;
    await settings.write(workspace, 'run.defaults', { model_id: 'w' });
    await settings.write(person, 'run.defaults', { model_id: 'p' });
    await settings.write(person, 'another', 1);
    await settings.write({ ...person, scopeId: 'U2' }, 'run.defaults', { model_id: 'other' });
    await settings.write({ ...person, scopeId: 'C1' }, 'run.defaults', { model_id: 'odd' });
    await settings.write({ ...person, teamId: 'T2' }, 'run.defaults', { model_id: 'elsewhere' });
    const asker = { teamId: 'T1', channelId: 'C1', userId: 'U1' };
    expect(Object.fromEntries(await settings.readLayers(asker, 'run.defaults'))).toEqual({
      workspace: { model_id: 'w' },
      person: { model_id: 'p' },
    });
    expect((await settings.readLayers(asker, 'nothing')).size).toBe(0);

    const submission = { ...asker, draftId: 'd', key: 'run.defaults' };
    const { draft, layers } = await drafts.readSubmission(submission);
    expect(draft).toBeUndefined();
    expect(layers).toEqual(await settings.readLayers(asker, 'run.defaults'));
    await drafts.write({ id: 'd', teamId: 'T1' }, aDraft, 1);
    await drafts.markExpanded('d');
    const { draft: kept, layers: none } = await drafts.readSubmission({
      ...submission,
      key: 'nothing',
    });
    expect(kept).toEqual(await drafts.read('d'));
    expect(kept).toEqual({ ...aDraft, isWhole: true });
    expect(none.size).toBe(0);
  });

  it('lists settings by key prefix, of one owner only', async () => {
    const { settings } = createStore(database());
    const owner = { teamId: 'T1', scope: 'person', scopeId: 'U1' } as const;
    await settings.write(owner, 'preset:b', 2);
    await settings.write(owner, 'preset:a', 1);
    await settings.write(owner, 'other', 3);
    await settings.write({ ...owner, scopeId: 'U2' }, 'preset:c', 4);
    expect(await settings.list(owner, 'preset:')).toEqual([
      { key: 'preset:a', value: 1 },
      { key: 'preset:b', value: 2 },
    ]);
    expect(await settings.remove(owner, 'preset:a', 'U1')).toBe(true);
    expect(await settings.remove(owner, 'preset:a', 'U1')).toBe(false);
  });
});
