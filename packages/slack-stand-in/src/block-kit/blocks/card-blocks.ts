import { z } from 'zod';
import { button } from '../elements/buttons.ts';
import { contextActionsElement } from '../elements/element-families.ts';
import { blockPart } from '../elements/element-fields.ts';
import { listOf, part, rule, textField } from '../fields.ts';
import { limits } from '../limits.ts';
import { phrases } from '../phrases.ts';
import { anyText } from '../text-objects.ts';
import { imageElement } from './images.ts';

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
