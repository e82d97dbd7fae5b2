import { slackFile } from '../composition-objects.ts';
import { blockPart } from '../elements/element-fields.ts';
import { part, rule, textField, webUrlField } from '../fields.ts';
import { limits } from '../limits.ts';
import { phrases } from '../phrases.ts';
import { plainText } from '../text-objects.ts';

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

/** The image inside another block. */
export const imageElement = part('image', source).superRefine(rule(undefined, oneSource));

export const imageBlock = blockPart('image', {
  ...source,
  title: plainText(limits.image.alt_text).optional(),
}).superRefine(rule(undefined, oneSource));
