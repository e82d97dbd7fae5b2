import fc from 'fast-check';
import { knownRunStates } from 'runs-client/contract';
import { validateMessage } from 'slack-stand-in/block-kit/validate-message';
import { validateView } from 'slack-stand-in/block-kit/validate-view';
import { findPreviewProblems } from 'slack-stand-in/entities/entity-schema';
import { describe, expect, it } from 'vitest';
import type { RequestStep } from '../../src/requests/steps.ts';
import { renderChangesMessage } from '../../src/slack/changes/changes-view.ts';
import { renderDigest } from '../../src/slack/digest/digest-message.ts';
import type { HomeFilter } from '../../src/slack/home/home-filter.ts';
import { renderFilterModal } from '../../src/slack/home/home-filter-modal.ts';
import { rowsShown } from '../../src/slack/home/home-listing.ts';
import { renderHome } from '../../src/slack/home/home-view.ts';
import { renderRunCard, renderRunEntity } from '../../src/slack/link-unfurl/run-card.ts';
import { answerView } from '../../src/slack/posting/answer-privately.ts';
import { renderForm } from '../../src/slack/pull-request/pull-request-form.ts';
import { detailsOfRequest } from '../../src/slack/run-details/detailed-run.ts';
import { renderDetails } from '../../src/slack/run-details/run-details-view.ts';
import {
  plainRunMessage,
  shortRunMessage,
  withRichText,
} from '../../src/slack/run-message/fallback-message.ts';
import { renderEndReply } from '../../src/slack/run-message/notices/render-end-reply.ts';
import {
  renderNudge,
  renderPointer,
  renderPointerFailure,
} from '../../src/slack/run-message/notices/render-nudge.ts';
import { renderRunMessage } from '../../src/slack/run-message/render-run-message.ts';
import { messageMark, noticeMark } from '../../src/slack/run-message/run-message-writer.ts';
import {
  type RunRow,
  requestRow,
  runRow,
  withReason,
} from '../../src/slack/runs/showing/run-rows.ts';
import {
  renderSettingsStart,
  renderSettingsToRead,
} from '../../src/slack/settings/settings-view.ts';
import { formFields, renderStartRunForm } from '../../src/slack/start-run/start-run-form.ts';
import { escapeText } from '../../src/slack/text/escape-text.ts';
import type { RunRequest } from '../../src/store/requests/request-row.ts';
import { aRequest, aRun } from '../support/builders.ts';
import { hostileTexts } from './hostile-texts.ts';
import { findMentions, mrkdwnIn, sent } from './sent-payload.ts';

function expectMessage(request: RunRequest) {
  const { text, blocks } = renderRunMessage(request);
  const posted = sent({ text, blocks, metadata: messageMark(request) });
  expect(validateMessage(posted, { method: 'chat.postMessage' })).toEqual([]);
  expect(validateMessage(sent({ text, blocks }), { method: 'chat.update' })).toEqual([]);
  const plain = sent(plainRunMessage({ text, blocks }));
  expect(validateMessage(plain, { method: 'chat.update' })).toEqual([]);
  expect(findMentions([text, mrkdwnIn(blocks), mrkdwnIn(plain)])).toEqual([]);
}

const expectView = (view: object) =>
  expect(validateView(sent(view), { types: ['modal'] })).toEqual([]);

const steps: RequestStep[] = ['accepted', 'posted', 'following', 'ended', 'not_started'];
const states = [...knownRunStates, 'A_STATE_NOBODY_KNOWS'];

const artifactTypes = ['FILE', 'PULL_REQUEST', 'EXTERNAL_REFERENCE', 'PLAN', 'SCREENSHOT'];
const manyArtifacts = (text: string) =>
  Array.from({ length: 40 }, (_, index) => ({
    artifact_type: artifactTypes[index] ?? text,
    data: { url: `https://example.com/${text}`, title: text, branch: text },
  }));

const manyOf = <T>(value: T): T[] => Array.from({ length: 40 }, () => value);
const changed = (text: string) => ({ path: text, insertions: 1e15, deletions: 1e15 });

/** Builds a request whose every text from people or services is this text. */
function fullOf(text: string, step: RequestStep, state: string): RunRequest {
  const config = { environment_id: text, model_id: text, name: text, skill_spec: text };
  return aRequest({
    prompt: text,
    title: text,
    config,
    step,
    run: aRun({
      state,
      title: text,
      prompt: text,
      agent_config: config,
      status_message: { message: text, error_code: text, auth_url: `https://example.com/?${text}` },
      artifacts: manyArtifacts(text),
      request_usage: {
        inference_cost_usd: 1e12,
        total_tokens: 1e15,
        models: manyOf({ model: text, cost_usd: 1e12, tokens: 1e15, calls: 1e15 }),
        tightest_cap: { scope: text, name: text, limit_usd: 1e12, spent_usd: 1e12, per: text },
      },
      started_at: text,
      run_time: text,
      session_link: `https://example.com/${text}`,
      creator: { display_name: text },
      source: text,
      agent_progress: {
        answer: text,
        step: text,
        plan: manyOf({ title: text, state: text }),
        changes: { files: 1e15, insertions: 1e15, deletions: -1, largest: manyOf(changed(text)) },
      },
    }),
    endedAt: step === 'ended' ? Date.parse('2026-11-01T12:00:00Z') : null,
  });
}

