import { describe, expect, it } from 'vitest';
import {
  markedWorkspace,
  markWorkspace,
  workspaceOfRun,
} from '../../../src/slack/connection/workspace-marks.ts';

const button = { type: 'button', action_id: 'run:cancel', value: 'x' };
const clickable = { type: 'actions', elements: [button] };
const text = { type: 'section', text: { type: 'mrkdwn', text: 'hello' } };

describe('what is shown carries its workspace', () => {
  it('in each block of a message that can be clicked, which no other block has', () => {
    const { blocks } = markWorkspace({ blocks: [text, clickable, clickable] }, 'T1');
    const ids = blocks.map((block) => ('block_id' in block ? block.block_id : undefined));
    expect(ids).toEqual([undefined, expect.stringMatching(/^T1-/), expect.stringMatching(/^T1-/)]);
    expect(ids[1]).not.toBe(ids[2]);
    for (const id of ids.slice(1))
      expect(markedWorkspace({ actions: [{ block_id: id }] })).toBe('T1');
  });

  it('with another id for another content, and the same for the same', () => {
    const idOf = (block: object) =>
      Object(markWorkspace({ blocks: [block] }, 'T1').blocks[0]).block_id;
    expect(idOf(clickable)).toBe(idOf({ ...clickable }));
    expect(idOf(clickable)).not.toBe(idOf({ ...clickable, elements: [{ ...button, value: 'y' }] }));
  });

  it('in the id that a block has, unless that begins with a workspace', () => {
    const blocks = [
      { ...clickable, block_id: 'own' },
      { ...clickable, block_id: 'T2-question' },
    ];
    expect(markWorkspace({ blocks }, 'T1').blocks).toMatchObject([
      { block_id: 'T1-own' },
      { block_id: 'T2-question' },
    ]);
  });

  it('in the metadata of a view, next to what is there', () => {
    const view = { private_metadata: '{"page":2}' };
    const marked = markWorkspace({ response_action: 'update', view }, 'T1');
    expect(marked.response_action).toBe('update');
    expect(JSON.parse(marked.view.private_metadata)).toEqual({ page: 2, team: 'T1' });
    expect(markedWorkspace({ view: marked.view })).toBe('T1');
  });

  it.each([undefined, 'text', { text: 'no blocks' }, { channel: 'C1', ts: '1.2' }])(
    'and nothing else changes: %j',
    (shown) => expect(markWorkspace(shown, 'T1')).toEqual(shown),
  );
});

describe('a mark is read', () => {
  it.each([
    ['a search in a message', { block_id: 'T1-0-x', value: 'T2-typed' }, 'T1'],
    [
      'a block before its view',
      { actions: [{ block_id: 'T1-choose' }], view: { private_metadata: '{"team":"T2"}' } },
      'T1',
    ],
    ['a view without a mark', { view: { private_metadata: '{"page":2}' } }, undefined],
    [
      'a view with a wrong one, which nobody knows',
      { view: { private_metadata: '{"team":"E1"}' } },
      'E1',
    ],
    ['metadata that is no JSON', { view: { private_metadata: 'T1' } }, undefined],
    ['a block id of Slack', { actions: [{ block_id: 'Tq2Wx' }] }, undefined],
    ['nothing', {}, undefined],
  ])('of %s', (_, body, teamId) => expect(markedWorkspace(body)).toBe(teamId));

  it.each([
    ['a button', { actions: [{ value: 'T1-C1-1.2' }] }, 'T1'],
    ['a menu', { actions: [{ selected_option: { value: 'cancel:T1-C1-1.2' } }] }, 'T1'],
    ['a run from elsewhere', { actions: [{ value: 'run:service:T1-x' }] }, undefined],
    ['something else', { actions: [{ value: '3' }] }, undefined],
  ])('or of the run in the value of %s', (_, body, teamId) =>
    expect(workspaceOfRun(body)).toBe(teamId),
  );
});
