import { readPatch } from 'base/read-patch';
import { renderChanges } from '../../src/slack/changes/changes-view.ts';
import { renderDigest } from '../../src/slack/digest/digest-message.ts';
import { renderFilterModal } from '../../src/slack/home/home-filter-modal.ts';
import { renderForm } from '../../src/slack/pull-request/pull-request-form.ts';
import { detailsOfRequest } from '../../src/slack/run-details/detailed-run.ts';
import { renderDetails } from '../../src/slack/run-details/run-details-view.ts';
import { plainRunMessage } from '../../src/slack/run-message/fallback-message.ts';
import { renderEndReply } from '../../src/slack/run-message/notices/render-end-reply.ts';
import {
  renderNudge,
  renderPointer,
  renderPointerFailure,
} from '../../src/slack/run-message/notices/render-nudge.ts';
import { renderRunMessage } from '../../src/slack/run-message/render-run-message.ts';
import {
  renderSettings,
  renderSettingsStart,
  renderSettingsToRead,
} from '../../src/slack/settings/settings-view.ts';
import { section } from '../../src/slack/text/blocks.ts';
import { aRun } from '../support/builders.ts';
import { allowedBotsCases } from './cases/allowed-bots-cases.ts';
import { answerCases } from './cases/answer-cases.ts';
import { automationFormCases } from './cases/automation-form-cases.ts';
import { automationPageCases } from './cases/automation-page-cases.ts';
import { connectionCases } from './cases/connection-cases.ts';
import { formCases } from './cases/form-cases.ts';
import { homeCases, linkCards } from './cases/home-cases.ts';
import { messageCases } from './cases/message-cases.ts';
import { policyCases } from './cases/policy-cases.ts';
import { presetCases } from './cases/preset-cases.ts';
import { questionCards, questionForms } from './cases/question-cases.ts';
import { settingsCases, settingsToRead } from './cases/settings-cases.ts';
import { usageCases } from './cases/usage-cases.ts';

/** A message or view that people see. `text` is its notification. */
export type PreviewCase = {
  group: string;
  name: string;
  kind: 'message' | 'modal' | 'home';
  text?: string;
  payload: { blocks: readonly object[] };
};

const questionLink = 'https://acme.slack.com/archives/C1/p20?thread_ts=1.0&cid=C1';
const messages = messageCases.map(([name, request]): PreviewCase => {
  const { text, blocks } = renderRunMessage(request, { questionLink });
  return { group: 'Run message', name, kind: 'message', text, payload: { blocks } };
});

const plain = messageCases
  .filter(([name]) => name === 'in progress with a plan')
  .map(([name, request]): PreviewCase => {
    const { text, blocks } = plainRunMessage(renderRunMessage(request));
    const group = 'Run message without new blocks';
    return { group, name, kind: 'message', text, payload: { blocks } };
  });

const ended = messageCases.filter(([, { step }]) => step === 'ended' || step === 'not_started');
const replies = ended.map(([name, request]): PreviewCase => {
  const [first] = renderEndReply(request, ['U04ADALOVEL', 'U04GRACEHOP']);
  const { text = '', blocks = [section(text)] } = first?.message ?? {};
  return { group: 'Reply at the end', name, kind: 'message', text, payload: { blocks } };
});

const slow = { usual: { workMs: 480_000 } };
const now = Date.parse('2026-11-01T12:41:05Z');
const nudges = messageCases
  .filter(([name]) => name === 'needs input' || name === 'in progress')
  .map(([name, request]): PreviewCase => {
    const { text, blocks } = renderNudge({ ...request, ...slow }, ['U04ADALOVEL'], { now });
    return { group: 'Nudge', name, kind: 'message', text, payload: { blocks } };
  });

const questions = [
  ...questionCards.map(
    ([name, { text, blocks }]): PreviewCase => ({
      group: 'Question',
      name,
      kind: 'message',
      text,
      payload: { blocks },
    }),
  ),
  ...questionForms.map(
    ([name, payload]): PreviewCase => ({
      group: 'Form of a question',
      name,
      kind: 'modal',
      payload,
    }),
  ),
];

const [[, first] = []] = messageCases;
const pointers = first
  ? [
      ['requested', renderPointer(first, 'https://acme.slack.com/archives/C1/p10', 'Ada Lovelace')],
      ['not taken', renderPointerFailure(first)],
    ].map(
      ([name = '', text = '']): PreviewCase => ({
        group: 'Shown in the channel',
        name,
        kind: 'message',
        text,
        payload: { blocks: [section(text)] },
      }),
    )
  : [];

const pictured = ['with a draft', 'succeeded', 'failed', 'queued', 'run again with changes'];
const detailed = messageCases.filter(([name]) => pictured.includes(name));
const details = detailed.map(
  ([name, request]): PreviewCase => ({
    group: 'Details',
    name,
    kind: 'modal',
    payload: renderDetails(detailsOfRequest(request)),
  }),
);

