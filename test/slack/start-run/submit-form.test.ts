import type { WebClient } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import type { RunStart } from '../../../src/slack/runs/acting/run-start.ts';
import { createFormCheck } from '../../../src/slack/start-run/check-form.ts';
import { createFormSubmission } from '../../../src/slack/start-run/submit-form.ts';
import type { Draft } from '../../../src/store/people/drafts.ts';
import type { RunRequest } from '../../../src/store/requests/request-row.ts';
import { aRequest } from '../../support/builders.ts';

const person = { teamId: 'T1', userId: 'U1' };
const stored: Draft = {
  context: '> the thread',
  messages: 1,
  left: 0,
  rest: ' and the rest',
  isWanted: false,
  notices: [],
  names: {},
};

/** Builds the form's fields as Slack submits them, with these boxes checked. */
function viewWith(ticks: Record<string, string[]>, more: object = {}) {
  const metadata = {
    channelId: 'C1',
    origin: { kind: 'command' },
    isExpanded: false,
    isExact: false,
    draftId: 'd',
    ...more,
  };
  const ticked = Object.entries(ticks).map(([block, values]) => {
    const selected_options = values.map((value) => ({ value }));
    return [block, { value: { type: 'checkboxes', selected_options } }];
  });
  const prompt = { value: { type: 'plain_text_input', value: 'the beginning' } };
  const values = { prompt, ...Object.fromEntries(ticked) };
  return { id: 'V1', private_metadata: JSON.stringify(metadata), state: { values } };
}

const info = async () => ({ ok: true, channel: { is_private: true } });
const conversations = { info };

/** Submits the form. The store has nothing, a draft, or the request of an earlier delivery. */
async function submit(
  view: ReturnType<typeof viewWith>,
  { draft, request }: { draft?: Draft; request?: RunRequest } = {},
) {
  const started: RunStart[] = [];
  const parts = {
    requests: { find: async () => request },
    settings: {
      read: async () => undefined,
      list: async () => [],
      readLayers: async () => new Map(),
      write: async () => {},
    },
    drafts: {
      readSubmission: async () => ({
        draft: draft && { ...draft, isWhole: false },
        layers: new Map(),
      }),
    },
    connections: {
      catalogFor: async () => ({
        environments: async () => ({ choices: [], isKnown: false }),
        skills: async () => ({ choices: [], isKnown: false }),
        listWithout: async () => undefined,
      }),
    },
    people: { look: async () => new Map() },
    client: { conversations } as unknown as WebClient,
    promptRights: { denyPreset: () => Promise.reject(new Error('not expected')) },
    startRun: async (start: RunStart) => {
      started.push(start);
      return { outcome: 'accepted' as const, visibleInMs: 0, canPost: true };
    },
    checkPosting: async () => undefined,
    readPermalink: async () => undefined,
    readMessageLink: async () => undefined,
    ackWaitMs: 60_000,
  };
  const submitForm = createFormSubmission({ ...parts, checkForm: createFormCheck(parts) });
  const answer = await submitForm(view, person);
  const [{ prompt, context, config } = {}] = started;
  return { answer, prompt, context, config };
}

describe('the text that a form sends', () => {
  it('is the whole prompt, with the thread after it', async () => {
    const view = viewWith({ rest: ['rest'], context: ['thread'] });
    const { prompt, context } = await submit(view, { draft: stored });
    expect(prompt).toBe('the beginning and the rest');
    expect(context).toBe('> the thread');
  });

  it('leaves out what is not checked', async () => {
    const view = viewWith({ rest: [], context: [] });
    const { prompt, context } = await submit(view, { draft: stored });
    expect(prompt).toBe('the beginning');
    expect(context).toBeNull();
  });

  it('is not cut silently if the form is too old', async () => {
    const view = viewWith({ rest: ['rest'], context: ['thread'] });
    const { answer, prompt } = await submit(view);
    expect(answer).toEqual({
      errors: {
        rest: expect.stringContaining('more than an hour'),
        context: expect.stringContaining('more than an hour'),
      },
    });
    expect(prompt).toBeUndefined();
    expect((await submit(viewWith({ ticks: ['notify'] }))).prompt).toBe('the beginning');
  });

  it('is not questioned on a repeated delivery', async () => {
    const view = viewWith({ rest: ['rest'] });
    expect((await submit(view, { request: aRequest() })).answer).not.toHaveProperty('errors');
  });

  it('waits for a thread that the prompt needs', async () => {
    const draft = { ...stored, isWanted: true };
    const unread = await submit(viewWith({}), { draft: { ...draft, context: '' } });
    expect(unread.answer).toEqual({
      errors: { prompt: expect.stringContaining('still loading') },
    });
    const unseen = await submit(viewWith({ rest: [] }), { draft });
    expect(unseen.answer).toHaveProperty('errors');
    expect((await submit(viewWith({ context: [] }), { draft })).prompt).toBe('the beginning');
  });
});

describe('a thread and files of a private conversation', () => {
  const file = { id: 'F1', name: 'plan.txt', mimeType: 'text/plain', bytes: 3 };
  const draft = { ...stored, files: [file] };
  const boxes = { rest: ['rest'], context: ['thread'], files: ['files'] };

  it('are not sent to another channel, which each box says', async () => {
    const { answer, prompt } = await submit(viewWith(boxes, { sourceId: 'C2' }), { draft });
    const isPrivate = expect.stringContaining('private conversation');
    expect(answer).toEqual({ errors: { context: isPrivate, files: isPrivate } });
    expect(prompt).toBeUndefined();
  });

  it.each([
    ['where they are from', { sourceId: 'C1' }],
    ['to a direct message with the app', { channelId: 'D1', sourceId: 'C2' }],
  ])('are sent %s', async (_, more) => {
    const { context } = await submit(viewWith(boxes, more), { draft });
    expect(context).toBe('> the thread');
  });
});

describe('a form that repeats a run, of which the draft is gone', () => {
  const again = { kind: 'again', again: { requestId: 'r1' } };
  const servers = { docs: { url: 'https://mcp.example.com', headers: { A: 'a key' } } };
  const config = { model_id: 'small', mcp_servers: servers };

  it.each([
    ['has the keys of the person who repeats it', 'U1', config],
    ['has no keys of another person', 'U2', { model_id: 'small' }],
  ])('%s', async (_, creatorId, wanted) => {
    const view = viewWith({}, { isExact: true, origin: again });
    const request = aRequest({ creatorId, config });
    expect((await submit(view, { request })).config).toEqual(wanted);
  });
});
