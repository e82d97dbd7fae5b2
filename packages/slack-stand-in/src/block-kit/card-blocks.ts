import { z } from 'zod';
import { button } from './buttons.ts';
import { contextActionsElement } from './element-families.ts';
import { identifiable } from './element-fields.ts';
import { listOf, rule, textField } from './fields.ts';
import { imageElement } from './images.ts';
import { limits } from './limits.ts';
import { phrases } from './phrases.ts';
import { anyText } from './text-objects.ts';

export const alertBlock = z.strictObject({
  type: z.literal('alert'),
  ...identifiable,
  text: anyText(limits.alert.text.max_length),
  level: z.enum(['default', 'info', 'warning', 'error', 'success']).optional(),
});

export const cardBlock = z
  .strictObject({
    type: z.literal('card'),
    ...identifiable,
    hero_image: imageElement.optional(),
    icon: imageElement.optional(),
    slack_icon: z.strictObject({ type: z.literal('icon'), name: textField({ min: 1 }) }).optional(),
    title: anyText(limits.card.title.max_length).optional(),
    subtitle: anyText(limits.card.subtitle.max_length).optional(),
    body: anyText(limits.card.body.max_length).optional(),
    subtext: anyText(limits.card.subtext.max_length).optional(),
    actions: listOf(button, { max: limits.card.actions.max_items }).optional(),
  })
  .superRefine(
    rule('type', ({ hero_image: image, title, actions, body }) =>
      [image, title, actions, body].every((field) => field === undefined)
        ? phrases.either('hero_image', 'title', 'actions', 'body')
        : undefined,
    ),
  );

export const carouselBlock = z.strictObject({
  type: z.literal('carousel'),
  ...identifiable,
  elements: listOf(cardBlock, {
    min: limits.carousel.elements.min_items,
    max: limits.carousel.elements.max_items,
  }),
});

export const contextActionsBlock = z.strictObject({
  type: z.literal('context_actions'),
  ...identifiable,
  elements: listOf(contextActionsElement, { max: limits.context_actions.elements.max_items }),
});