const patchOfAFix = readPatch(
  [
    'diff --git a/src/login.ts b/src/login.ts',
    '@@ -12,3 +12,4 @@ export function login(session) {',
    ' const now = Date.now();',
    '-if (session.end < now) return read(session);',
    '+if (session.end < now) return undefined;',
    '+return read(session);',
    'diff --git a/logo.png b/logo.png',
    'new file mode 100644',
    'Binary files /dev/null and b/logo.png differ',
  ].join('\n'),
);
const changes = (
  [
    ['of a fix', { files: patchOfAFix, isLonger: false, page: 0 }],
    ['at their worst', { files: worstPatch(), isLonger: true, page: 1 }],
  ] as const
).map(([name, { page, ...read }]): PreviewCase => {
  const download = { url: 'https://runs.example.com/artifacts/a1', until: 1_793_536_496_000 };
  const run = aRun({ session_link: 'https://runs.example.com/session/4f1c' });
  const place = { ref: { requestId: 'T1-V1' }, page };
  const payload = renderChanges(place, run, { ...read, download });
  return { group: 'Changes', name, kind: 'modal', payload };
});

function worstPatch() {
  const lines = Array.from({ length: 2_000 }, () => `+\`\`\`<!channel> & 😀 ${'x'.repeat(30)}`);
  return readPatch(['diff --git a/`x` b/`<!here>`', '@@ -1 +1 @@', ...lines].join('\n'));
}

const forms = messageCases
  .filter(([name]) => name === 'succeeded with changes')
  .map(
    ([, request]): PreviewCase => ({
      group: 'Pull request',
      name: 'form',
      kind: 'modal',
      payload: renderForm({ requestId: request.id }, request),
    }),
  );

const homes = homeCases.map(
  ({ name, view }): PreviewCase => ({ group: 'Home', name, kind: 'home', payload: view }),
);
const settings = settingsCases.map(
  ([name, ...content]): PreviewCase => ({
    group: 'Settings',
    name,
    kind: 'modal',
    payload: renderSettings(...content),
  }),
);
const settingsStarts = [
  ['start', 'C04GENERAL1'],
  ['start, without a channel', ''],
].map(
  ([name = '', channelId = '']): PreviewCase => ({
    group: 'Settings',
    name,
    kind: 'modal',
    payload: renderSettingsStart(channelId),
  }),
);
const allowedBots = allowedBotsCases.map(
  ([name, payload]): PreviewCase => ({ group: 'Automations', name, kind: 'modal', payload }),
);
const policies = policyCases.map(
  ([name, payload]): PreviewCase => ({ group: 'Policy', name, kind: 'modal', payload }),
);
const toRead: PreviewCase = {
  group: 'Settings',
  name: 'of the workspace, to read',
  kind: 'modal',
  payload: renderSettingsToRead(
    settingsToRead,
    'Only workspace admins can change workspace settings.',
  ),
};
const digest = renderDigest(
  messageCases.map(([, request]) => request),
  new Map([['U04ADALOVEL', 'Ada Lovelace']]),
  [],
  {
    week: { micros: 48_200_000, incompleteRuns: 3 },
    before: { micros: 39_500_000, incompleteRuns: 0 },
  },
);
const digests: PreviewCase[] = digest
  ? [
      {
        group: 'Digest',
        name: 'of a busy day',
        kind: 'message',
        text: digest.text,
        payload: digest,
      },
    ]
  : [];
const filter = renderFilterModal({ creator: 'me', search: 'login' });

/** Every message and view that shows runs, from the builders that the bot uses. */
export const previewCases: readonly PreviewCase[] = [
  ...presetCases,
  ...connectionCases,
  ...automationPageCases,
  ...messages,
  ...plain,
  ...replies,
  ...nudges,
  ...questions,
  ...pointers,
  ...answerCases,
  ...usageCases,
  ...details,
  ...changes,
  ...forms,
  ...settingsStarts,
  ...settings,
  ...policies,
  ...allowedBots,
  toRead,
  ...digests,
  ...homes,
  ...automationFormCases.map(
    ({ name, view }): PreviewCase => ({
      group: 'Form of an automation',
      name,
      kind: 'modal',
      payload: view,
    }),
  ),
  ...formCases.map(
    ({ name, view }): PreviewCase => ({
      group: 'Start form',
      name,
      kind: 'modal',
      payload: view,
    }),
  ),
  ...linkCards.map(
    ({ name, blocks }): PreviewCase => ({
      group: 'Card of a link',
      name,
      kind: 'message',
      payload: { blocks },
    }),
  ),
  { group: 'Home', name: 'find runs', kind: 'modal', payload: filter },
];
