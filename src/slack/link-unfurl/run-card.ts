/**
 * Renders a run as a work object, for the card below a link. Entities have no markup, so nothing is escaped.
 * https://docs.slack.dev/messaging/work-objects-implementation
 */
import type { EntityCustomField, EntityMetadata, KnownBlock, TaskEntityFields } from '@slack/types';
import type { KnownPeople } from '../people/people.ts';
import { writeRunRef } from '../runs/run-ref.ts';
import { titleLine } from '../runs/showing/run-label.ts';
import { renderRow } from '../runs/showing/run-row-view.ts';
import type { RunRow } from '../runs/showing/run-rows.ts';
import { shorten } from '../text/escape-text.ts';

export type RunEntity = Pick<
  EntityMetadata,
  'entity_type' | 'external_ref' | 'url' | 'app_unfurl_url' | 'entity_payload'
>;
type Payload = RunEntity['entity_payload'];

const titleLimit = 200;
const valueLimit = 300;

/** Colors of states on cards. Other states are gray. */
const colors: Record<string, string> = {
  'In progress': 'blue',
  'Needs input': 'yellow',
  Succeeded: 'green',
  Failed: 'red',
  'Not started': 'red',
};

/** Renders the card without prompt, error and buttons, because everyone in the conversation sees the same card. */
export const renderRunEntity = (row: RunRow, linkUrl: string): RunEntity => ({
  entity_type: 'slack#/entities/task',
  // Link the card to the posted address, because the session link would open the session to anyone.
  url: linkUrl,
  app_unfurl_url: linkUrl,
  // Encode the ID, because Slack accepts only some characters and no dots.
  external_ref: { id: Buffer.from(writeRunRef(row.ref)).toString('base64url') },
  entity_payload: renderPayload(row),
});

function renderPayload({ title, label, creator, at, outcome, environment, source }: RunRow) {
  const fields: TaskEntityFields = {
    status: {
      value: shorten(`${label.sign} ${label.word}`, valueLimit),
      tag_color: colors[label.word] ?? 'gray',
    },
    created_by: {
      type: 'slack#/types/user',
      user:
        'slackUserId' in creator
          ? { user_id: creator.slackUserId }
          : { text: oneLine(creator.name) || 'unknown' },
    },
    ...(at !== null && at > 0 && { date_created: { value: Math.floor(at / 1_000) } }),
  };
  const custom = [
    textField('outcome', 'Outcome', outcome.join(', ')),
    textField('environment', 'Environment', environment),
    textField('source', 'Started from', source),
  ].flatMap((field) => field ?? []);
  return {
    attributes: {
      title: { text: shorten(titleLine(title), titleLimit) },
      display_type: 'Agent run',
    },
    fields,
    custom_fields: custom,
    display_order: ['status', 'outcome', 'created_by', 'date_created', 'environment', 'source'],
  } satisfies Payload;
}

/** Returns a text field, or undefined without a value because Slack rejects empty fields. */
function textField(
  key: string,
  label: string,
  text: string | null | undefined,
): EntityCustomField | undefined {
  const value = oneLine(text ?? '');
  return value ? { key, label, type: 'string', value } : undefined;
}

const oneLine = (text: string) => shorten(text.replace(/\s+/g, ' ').trim(), valueLimit);

/**
 * Renders the same card as blocks, in case Slack doesn't show work objects. It has no menu, because rights differ by
 * person.
 */
export const renderRunCard = (row: RunRow, people: KnownPeople): KnownBlock[] =>
  renderRow(row, { userId: '', canCancelAll: false, people });
