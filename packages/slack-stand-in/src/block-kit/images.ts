import { z } from 'zod';
import { slackFile } from './composition-objects.ts';
import { identifiable } from './element-fields.ts';
import { rule, textField, webUrlField } from './fields.ts';
import { limits } from './limits.ts';
import { phrases } from './phrases.ts';
import { plainText } from './text-objects.ts';

const source = {
  image_url: webUrlField({ max: limits.image.image_url.max_length }).optional(),
  slack_file: slackFile.optional(),
  alt_text: textField({ min: 1, max: limits.image.alt_text.max_length }),
};

type Source = { image_url?: unknown; slack_file?: unknown };

const oneSource = ({ image_url: url, slack_file: file }: Source) => {
  if (url !== undefined && file !== undefined) return phrases.oneOnly('image_url', 'slack_file');
  return url === undefined && file === undefined
    ? phrases.either('image_url', 'slack_file')
    : undefined;
};

/** The image inside another block. */
export const imageElement = z
  .strictObject({ type: z.literal('image'), ...source })
  .superRefine(rule(undefined, oneSource));

export const imageBlock = z
  .strictObject({
    type: z.literal('image'),
    ...identifiable,
    ...source,
    title: plainText(limits.image.alt_text.max_length).optional(),
  })
  .superRefine(rule(undefined, oneSource));