describe.each(hostileTexts)('a text of %s', (_, text) => {
  it('makes run messages and details that Slack takes, in every step', () => {
    for (const step of steps) {
      for (const state of [text, 'FAILED']) expectMessage(fullOf(text, step, state));
      const problem = { code: text, message: text, since: 0 };
      expectMessage({ ...fullOf(text, step, text), problem });
      expectMessage({ ...fullOf(text, step, text), run: null, problem });
      expectMessage({ ...fullOf(text, step, text), problem: { ...problem, code: 'gone' } });
      expectView(renderDetails(detailsOfRequest(fullOf(text, step, text))));
    }
  });

  it('makes small modals that Slack takes', () => {
    const words = `⚠️ ${escapeText(text)}`;
    const request = { ...fullOf(text, 'ended', 'SUCCEEDED'), title: text };
    const form = renderForm({ requestId: 'r1', conversationId: 'C1' }, request);
    for (const view of [answerView(words), renderChangesMessage(words), form]) expectView(view);
  });

  it('makes a reply at the end that Slack takes and that names only who asked', () => {
    for (const state of ['SUCCEEDED', 'FAILED', text]) {
      const versions = renderEndReply(fullOf(text, 'ended', state), ['U1', 'U2']);
      for (const { message: reply } of versions) {
        const posted = { ...reply, metadata: noticeMark(aRequest(), 'T1-V1 end U1') };
        expect(validateMessage(sent(posted), { method: 'chat.postMessage' })).toEqual([]);
        expect(findMentions([reply.text, mrkdwnIn(reply)])).toEqual([]);
        const shown = reply.blocks ? String(mrkdwnIn(reply.blocks)) : reply.text;
        expect(shown.match(/<@\w+>/g)).toEqual(['<@U1>', '<@U2>']);
        if (reply.blocks) expect(reply.text).not.toContain('<');
      }
    }
  });

  it('makes a nudge that Slack takes and that names only its creator', () => {
    for (const state of ['BLOCKED', 'INPROGRESS']) {
      const request = { ...fullOf(text, 'following', state), usual: { workMs: 480_000 } };
      const { short, ...nudge } = renderNudge(request, ['U1']);
      expect(validateMessage(sent(nudge), { method: 'chat.postMessage' })).toEqual([]);
      expect(nudge.text).not.toContain('<@');
      for (const shown of [short, mrkdwnIn(nudge)])
        expect(String(shown).match(/<@\w+>/g)).toEqual(['<@U1>']);
    }
  });

  it('makes messages about a run, in the channel and in few words, that Slack takes and that call nobody', () => {
    const request = fullOf(text, 'ended', text);
    const messages = [
      { text: renderPointer(request, `https://example.com/${text}`, text) },
      { text: renderPointerFailure(request) },
      shortRunMessage(renderRunMessage(request)),
      withRichText(renderRunMessage(request)),
      { text: 'A card', blocks: renderRunCard(requestRow(request), new Map()) },
    ];
    for (const message of messages) {
      expect(validateMessage(sent(message), { method: 'chat.postMessage' })).toEqual([]);
      expect(findMentions([message.text, mrkdwnIn(message)])).toEqual([]);
    }
    for (const { text: said } of messages.slice(0, 2)) expect(said).not.toContain('<@');
  });

  it('makes work objects that Slack takes', () => {
    const linkUrl = 'https://runs.example.com/1';
    for (const step of steps) {
      for (const request of [fullOf(text, step, text), fullOf(text, step, 'SUCCEEDED')]) {
        const run = request.run ?? aRun();
        for (const row of [requestRow(request), runRow({ run, connectionId: 'default' })]) {
          const entities = [renderRunEntity(row, linkUrl)];
          expect(findPreviewProblems(sent({ entities }))).toEqual([]);
        }
      }
    }
  });

  it('makes a digest that Slack takes and that calls nobody', () => {
    const states = ['SUCCEEDED', 'FAILED', 'CANCELLED', 'BLOCKED', text];
    const requests = Array.from({ length: 6 }, (_, index) =>
      fullOf(text, index === 5 ? 'not_started' : 'ended', states[index % 5] ?? text),
    );
    const digest = renderDigest(requests, new Map([['U1', text]]));
    expect(validateMessage(sent(digest ?? {}), { method: 'chat.postMessage' })).toEqual([]);
    expect(findMentions(digest ?? {})).toEqual([]);
    expect(JSON.stringify(digest)).not.toContain('<@');
  });

  it('makes a start modal that Slack takes', () => {
    const origin = { kind: 'command' as const, threadTs: '1.000100' };
    const metadata = { channelId: 'C0123456789', origin, isExact: false, draftId: 'd' };
    const filled = Object.fromEntries(formFields.map((field) => [field, text]));
    const values = { ...filled, channel: 'C0123456789' };
    const threadCheckbox = { text, isChecked: true };
    const names = new Map([[text, text]]);
    for (const isExpanded of [true, false]) {
      const whole = { ...metadata, isExpanded };
      const content = { metadata: whole, values, threadCheckbox, names };
      expectView(renderStartRunForm({ ...content, notices: text ? [escapeText(text)] : [] }));
    }
  });

  const narrowing = { search: text || 'x', environment: text || 'x', name: text || 'x' };
  const filters: HomeFilter[] = [
    { creator: 'me' },
    { creator: 'everyone', state: 'failed', ...narrowing },
    { creator: 'person', userId: 'U0123456789' },
    { creator: 'automations' },
    { creator: 'elsewhere' },
  ];
  it('makes a Home tab of 20 rows that Slack takes, by any creator', () => {
    const requests = Array.from({ length: rowsShown }, (_each, index) =>
      aRequest({ ...fullOf(text, 'ended', text), id: `T1-V${index}`, runId: `run-${index}` }),
    );
    const elsewhere = requests.map(({ run }, index) =>
      runRow({ run: { ...aRun(), ...run, run_id: `other-${index}` }, connectionId: 'default' }),
    );
    const rowOf = (request: (typeof requests)[number]) => withReason(requestRow(request), request);
    const [waiting, active] = [requests.slice(0, 5), requests.slice(5, 10)].map((each) =>
      each.map((request) => ({ ...rowOf(request), isAnswerable: true, reason: text })),
    ) as [RunRow[], RunRow[]];
    const person = { name: text, picture: 'https://example.com/1.png', teamIds: ['T1'] };
    const rest = { role: 'member' as const, isAdmin: true, timeZone: 'UTC' };
    const people = new Map([['U1', { ...person, ...rest }]]);
    const viewer = { userId: 'U1', canCancelAll: true, people };
    const names = Array.from({ length: 40 }, (_, at) => `scope:number-${at}`);
    const lacking = { required: names, optional: [], granted: 0, requested: 40 };
    const counts = { live: 1, succeeded: 1e9, failed: 1, cancelled: 1, notStarted: 1 };
    const fresh = { kind: 'fresh' } as const;
    const asking = { kind: 'asking', listedAt: 1 } as const;
    const failed = { kind: 'failed', sentence: "The runs service can't be reached." } as const;
    const lists = [
      ...[fresh, asking, failed].map((freshness) => ({ rows: [], freshness })),
      { rows: requests.map(rowOf), freshness: fresh },
      { rows: requests.map(rowOf), freshness: asking },
      { rows: elsewhere, freshness: failed },
    ];
    for (const filter of filters) {
      // The filter changes only the blocks above the rows, so one list is enough for most filters.
      const scopes = { canPost: false, missing: { ...lacking, allowUrl: 'https://a.example/' } };
      const shown = filter.creator === 'everyone' ? lists : lists.slice(-2, -1);
      for (const { rows, freshness } of shown) {
        const listing = { rows, next: text };
        const content = {
          filter,
          viewer,
          listing,
          waiting,
          active,
          counts,
          freshness,
          isKeyRejected: true,
          scopes,
        };
        const home = sent(renderHome({ ...content, page: rows.length === 0 ? 1 : 2 }));
        expect(validateView(home, { types: ['home'] }), filter.creator).toEqual([]);
        expect(findMentions(mrkdwnIn(home)), filter.creator).toEqual([]);
      }
      expectView(renderFilterModal(filter));
    }
  });

  it('makes settings to read that Slack takes and that call nobody', () => {
    const config = { base_prompt: text.slice(0, 3_000), name: text.slice(0, 255) };
    for (const scope of ['person', 'channel', 'workspace'] as const) {
      const content = { scope, page: 'defaults' as const, channelId: 'C1', config };
      const view = sent(renderSettingsToRead(content, 'Only admins.'));
      expectView(view);
      expect(findMentions(mrkdwnIn(view))).toEqual([]);
    }
    for (const channelId of ['', 'C1']) expectView(sent(renderSettingsStart(channelId)));
  });
});

describe('a run message', () => {
  it('is taken by Slack in every state', () => {
    const text = '<!here> *bold* '.repeat(300);
    for (const state of states) expectMessage(fullOf(text, 'following', state));
  });

  it.each([
    ['a script', 'javascript:alert(1)'],
    ['no address', 'not a link'],
    [
      'an address that grows beyond 3,000 when it is encoded',
      `https://example.com/${'ש'.repeat(2900)}`,
    ],
    ['an address of 3,001', `https://example.com/${'x'.repeat(2981)}`],
    ['an address with a space', 'https://example.com/a b'],
  ])('takes a session link that is %s', (_, session_link) => {
    expectMessage(aRequest({ run: aRun({ session_link }) }));
  });

  it('is taken by Slack whatever the characters', () => {
    const text = fc.string({ unit: 'binary', maxLength: 4000 });
    fc.assert(
      fc.property(text, fc.constantFrom(...steps), (anything, step) => {
        expectMessage(fullOf(anything, step, anything));
      }),
      { numRuns: 25 },
    );
  });
});
