import { z } from 'zod';
import {
  alertBlock,
  cardBlock,
  carouselBlock,
  contextActionsBlock,
  createContainerBlock,
  dataVisualizationBlock,
} from './blocks/card-blocks.ts';
import {
  actionsBlock,
  contextBlock,
  dividerBlock,
  headerBlock,
  inputBlock,
  markdownBlock,
  modalInputBlock,
  sectionBlock,
  videoBlock,
} from './blocks/layout-blocks.ts';
import { richTextBlock } from './blocks/rich-text.ts';
import { dataTableBlock, tableBlock } from './blocks/table-blocks.ts';
import { planBlock, taskCardBlock } from './blocks/task-blocks.ts';
import { imageBlock } from './composition-objects.ts';

export type Surface = 'message' | 'modal' | 'home';

const everywhere = [
  actionsBlock,
  contextBlock,
  dataTableBlock,
  dividerBlock,
  headerBlock,
  imageBlock,
  richTextBlock,
  sectionBlock,
  videoBlock,
] as const;

/** Schemas of the blocks that each surface allows (blocks.json on docs.slack.dev). Only Slack itself sends `file`. */
export const blockOf: Readonly<Record<Surface, z.ZodType>> = {
  message: z.discriminatedUnion('type', [
    ...everywhere,
    inputBlock,
    cardBlock,
    carouselBlock,
    contextActionsBlock,
    dataVisualizationBlock,
    markdownBlock,
    planBlock,
    tableBlock,
    taskCardBlock,
    createContainerBlock([inputBlock, tableBlock]),
  ]),
  modal: z.discriminatedUnion('type', [
    ...everywhere,
    modalInputBlock,
    alertBlock,
    createContainerBlock([modalInputBlock]),
  ]),
  home: z.discriminatedUnion('type', [
    ...everywhere,
    inputBlock,
    cardBlock,
    carouselBlock,
    createContainerBlock([inputBlock]),
  ]),
};
