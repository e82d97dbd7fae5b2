import { expect, it } from 'vitest';
import { check, differences, startSlack } from './check-bed.ts';
import type { Plant, PlantedCall } from './planted-slack.ts';
import type { Differently } from './scripted-person.ts';

type Planted = {
  /** Title of the case: the way in which this Slack differs. */
  name: string;
  only: string;
  plant?: Plant;
  /** Options of the stand-in that cause the difference. */
  readings?: Parameters<typeof startSlack>[0];
  person?: Differently;
  patienceMs?: number;
  differs: string[];
};

const rejected = (error: string) => ({ body: { ok: false, error } });

/** Changes the stand-in's answer to calls of a method. */
const changing =
  (method: string, change: (body: Record<string, unknown>) => void): Plant =>
  async (call) => {
    if (call.method !== method) return undefined;
    const answer = await call.pass();
    change(answer.body);
    return answer;
  };

/** Rejects calls of a method. `which` selects them, by default all. */
const rejecting =
  (method: string, error: string, which: (call: PlantedCall) => boolean = () => true): Plant =>
  (call) =>
    call.method === method && which(call) ? rejected(error) : undefined;

const textOf = ({ sent }: PlantedCall) => JSON.stringify(sent['blocks'] ?? []);
let sockets = 0;

const planted: Planted[] = [
  {
    name: 'grants three scopes',
    only: '2',
    plant: async (call) =>
      call.method === 'auth.test'
        ? { ...(await call.pass()), scopes: 'chat:write,commands,im:history' }
        : undefined,
    differs: ['Installing the app grants every scope of the manifest'],
  },
  {
    name: 'gives a token of an organization',
    only: '3',
    plant: changing('auth.test', (body) =>
      Object.assign(body, { team_id: 'E07STARSHIP', is_enterprise_install: true }),
    ),
    differs: ['The token is for one workspace'],
  },
  {
    name: 'allows one connection',
    only: '3',
    plant: rejecting('apps.connections.open', 'too_many_websockets', () => ++sockets > 1),
    patienceMs: 1_000,
    differs: ['The bot starts with these tokens', 'The app can have two connections at once'],
  },
  {
    name: 'keeps metadata to itself',
    only: '6',
    plant: changing('conversations.history', ({ messages }) => {
      for (const message of messages as object[]) Reflect.deleteProperty(message, 'metadata');
    }),
    differs: ['Metadata comes back without a further scope'],
  },
  {
    name: 'shows that the app updated a message',
    only: '6',
    person: { types: { '(edited)': 'y' } },
    differs: ['A message with blocks is not marked as edited by an update'],
  },
  {
    name: 'gives an updated message another ts',
    only: '6',
    plant: changing('chat.update', (body) => Object.assign(body, { ts: '1.000001' })),
    differs: ['A message keeps its ts when it is updated'],
  },
  {
    name: 'holds on to the rich text that it made of Markdown',
    only: '7',
    readings: { blockMismatchAfterMarkdown: true },
    differs: ['An update can drop the blocks that Slack made of Markdown'],
  },
  {
    name: 'rejects two tables with another error',
    only: '8',
    plant: rejecting('chat.postMessage', 'table_not_allowed', (call) =>
      textOf(call).includes('Between'),
    ),
    differs: ['Slack rejects two tables with invalid_attachments'],
  },
  {
    name: 'rejects private answers',
    only: 'private',
    plant: rejecting('chat.postEphemeral', 'restricted_action'),
    differs: ['The app can answer one person in a channel'],
  },
  {
    name: 'shares a file outside of its thread',
    only: 'upload',
    plant: ({ method, sent, pass }) => {
      const { thread_ts: _, ...rest } = sent;
      return method === 'files.completeUploadExternal' ? pass(method, rest) : undefined;
    },
    differs: ['It is shared once, in its thread'],
  },
  {
    name: 'makes a thread of each direct message',
    only: '9',
    readings: { directThreads: true },
    person: {},
    differs: ['A suggested prompt arrives as a message without a thread'],
  },
  {
    name: 'delivers no Stop',
    only: '10',
    person: { types: { 'select Stop': '' } },
    patienceMs: 3_000,
    differs: ['Stop reaches the app'],
  },
  {
    name: 'takes no cards',
    only: '11',
    plant: rejecting('chat.unfurl', 'cannot_unfurl_url'),
    person: {},
    differs: ['A link gets a card'],
  },
  {
    name: 'completes steps only with their own token',
    only: '12',
    readings: { needsStepToken: true },
    person: {},
    differs: ['The app completes a step with its own token after 15 minutes'],
  },
];

it.each(planted)('names what differs in a Slack that $name', async (each) => {
  const { only, plant, readings, person, patienceMs, differs } = each;
  const { report } = await check(await startSlack(readings), {
    only: [only],
    ...(plant && { plant }),
    ...(person && { person }),
    ...(patienceMs && { patienceMs }),
  });
  expect(differences(report)).toEqual(differs);
});
