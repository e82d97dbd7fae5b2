import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalWorkspace } from '../../src/index.ts';
import { testManifest } from '../support/manifest.ts';
import { hasSharedData, whySkipped } from '../support/shared-data.ts';
import { compareKeys, findMessages, readSamples } from './samples.ts';
import { deliveriesByKind, liveWholeLife } from './whole-life.ts';

/** A kind of payload. `documented` lists keys in the reference pages that the samples lack. */
type Row = [kind: string, samples: RegExp, documented?: string[]];

const enterprise = ['/enterprise', '/is_enterprise_install'];
const interactions: Row[] = [
  ['slash_command', /^slash_command$/],
  ['block_actions.message', /^interactive\.block_actions\.message$/],
  ['block_actions.view', /^interactive\.block_actions\.view$/, enterprise],
  ['block_suggestion', /^interactive\.block_suggestion$/, enterprise],
  ['message_action', /^interactive\.message_action$/],
  ['shortcut', /^interactive\.shortcut$/],
  ['view_submission', /^interactive\.view_submission$/],
  ['view_closed', /^interactive\.view_closed$/],
];

const homeKeys = ['close', 'previous_view_id', 'submit', 'title', 'state/values'];
const events: Row[] = [
  ['app_home_opened', /event\.app_home_opened$/, homeKeys.map((key) => `/view/${key}`)],
  ['app_mention', /event\.app_mention$/],
  ['app_uninstalled', /event\.app_uninstalled$/, ['/event_ts']],
  ['function_executed', /event\.function_executed$/],
  ['link_shared', /event\.link_shared$/, ['/event_ts']],
  ['member_joined_channel', /event\.member_joined_channel$/, ['/event_ts']],
  ['member_left_channel', /event\.member_left_channel$/, ['/event_ts']],
  ['message', /event\.message$/],
  // Compare with other messages, because there's no sample. Only the subtype differs.
  ['message.channel_join', /event\.message(\.thread_broadcast)?$/],
  ['message.bot_message', /event\.message\.bot_message$/],
  ['message.im', /event\.message$/],
  ['message.message_changed', /event\.message\.message_changed$/],
  ['message.message_deleted', /event\.message\.message_deleted$/],
  // Apps have `app_id`, but the samples are people's messages.
  ['message.thread_broadcast', /event\.message(\.thread_broadcast)?$/, ['/app_id']],
  ['reaction_added', /event\.reaction_added$/],
  // The documentation lists the same fields as for reaction_added.
  ['reaction_removed', /event\.reaction_added$/],
  ['tokens_revoked', /event\.tokens_revoked$/],
];

type Envelope = { event: unknown };
const isEnvelope = (sample: unknown): sample is Envelope =>
  typeof sample === 'object' && sample !== null && 'event' in sample;

const same = { missing: [], invented: [] };
const skipNote = hasSharedData ? '' : ` (${whySkipped})`;

describe.skipIf(!hasSharedData)(
  `what is sent to the app has the keys of the real${skipNote}`,
  () => {
    const workspace = createLocalWorkspace({ manifest: testManifest, retryDelaysMs: [] });
    beforeAll(async () => {
      await workspace.start();
      await liveWholeLife(workspace);
    });
    afterAll(() => workspace.stop());
    const sent = (kind: string) => deliveriesByKind(workspace).get(kind);

    it('in exactly the kinds that are listed here', () => {
      const kinds = [...interactions, ...events].map(([kind]) => kind);
      expect([...deliveriesByKind(workspace).keys()].sort()).toEqual(kinds.sort());
    });

    it.each(interactions)('in %s', (kind, pattern, documented) => {
      const samples = readSamples(pattern);
      expect(samples).not.toEqual([]);
      expect(compareKeys(sent(kind), samples, documented)).toEqual(same);
    });

    it.each(events)('in the event %s', (kind, pattern, documented) => {
      const samples = readSamples(pattern).map((each) => (isEnvelope(each) ? each.event : each));
      expect(samples).not.toEqual([]);
      expect(compareKeys(sent(kind)?.['event'], samples, documented)).toEqual(same);
    });

    it.each(events)('around the event %s', (kind) => {
      const withoutEvent = ({ event: _, ...envelope }: Envelope) => envelope;
      const envelopes = readSamples(/^event\./)
        .filter(isEnvelope)
        .map(withoutEvent);
      const { event: _, ...ours } = sent(kind) ?? {};
      expect(compareKeys(ours, envelopes)).toEqual(same);
    });

    it('in every message that it carries', () => {
      const real = findMessages(readSamples(/./));
      const ours = findMessages([...deliveriesByKind(workspace).values()]);
      expect(ours.length).toBeGreaterThan(5);
      for (const message of ours) expect(compareKeys(message, real).invented).toEqual([]);
    });
  },
);
