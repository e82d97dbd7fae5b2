import { withoutDetails } from '../../../src/doctor/bot-diagnostics.ts';
import { checkScopes } from '../../../src/doctor/slack-checks.ts';
import { denyConfig } from '../../../src/policy/ruling-sentences.ts';
import { help, mistakeText } from '../../../src/slack/agent-command/command-answers.ts';
import { createRunAnswers, type RunAnswer } from '../../../src/slack/agent-command/run-answers.ts';
import { createDoctorAnswer } from '../../../src/slack/doctor/answer-doctor.ts';
import { askForPrompt } from '../../../src/slack/mention/ask-for-prompt.ts';
import {
  askAboutThread,
  closedThread,
  fileAlone,
  howToMention,
  type MentionAnswer,
  nothingToCancel,
  notPassedOn,
  passedOn,
  startedMasked,
  startedWithoutThread,
} from '../../../src/slack/mention/mention-answers.ts';
import {
  filesNotSent,
  notHandled,
  notSent,
  sentMasked,
  tooManyReplies,
} from '../../../src/slack/replies/reply-answers.ts';
import { renderNotifyAnswer } from '../../../src/slack/run-message/message-buttons.ts';
import { canceledBefore } from '../../../src/slack/runs/acting/continue-run.ts';
import { offerAgain } from '../../../src/slack/runs/showing/buttons/offer-again.ts';
import { dryRunText } from '../../../src/slack/runs/showing/dry-run.ts';
import { actions, section } from '../../../src/slack/text/blocks.ts';
import type { PreviewCase } from '../preview-cases.ts';
import { messageCases } from './message-cases.ts';

const [, running] = messageCases.find(([name]) => name === 'in progress') ?? [];
const [, ended] = messageCases.find(([name]) => name === 'failed') ?? [];
const runs = [running, ended].flatMap((request) => request ?? []);
const nothing = async () => undefined;
/** Dependencies of the handlers, with answers from the cases. */
const parts = {
  rights: { denySee: nothing },
  promptRights: { offersCancel: async () => false },
  readMessageLink: async () => 'https://example.slack.com/archives/C1/p1760000000000100',
  people: { look: async () => new Map() },
  list: { page: async () => runs },
  requests: {
    findByMessage: nothing,
    findByRunPrefix: async () => runs.slice(1),
  },
} as unknown as Parameters<typeof createRunAnswers>[0];
const runAnswers = createRunAnswers(parts);
const viewer = { teamId: 'T1', userId: 'U04ADALOVEL' };

const asker = { ...viewer, channelId: 'C1' };
const place = { channelId: 'C1', threadTs: '1.0', ts: '2.0' };
const again = { ...place, requestId: 'T1-V1' };
const typed = 'run env=shop model="large 2 count the TODO comments';
const dryRun = {
  prompt: 'Count the TODO comments and say which file has most.',
  title: '',
  config: { environment_id: 'shop', model_id: 'large-2' },
  fields: { environment_id: 'channel defaults', model_id: 'typed' },
};
const ofOneModel = {
  rules: [{ name: 'Small', models: ['small'] }],
  ask: 'a workspace admin',
  facts: { ...asker, conversation: 'public' as const, inGroups: new Map() },
};
const closed = "The app can't read this thread. Type `/invite @agent` here.";
const notify = renderNotifyAnswer('T1-V1', true);

const scopes = { required: ['chat:write', 'commands'], optional: ['reactions:write'] };
const doctor = createDoctorAnswer({
  rights: { denyAllButAdmins: nothing },
  granted: { missing: () => ({ required: [], optional: [], granted: 2, requested: 2 }) },
  installations: { allowUrl: () => 'https://agent.example.com/slack/install' },
  runDiagnostics: async () =>
    withoutDetails([
      { problem: 'disk-nearly-full', detail: '' },
      ...checkScopes(new Headers({ 'x-oauth-scopes': 'commands' }), scopes),
      { problem: 'environment-problem', detail: '', named: 'web' },
      { problem: 'environment-problem', detail: '', named: 'api' },
    ]),
});

const answers: [group: string, name: string, answer: RunAnswer | MentionAnswer][] = [
  ['Answer to /agent', 'help', help],
  ['Answer to /agent', 'mistake', mistakeText(typed, 'The closing quote of `model=` is missing.')],
  ['Answer to /agent', 'dry run', dryRunText(dryRun)],
  [
    'Answer to /agent',
    'dry run that a rule blocks',
    dryRunText({
      ...dryRun,
      denial: denyConfig(ofOneModel, dryRun.config)?.sentence,
    }),
  ],
  ['Answer to /agent', 'list', await runAnswers.list(viewer, { state: undefined })],
  ['Answer to /agent', 'doctor', await doctor(asker)],
  ['Answer to /agent', 'show', await runAnswers.show(viewer, 'run-1')],
  ['Answer to a mention', 'without words', howToMention],
  [
    'Answer to a mention',
    'without words in a thread',
    askAboutThread(place, {
      context: 'Ada (2026-11-02 09:12 UTC):\n> it fails since noon',
      messages: 4,
      left: 0,
      masked: 1,
    }),
  ],
  [
    'Answer to a mention',
    'without words in a long thread',
    askAboutThread(place, {
      context: 'Ada (2026-11-02 09:12 UTC):\n> one more line of the log\n\n'.repeat(40).trim(),
      messages: 40,
      left: 12,
      masked: 0,
    }),
  ],
  ['Answer to a mention', 'a thread that the app cannot read', closedThread(closed)],
  [
    'Answer to a mention',
    'options without words',
    askForPrompt({ channelId: 'D1', inView: 'C1' }, 'preset=nightly'),
  ],
  ['Answer to a mention', 'a file without words', fileAlone],
  ['Answer to a mention', 'stop in a thread without a run', nothingToCancel(again, undefined)],
  ['Answer to a mention', 'stop outside of a thread', nothingToCancel({}, undefined)],
  ['Answer to a mention', 'started without the thread', startedWithoutThread(closed)],
  ['Answer to a mention', 'sent to an active run', passedOn('Count the TODO comments', 1)],
  ['Answer to a mention', 'started with masked secrets', startedMasked(2)],
  [
    'Answer to a mention',
    'maybe not sent to an active run',
    notPassedOn({ title: 'Count the TODO comments', connectionId: 'default' }, 'connection'),
  ],
  [
    'Answer to a mention',
    'of a run that has ended',
    offerAgain('Count the TODO comments', again, false),
  ],
  [
    'Answer to a mention',
    'of a run that takes no messages',
    offerAgain('Count the TODO comments', again, true),
  ],
  ['Answer to a reply', 'files to an active run', filesNotSent],
  ['Answer to a reply', 'sent with masked secrets', sentMasked(1)],
  ['Answer to a reply', 'maybe not sent', notSent('timeout', 'default')],
  ['Answer to a reply', 'not sent', notHandled],
  ['Answer to a reply', 'to a canceled run', canceledBefore('Count the TODO comments')],
  ['Answer to a reply', 'too many', tooManyReplies],
  [
    'Answer to a click',
    'notify me',
    { text: notify.text, blocks: [section(notify.text), actions([notify.back])] },
  ],
];

/** Answers that only one person sees. */
export const answerCases = answers.map(([group, name, answer]): PreviewCase => {
  const { text, blocks = [section(text)] } = typeof answer === 'string' ? { text: answer } : answer;
  return { group, name, kind: 'message', text, payload: { blocks } };
});
