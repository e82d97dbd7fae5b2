import { z } from 'zod';
import { listOf, part, rule, textField, urlField, webUrlField } from './fields.ts';
import { limits } from './limits.ts';
import { phrases } from './phrases.ts';
import { anyText, plainText } from './text-objects.ts';

export const colorScheme = z.enum(['primary', 'danger']);

/**
 * Schema of a confirmation dialog. It rejects unknown fields, because Slack rejects the whole message if the dialog has
 * some.
 */
export const confirmation = z.strictObject({
  title: plainText(limits.confirmation.title),
  text: anyText(limits.confirmation.text),
  confirm: plainText(limits.confirmation.confirm),
  deny: plainText(limits.confirmation.deny),
  style: colorScheme.optional(),
});

const optionValue = textField({ min_length: 1, ...limits.option.value });

/** Schema of a select menu's option, which has plain text and no link. */
export const menuOption = z.strictObject({
  text: plainText(limits.option.text),
  value: optionValue,
  description: plainText(limits.option.description).optional(),
});

/** Schema of an overflow menu's option. Only these options can have a link. */
export const overflowOption = z.strictObject({
  ...menuOption.shape,
  url: urlField(limits.option.url).optional(),
});

/** Schema of an option of checkboxes and radio buttons. Only these options can have formatted text. */
export const formattedOption = z.strictObject({
  text: anyText(limits.option.text),
  value: optionValue,
  description: anyText(limits.option.description).optional(),
});

export const optionGroup = z.strictObject({
  label: plainText(limits.option_group.label),
  options: listOf(menuOption, limits.option_group.options),
});

export const conversationFilter = z
  .strictObject({
    include: listOf(z.enum(['im', 'mpim', 'private', 'public']), { max_items: 4 }).optional(),
    exclude_external_shared_channels: z.boolean().optional(),
    exclude_bot_users: z.boolean().optional(),
  })
  .superRefine(
    rule(undefined, (filter) =>
      Object.keys(filter).length === 0
        ? phrases.either('include', 'exclude_bot_users', 'exclude_external_shared_channels')
        : undefined,
    ),
  );

export const dispatchActionConfig = z.strictObject({
  trigger_actions_on: listOf(z.enum(['on_enter_pressed', 'on_character_entered']), {
    max_items: 2,
  }),
});

const slackFile = z
  .strictObject({
    id: textField({ min_length: 1 }).optional(),
    url: urlField({ max_length: 3000 }).optional(),
  })
  .superRefine(
    rule(undefined, ({ id, url }) => {
      if (id !== undefined && url !== undefined) return phrases.oneOnly('id', 'url');
      return id === undefined && url === undefined ? phrases.either('id', 'url') : undefined;
    }),
  );

export const inputParameter = z.strictObject({
  name: textField({ min_length: 1 }),
  value: textField(),
});

export const workflowTrigger = z.strictObject({
  url: urlField({ max_length: 3000 }),
  customizable_input_parameters: listOf(inputParameter, {
    min_items: 0,
    max_items: 100,
  }).optional(),
});

export const workflow = z.strictObject({ trigger: workflowTrigger });

const source = {
  image_url: webUrlField(limits.image.image_url).optional(),
  slack_file: slackFile.optional(),
  alt_text: textField({ min_length: 1, ...limits.image.alt_text }),
};

type Source = { image_url?: unknown; slack_file?: unknown };

const oneSource = ({ image_url: url, slack_file: file }: Source) => {
  if (url !== undefined && file !== undefined) return phrases.oneOnly('image_url', 'slack_file');
  return url === undefined && file === undefined
    ? phrases.either('image_url', 'slack_file')
    : undefined;
};

/** Schema of an image inside another block. */
export const imageElement = part('image', source).superRefine(rule(undefined, oneSource));

const blockId = textField({ min_length: 1, ...limits.block_id }).optional();

/** Creates the schema of a block. Every block can have a `block_id`. */
export const blockPart = <Type extends string, Shape extends z.ZodRawShape>(
  type: Type,
  shape: Shape,
) => part(type, { block_id: blockId, ...shape });

export const imageBlock = blockPart('image', {
  ...source,
  title: plainText(limits.image.alt_text).optional(),
}).superRefine(rule(undefined, oneSource));

/** Fields that all interactive elements share. */
export const actionable = {
  action_id: textField({ min_length: 1, ...limits.action_id }).optional(),
};
export const confirmable = { confirm: confirmation.optional() };
export const focusable = { focus_on_load: z.boolean().optional() };
/** Fields that elements with options share. */
export const choosable = { ...actionable, ...confirmable, ...focusable };
export const withPlaceholder = { placeholder: plainText(limits.select.placeholder).optional() };
export const dispatching = { dispatch_action_config: dispatchActionConfig.optional() };
export const severalSelectable = { max_selected_items: z.int().min(1).optional() };
