import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogger } from '../../../src/lib/logger.ts';
import { createLocalWorkspace } from '../../../src/local-workspace/local-workspace.ts';
import { hasSharedData, whySkipped } from '../../support/shared-data.ts';
import { testManifest } from '../support/manifest.ts';
import { actOnce } from './act-once.ts';
import { compareKeys, findMessages, readSamples } from './samples.ts';

/** Keys that the samples lack and the reference pages show, by kind. */
const interactions: [kind: string, samples: RegExp, documented?: string[]][] = [
  ['slash_command', /^slash_command$/],
  ['block_actions.message', /^interactive\.block_actions\.message$/],
  [
    'block_actions.view',
    /^interactive\.block_actions\.view$/,
    ['/enterprise', '/is_enterprise_install'],
  ],
  [
    'block_suggestion',
    /^interactive\.block_suggestion$/,
    ['/enterprise', '/is_enterprise_install'],
  ],
  ['message_action', /^interactive\.message_action$/],
  ['shortcut', /^interactive\.shortcut$/],
  ['view_submission', /^interactive\.view_submission$/],
  ['view_closed', /^interactive\.view_closed$/],
];

const viewKeys = ['close', 'previous_view_id', 'submit', 'title', 'state/values'];
const events: [kind: string, samples: RegExp, documented?: string[]][] = [
  ['app_home_opened', /event\.app_home_opened$/, viewKeys.map((key) => `/view/${key}`)],
  ['app_mention', /event\.app_mention$/],
  ['message', /event\.message$/, ['/app_id']],
  ['message.im', /event\.message$/],
  ['message.message_changed', /event\.message\.message_changed$/],
  ['message.message_deleted', /event\.message\.message_deleted$/],
  ['link_shared', /event\.link_shared$/, ['/event_ts']],
];

const isEnvelope = (sample: unknown): sample is { event: unknown } =>
  typeof sample === 'object' && sample !== null && 'event' in sample;
const same = { missing: [], invented: [] };
const skipNote = hasSharedData ? '' : ` (${whySkipped})`;

describe.skipIf(!hasSharedData)(
  `what the workspace sends has the keys of the real one${skipNote}`,
  () => {
    const logger = createLogger('silent');
    const workspace = createLocalWorkspace({ manifest: testManifest, logger, retryDelaysMs: [] });
    let sent = new Map<string, Record<string, unknown>>();
    beforeAll(async () => {
      await workspace.start();
      sent = await actOnce(workspace);
    });
    afterAll(() => workspace.stop());

    it('in each kind that is listed here, and there is no other', () => {
      const kinds = [...interactions, ...events].map(([kind]) => kind);
      expect([...sent.keys()].sort()).toEqual(kinds.sort());
    });

    it.each(interactions)('in %s', (kind, pattern, documented) => {
      const samples = readSamples(pattern);
      expect(samples).not.toEqual([]);
      expect(compareKeys(sent.get(kind), samples, documented)).toEqual(same);
    });

    it.each(events)('in the event %s', (kind, pattern, documented) => {
      const samples = readSamples(pattern).map((each) => (isEnvelope(each) ? each.event : each));
      expect(samples).not.toEqual([]);
      expect(compareKeys(sent.get(kind)?.['event'], samples, documented)).toEqual(same);
    });

    it.each(events)('around the event %s', (kind) => {
      const envelopes = readSamples(/^event\./)
        .filter(isEnvelope)
        .map(({ event: _, ...envelope }) => envelope);
      const { event: _, ...ours } = sent.get(kind) ?? {};
      expect(compareKeys(ours, envelopes)).toEqual(same);
    });

    it('in every message that it carries', () => {
      const real = findMessages(readSamples(/./));
      const ours = findMessages([...sent.values()]);
      expect(ours.length).toBeGreaterThan(5);
      for (const message of ours) expect(compareKeys(message, real).invented).toEqual([]);
    });
  },
);
