import { z } from 'zod';
import { findFaults, type Problem, toProblems } from '../block-kit/checks/findings.ts';
import { listOf, textField, urlField, webUrlField } from '../block-kit/fields.ts';

/**
 * Schemas of Slack's work objects. Only tasks are supported, because the bot uses no other kind. Reference:
 * https://docs.slack.dev/messaging/work-objects-implementation
 */
const text = textField({ min_length: 1, max_length: 3_000 });
const webUrl = webUrlField({ max_length: 3_000 });
const label = textField({ min_length: 1, max_length: 255 });

const icon = z.strictObject({
  alt_text: textField({ min_length: 1, max_length: 2_000 }),
  url: webUrl.optional(),
});

const user = z.union([
  z.strictObject({ user_id: z.string().regex(/^[UW][A-Z0-9]+$/) }),
  z.strictObject({ text, url: webUrl.optional(), email: text.optional(), icon: icon.optional() }),
]);

const shown = {
  label: label.optional(),
  link: webUrl.optional(),
  long: z.boolean().optional(),
  icon: icon.optional(),
  tag_color: z.enum(['red', 'yellow', 'green', 'gray', 'blue']).optional(),
};
const stringField = z.strictObject({
  ...shown,
  value: text,
  type: z.literal('string').optional(),
  format: z.literal('markdown').optional(),
});
const userField = z.strictObject({ ...shown, type: z.literal('slack#/types/user'), user });
/** A time in seconds since 1970. */
const timestampField = z.strictObject({
  label: label.optional(),
  value: z.number().int().positive(),
  type: z.literal('slack#/types/timestamp').optional(),
});

const taskFields = z.strictObject({
  description: stringField.optional(),
  created_by: userField.optional(),
  date_created: timestampField.optional(),
  date_updated: timestampField.optional(),
  assignee: userField.optional(),
  status: stringField.optional(),
  priority: stringField.optional(),
});

const custom = { key: label, label };
const customField = z.discriminatedUnion('type', [
  z.strictObject({ ...stringField.shape, ...custom, type: z.literal('string') }),
  z.strictObject({ ...userField.shape, ...custom }),
  z.strictObject({
    ...timestampField.shape,
    ...custom,
    type: z.literal('slack#/types/timestamp'),
  }),
]);

const button = z.strictObject({
  text: textField({ min_length: 1, max_length: 75 }),
  action_id: label,
  value: textField({ max_length: 2_000 }).optional(),
  style: z.enum(['primary', 'danger']).optional(),
  url: urlField({ max_length: 3_000 }).optional(),
  accessibility_label: textField({ max_length: 75 }).optional(),
  processing_state: z
    .strictObject({ enabled: z.boolean(), interstitial_text: text.optional() })
    .optional(),
});

const externalRef = z.strictObject({
  id: z.string().regex(/^[0-9a-zA-Z\-_:!/=]{1,255}$/),
  type: label.optional(),
});

const entityShape = {
  entity_type: z.literal('slack#/entities/task'),
  url: webUrl,
  external_ref: externalRef,
  entity_payload: z.strictObject({
    attributes: z.strictObject({
      title: z.strictObject({ text }),
      display_type: label.optional(),
      display_id: label.optional(),
      product_name: label.optional(),
      product_icon: icon.optional(),
      metadata_last_modified: z.number().int().optional(),
    }),
    fields: taskFields.optional(),
    custom_fields: listOf(customField, { min_items: 0, max_items: 50 }).optional(),
    display_order: listOf(label, { min_items: 0, max_items: 60 }).optional(),
    actions: z
      .strictObject({
        primary_actions: listOf(button, { min_items: 0, max_items: 2 }).optional(),
        overflow_actions: listOf(button, { min_items: 0, max_items: 5 }).optional(),
      })
      .optional(),
  }),
};

/** Schema of an entity in a link preview. `app_unfurl_url` is the link that the preview belongs to. */
const previewSchema = z.strictObject({ ...entityShape, app_unfurl_url: webUrl });
const detailsSchema = z.strictObject(entityShape);
const metadataSchema = z.strictObject({ entities: listOf(previewSchema, { max_items: 10 }) });

/** Schema of the reason why an entity can't be shown, as in the reference of `entity.presentDetails`. */
export const entityErrorSchema = z.strictObject({
  status: z.enum([
    'restricted',
    'internal_error',
    'not_found',
    'timeout',
    'edit_error',
    'custom',
    'custom_partial_view',
  ]),
  custom_title: text.optional(),
  custom_message: text.optional(),
  message_format: z.literal('markdown').optional(),
  actions: listOf(button, { min_items: 0, max_items: 2 }).optional(),
});

export type Entity = z.infer<typeof detailsSchema>;
export type EntityPreview = z.infer<typeof previewSchema>;
export type EntityButton = z.infer<typeof button>;
export type EntityError = z.infer<typeof entityErrorSchema>;

/** Returns the problems for which Slack would reject the `metadata` of `chat.unfurl`. */
export const findPreviewProblems = (metadata: unknown): Problem[] =>
  toProblems('invalid_metadata_format', findFaults(metadataSchema, metadata, ['metadata']));

/** Returns the problems for which Slack would reject the `metadata` of `entity.presentDetails`. */
export const findDetailsProblems = (metadata: unknown): Problem[] =>
  toProblems('invalid_metadata', findFaults(detailsSchema, metadata, ['metadata']));

export const readPreviews = (metadata: unknown): EntityPreview[] =>
  metadataSchema.parse(metadata).entities;
export const readDetails = (metadata: unknown): Entity => detailsSchema.parse(metadata);
