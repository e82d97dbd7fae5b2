import { readdirSync } from 'node:fs';
import { z } from 'zod';
import { fileBlock } from '../../src/block-kit/blocks/layout-blocks.ts';
import { richTextElement, richTextPart } from '../../src/block-kit/blocks/rich-text.ts';
import { urlSource } from '../../src/block-kit/blocks/task-blocks.ts';
import {
  confirmation,
  conversationFilter,
  dispatchActionConfig,
  formattedOption,
  inputParameter,
  optionGroup,
  workflow,
  workflowTrigger,
} from '../../src/block-kit/composition-objects.ts';
import {
  actionsElement,
  modalInputElement,
  sectionAccessory,
} from '../../src/block-kit/elements/element-families.ts';
import { blockOf } from '../../src/block-kit/surfaces.ts';
import { anyText } from '../../src/block-kit/text-objects.ts';
import { attachment, validateMessage } from '../../src/block-kit/validate-message.ts';
import { hasSharedData, readSharedJson, sharedPath } from '../support/shared-data.ts';
import { checkBy, checkView } from './limit-case.ts';

const folder = 'slack/block-kit/fixtures/valid';
export const validFiles = hasSharedData
  ? readdirSync(sharedPath(folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.json'))
      .map((name) => name.replaceAll('\\', '/'))
  : [];

const element = z.union([actionsElement, sectionAccessory, modalInputElement, urlSource]);
const object = z.union([
  anyText(),
  formattedOption,
  optionGroup,
  confirmation,
  conversationFilter,
  dispatchActionConfig,
  inputParameter,
  workflowTrigger,
  workflow,
]);

const checks: Record<string, (value: unknown, file: string) => string[]> = {
  attachments: checkBy(attachment),
  // Alerts are only for modals, and apps can't send files.
  blocks: checkBy(z.union([blockOf.message, blockOf.modal, fileBlock])),
  elements: checkBy(element),
  messages: (value, file) => {
    const method = /webhook|response/.test(file) ? 'response_url' : 'chat.postMessage';
    return validateMessage(value as object, { method }).map(({ message }) => message);
  },
  objects: checkBy(object),
  rich_text: checkBy(z.union([richTextElement, richTextPart])),
  views: checkView,
};

/** Returns the problems of a value, checked as the file's kind. */
export function checkAs(file: string, value: unknown): string[] {
  const check = checks[file.split('/')[0]!]!;
  return check(value, file);
}

export const readValid = (file: string) => readSharedJson(`${folder}/${file}`);
