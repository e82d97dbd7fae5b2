import type { z } from 'zod';
import type { alertBlock, contextActionsBlock } from '../../block-kit/blocks/card-blocks.ts';
import type {
  actionsBlock,
  contextBlock,
  dividerBlock,
  headerBlock,
  markdownBlock,
  modalInputBlock,
  sectionBlock,
} from '../../block-kit/blocks/layout-blocks.ts';
import type {
  richTextBlock,
  richTextElement,
  richTextPart,
} from '../../block-kit/blocks/rich-text.ts';
import type { tableBlock } from '../../block-kit/blocks/table-blocks.ts';
import type { planBlock, taskCardBlock } from '../../block-kit/blocks/task-blocks.ts';
import type {
  confirmation,
  formattedOption,
  imageBlock,
} from '../../block-kit/composition-objects.ts';
import type {
  actionsElement,
  contextActionsElement,
  modalInputElement,
  sectionAccessory,
} from '../../block-kit/elements/element-families.ts';
import type { Option } from '../../page-server/page-protocol.ts';

/**
 * Types of the blocks that the page shows. The workspace has already checked blocks against Slack's rules, and added
 * missing IDs. `BlockBoundary` shows an error for a block that can't be drawn.
 */
export type SectionBlock = z.output<typeof sectionBlock>;
export type InputBlock = z.output<typeof modalInputBlock>;
export type ImageBlock = z.output<typeof imageBlock>;
export type TableBlock = z.output<typeof tableBlock>;
export type Task = Omit<z.output<typeof taskCardBlock>, 'type'>;

export type AnyBlock =
  | SectionBlock
  | InputBlock
  | TableBlock
  | z.output<typeof actionsBlock | typeof contextActionsBlock | typeof contextBlock>
  | z.output<typeof headerBlock | typeof dividerBlock | typeof markdownBlock | typeof alertBlock>
  | ImageBlock
  | z.output<typeof richTextBlock | typeof planBlock | typeof taskCardBlock>;

export type TextObject = z.output<typeof formattedOption>['text'];
export type Confirm = z.output<typeof confirmation>;

export type Element = z.output<
  | typeof actionsElement
  | typeof contextActionsElement
  | typeof modalInputElement
  | typeof sectionAccessory
>;
export type InteractiveElement = Exclude<Element, { type: 'image' }>;
type ElementOf<Type extends string> = Extract<Element, { type: Type }>;

/** Merges several element types into one type that has the fields of all. */
type Merged<Kinds extends { type: string }> = Pick<Kinds, keyof Kinds> & {
  [Field in Kinds extends unknown ? keyof Kinds : never]?: Kinds extends unknown
    ? Field extends keyof Kinds
      ? Kinds[Field]
      : never
    : never;
};

type TextInput = `${'plain' | 'email' | 'url'}_text_input` | 'number_input';

export type ButtonElement = ElementOf<'button' | 'icon_button'>;
export type FeedbackElement = ElementOf<'feedback_buttons'>;
export type OverflowElement = ElementOf<'overflow'>;
export type ChoiceElement = ElementOf<'checkboxes' | 'radio_buttons'>;
export type TextElement = Merged<ElementOf<TextInput>>;
export type TimeElement = Merged<ElementOf<'datepicker' | 'timepicker' | 'datetimepicker'>>;
export type SelectElement = Merged<ElementOf<`${string}_select`>>;
export type RichTextInputElement = ElementOf<'rich_text_input'>;
export type ImageElement = ElementOf<'image'>;
export type OptionObject = Option & { description?: TextObject | undefined; url?: string };

export type RichElement = z.output<typeof richTextPart>;
export type RichSpan = z.output<typeof richTextElement>;
export type RichStyle = NonNullable<RichSpan['style']>;
