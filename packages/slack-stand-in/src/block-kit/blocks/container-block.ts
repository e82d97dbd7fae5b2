import { z } from 'zod';
import { blockPart } from '../elements/element-fields.ts';
import { listOf, rule } from '../fields.ts';
import { limits } from '../limits.ts';
import { phrases } from '../phrases.ts';
import { anyText, plainText } from '../text-objects.ts';
import { imageBlock, imageElement } from './images.ts';
import {
  actionsBlock,
  contextBlock,
  dividerBlock,
  headerBlock,
  sectionBlock,
  videoBlock,
} from './layout-blocks.ts';
import { richTextBlock } from './rich-text.ts';

/** A frame around simple blocks and `others` that the surface allows. Containers never nest. */
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
