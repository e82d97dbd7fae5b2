import type { Actor, LocalWorkspace } from 'slack-stand-in';
import type { Terminal } from '../../src/check-slack/person.ts';

type Scene = { workspace: LocalWorkspace; ada: Actor; channel: string; elsewhere: string };
/** Does what the terminal says. Returns the text to type afterwards, by default Enter, or `y` after a question. */
type Act = (scene: Scene, said: string) => Promise<string | undefined> | string | undefined;

const runMessageTs = ({ workspace, channel }: Scene) =>
  workspace
    .messagesIn(channel)
    .findLast(({ botId, blocks }) => botId && blocks?.[0]?.['type'] === 'header')?.ts ?? '';

async function openedForm({ ada, workspace, elsewhere }: Scene) {
  await ada.types(elsewhere, '/agent');
  const view = await workspace.until(() => ada.modal());
  await ada.clicks({ view }, 'start-run:more');
  await workspace.until(() => JSON.stringify(ada.modal()?.content).includes('"mcp_servers"'));
  await ada.searches('environment_id', 'c');
  await ada.submits({ prompt: 'hello' });
  return undefined;
}

/** The person's reaction to each instruction, by a part of its text. */
const acts: [part: string, act: Act][] = [
  ['marked as "(edited)"', () => 'n'],
  ['Number: ', () => '1'],
  [
    'a public channel without the app, send: /agent help',
    async ({ ada, elsewhere }) => void (await ada.types(elsewhere, '/agent help')),
  ],
  [
    '#secret-project, send: /agent help',
    async ({ ada, channel }) => void (await ada.types(channel, '/agent help')),
  ],
  [
    'own messages, send: /agent help',
    async ({ ada }) => void (await ada.types(ada.directChannelId, '/agent help')),
  ],
  ['select More options', openedForm],
  [
    'answer with headings',
    async ({ ada, channel }) => void (await ada.types(channel, '/agent run answer with headings')),
  ],
  [
    'select: What can you do?',
    async ({ ada }) => {
      await ada.opensMessages();
      await ada.types(ada.directChannelId, 'help');
      return undefined;
    },
  ],
  [
    'messages, send: hello',
    async ({ ada }) => void (await ada.types(ada.directChannelId, 'hello')),
  ],
  [
    'send in a thread: @agent hello',
    async ({ ada, channel }) => {
      const threadTs = (await ada.types(channel, 'A thread')).message?.ts;
      await ada.types(channel, '@agent hello', { threadTs });
      return undefined;
    },
  ],
  [
    'send: @agent hello',
    async ({ ada, channel }) => void (await ada.types(channel, '@agent hello')),
  ],
  ['open them again', async ({ ada }) => void (await ada.opensMessages())],
  [
    '/agent run wait 10 minutes',
    async ({ ada, channel }) => void (await ada.types(channel, '/agent run wait 10 minutes')),
  ],
  [
    'select Stop',
    async (scene) => {
      const { ada, workspace, channel } = scene;
      const ts = runMessageTs(scene);
      await workspace.until(() => workspace.sessionStatus(channel, ts) === 'processing');
      await ada.stops(channel, ts);
      return undefined;
    },
  ],
  [
    'send this link',
    async ({ ada, channel }, said) => {
      await ada.types(channel, /https:\S+/.exec(said)?.[0] ?? '');
      return undefined;
    },
  ],
  [
    'In Workflow Builder',
    async ({ workspace, ada, channel }) => {
      const inputs = { prompt: 'wait 1 second', channel, person: ada.person.id, wait: true };
      await workspace.runsWorkflowStep('run_agent', inputs);
      return undefined;
    },
  ],
  ['Wait until the run message', () => undefined],
  [
    "select a button of the app's Home",
    async ({ ada, workspace }) => {
      await ada.opensHome();
      const view = await workspace.until(() => ada.home());
      await ada.clicks({ view }, 'run:new');
      return undefined;
    },
  ],
  [
    'select a button of a run message',
    async (scene) => {
      const messageTs = runMessageTs(scene);
      await scene.ada.clicks({ channelId: scene.channel, messageTs }, 'run:details');
      return undefined;
    },
  ],
  [
    'another sandbox',
    async ({ workspace }) =>
      void (await workspace.as('Steve Stranger').types('C04PARTNERS', '@agent hello')),
  ],
];

export type Differently = {
  /** Parts of the instructions and questions that the person skips. */
  skips?: readonly string[];
  /** Text that the person types after other instructions, without acting in Slack. */
  types?: Readonly<Record<string, string>>;
  /** The instruction at which the person presses Ctrl-C. */
  interrupts?: { at: string; by: AbortController };
};

/** Creates a terminal at which a scripted person follows the instructions, in the stand-in. */
export function scriptedTerminal(
  scene: Scene,
  { skips = [], types = {}, interrupts }: Differently = {},
) {
  let printed = '';
  const terminal: Terminal = {
    print: (text) => {
      printed += text;
    },
    readLine: async () => {
      const said = printed.slice(
        Math.max(printed.lastIndexOf('\n  ▸'), printed.lastIndexOf('\n  ?')),
      );
      const typed = Object.entries(types).find(([part]) => said.includes(part))?.[1];
      if (typed !== undefined) return typed;
      if (interrupts && said.includes(interrupts.at)) {
        interrupts.by.abort();
        return undefined;
      }
      if (skips.some((part) => said.includes(part))) return 's';
      const isQuestion = said.includes('y (yes)');
      const act = acts.find(([part]) => said.includes(part))?.[1];
      if (!act && !isQuestion) throw new Error(`nobody knows how to do this: ${said}`);
      return (await act?.(scene, said)) ?? (isQuestion ? 'y' : '');
    },
  };
  return { terminal, printed: () => printed };
}
