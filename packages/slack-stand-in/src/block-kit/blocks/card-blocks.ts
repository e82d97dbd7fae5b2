import { z } from 'zod';
import { blockPart, imageBlock, imageElement } from '../composition-objects.ts';
import { button } from '../elements/buttons.ts';
import { contextActionsElement } from '../elements/element-families.ts';
import { listOf, part, rule, textField } from '../fields.ts';
import { limits } from '../limits.ts';
import { phrases } from '../phrases.ts';
import { anyText, plainText } from '../text-objects.ts';
import {
  actionsBlock,
  contextBlock,
  dividerBlock,
  headerBlock,
  sectionBlock,
  videoBlock,
} from './layout-blocks.ts';
import { richTextBlock } from './rich-text.ts';

export const alertBlock = blockPart('alert', {
  text: anyText(limits.alert.text),
  level: z.enum(['default', 'info', 'warning', 'error', 'success']).optional(),
});

export const cardBlock = blockPart('card', {
  hero_image: imageElement.optional(),
  icon: imageElement.optional(),
  slack_icon: part('icon', { name: textField({ min_length: 1 }) }).optional(),
  title: anyText(limits.card.title).optional(),
  subtitle: anyText(limits.card.subtitle).optional(),
  body: anyText(limits.card.body).optional(),
  subtext: anyText(limits.card.subtext).optional(),
  actions: listOf(button, limits.card.actions).optional(),
}).superRefine(
  rule('type', ({ hero_image: image, title, actions, body }) =>
    [image, title, actions, body].every((field) => field === undefined)
      ? phrases.either('hero_image', 'title', 'actions', 'body')
      : undefined,
  ),
);

export const carouselBlock = blockPart('carousel', {
  elements: listOf(cardBlock, limits.carousel.elements),
});

export const contextActionsBlock = blockPart('context_actions', {
  elements: listOf(contextActionsElement, limits.context_actions.elements),
});

const chartLimits = limits.data_visualization;

const pie = part('pie', {
  segments: listOf(
    z.strictObject({
      label: textField({ min_length: 1, ...chartLimits.segment.label }),
      value: z.number().gt(chartLimits.segment.value.exclusive_min),
    }),
    chartLimits.segments,
  ),
});

const point = z.strictObject({
  label: textField({ min_length: 1, ...chartLimits.point_label }),
  value: z.number(),
});

const category = textField({ min_length: 1, ...chartLimits.category_label });
const axisLabel = textField(chartLimits.axis_label).optional();

const axes = {
  series: listOf(
    z.strictObject({
      name: textField({ min_length: 1, ...chartLimits.series_name }),
      data: listOf(point, chartLimits.data),
    }),
    chartLimits.series,
  ),
  axis_config: z.strictObject({
    categories: listOf(category, chartLimits.categories),
    x_label: axisLabel,
    y_label: axisLabel,
  }),
};

export const dataVisualizationBlock = blockPart('data_visualization', {
  title: textField({ min_length: 1, ...chartLimits.title }),
  chart: z.discriminatedUnion('type', [
    pie,
    part('line', axes),
    part('bar', axes),
    part('area', axes),
  ]),
});

/**
 * Creates the schema of the container block, which frames other blocks. The surface adds `others` to the allowed
 * blocks. Containers can't be nested.
 */
export function createContainerBlock(
  others: readonly z.core.$ZodTypeDiscriminable[],
): z.core.$ZodTypeDiscriminable {
  const child = z.discriminatedUnion('type', [
    actionsBlock,
    contextBlock,
    dividerBlock,
    headerBlock,
    imageBlock,
    richTextBlock,
    sectionBlock,
    videoBlock,
    ...others,
  ]);
  return blockPart('container', {
    title: plainText(limits.container.title).optional(),
    rich_text_title: richTextBlock.optional(),
    subtitle: anyText(limits.container.subtitle).optional(),
    icon: imageElement.optional(),
    child_blocks: listOf(child, limits.container.child_blocks),
    width: z.enum(['narrow', 'standard', 'wide', 'full']).optional(),
    is_collapsible: z.boolean().optional(),
    default_collapsed: z.boolean().optional(),
    has_header_divider: z.boolean().optional(),
  }).superRefine(
    rule('type', ({ title, rich_text_title: rich }) =>
      title !== undefined && rich !== undefined
        ? phrases.oneOnly('title', 'rich_text_title')
        : undefined,
    ),
  );
}
