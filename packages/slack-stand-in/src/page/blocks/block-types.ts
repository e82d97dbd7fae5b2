import type { Option } from '../../page-protocol.ts';

/**
 * The parts of Block Kit that the page shows. The workspace has already checked blocks against Slack's rules. If one is
 * wrong anyway, `BlockBoundary` shows that.
 */
export type TextObject = { type: 'plain_text' | 'mrkdwn'; text: string };

export type Confirm = {
  title?: TextObject;
  text?: TextObject;
  confirm?: TextObject;
  deny?: TextObject;
  style?: 'primary' | 'danger';
};

export type OptionObject = Option & { description?: TextObject; url?: string };
export type OptionGroupObject = { label: TextObject; options: OptionObject[] };

type Named = { action_id: string; confirm?: Confirm; focus_on_load?: boolean };

export type ButtonElement = Named & {
  type: 'button' | 'icon_button';
  text: TextObject;
  value?: string;
  url?: string;
  style?: 'primary' | 'danger';
  accessibility_label?: string;
};
type FeedbackButton = { text: TextObject; value: string; accessibility_label?: string };
export type FeedbackElement = Named & {
  type: 'feedback_buttons';
  positive_button: FeedbackButton;
  negative_button: FeedbackButton;
};
export type OverflowElement = Named & { type: 'overflow'; options: OptionObject[] };
export type ChoiceElement = Named & {
  type: 'checkboxes' | 'radio_buttons';
  options: OptionObject[];
  initial_option?: OptionObject;
  initial_options?: OptionObject[];
};
export type TextElement = Named & {
  type: 'plain_text_input' | 'email_text_input' | 'url_text_input' | 'number_input';
  multiline?: boolean;
  placeholder?: TextObject;
  initial_value?: string;
  min_length?: number;
  max_length?: number;
  is_decimal_allowed?: boolean;
  min_value?: string;
  max_value?: string;
  dispatch_action_config?: { trigger_actions_on?: string[] };
};
export type TimeElement = Named & {
  type: 'datepicker' | 'timepicker' | 'datetimepicker';
  initial_date?: string;
  initial_time?: string;
  initial_date_time?: number;
};

type SelectSource = 'static' | 'external' | 'users' | 'conversations' | 'channels';
export type SelectElement = Named & {
  type: `${SelectSource}_select` | `multi_${SelectSource}_select`;
  placeholder?: TextObject;
  options?: OptionObject[];
  option_groups?: OptionGroupObject[];
  min_query_length?: number;
  max_selected_items?: number;
  filter?: { include?: string[]; exclude_bot_users?: boolean };
  default_to_current_conversation?: boolean;
  initial_option?: OptionObject;
  initial_options?: OptionObject[];
  initial_user?: string;
  initial_users?: string[];
  initial_conversation?: string;
  initial_conversations?: string[];
  initial_channel?: string;
  initial_channels?: string[];
};
export type RichTextInputElement = Named & {
  type: 'rich_text_input';
  placeholder?: TextObject;
  initial_value?: { elements: RichElement[] };
};
export type ImageElement = {
  type: 'image';
  image_url?: string;
  alt_text: string;
  title?: TextObject;
};

/** Interactive elements. */
export type InteractiveElement =
  | ButtonElement
  | FeedbackElement
  | OverflowElement
  | ChoiceElement
  | TextElement
  | TimeElement
  | SelectElement
  | RichTextInputElement;
export type Element = InteractiveElement | ImageElement;

type Block<Type extends string, Fields> = { type: Type; block_id?: string } & Fields;
export type SectionBlock = Block<
  'section',
  { text?: TextObject; fields?: TextObject[]; accessory?: Element; expand?: boolean }
>;
export type InputBlock = Block<
  'input',
  {
    label: TextObject;
    hint?: TextObject;
    optional?: boolean;
    dispatch_action?: boolean;
    element: InteractiveElement;
  }
>;
export type TableBlock = Block<
  'table',
  {
    rows: ({ type: 'raw_text'; text: string } | { type: 'rich_text'; elements: RichElement[] })[][];
    column_settings?: ({ align?: 'left' | 'center' | 'right'; is_wrapped?: boolean } | null)[];
  }
>;
export type Task = {
  task_id: string;
  title: string;
  status: 'pending' | 'in_progress' | 'complete' | 'error';
  details?: { elements: RichElement[] };
  output?: { elements: RichElement[] };
  sources?: { url: string; text: string }[];
};
export type AnyBlock =
  | SectionBlock
  | InputBlock
  | TableBlock
  | Block<'header', { text: TextObject }>
  | Block<'divider', object>
  | Block<'context', { elements: (TextObject | ImageElement)[] }>
  | Block<'actions' | 'context_actions', { elements: InteractiveElement[] }>
  | Block<'plan', { title: string; tasks?: Task[] }>
  | Block<'task_card', Task>
  | Block<'image', ImageElement>
  | Block<'rich_text', { elements: RichElement[] }>
  | Block<'markdown', { text: string }>
  | Block<'alert', { text: TextObject; level?: string }>;

export type RichStyle = { bold?: boolean; italic?: boolean; strike?: boolean; code?: boolean };
type Rich<Type extends string, Fields> = { type: Type; style?: RichStyle } & Fields;
export type RichSpan =
  | Rich<'text', { text: string }>
  | Rich<'link', { url: string; text?: string }>
  | Rich<'emoji', { name: string }>
  | Rich<'user', { user_id: string }>
  | Rich<'channel', { channel_id: string }>
  | Rich<'usergroup', { usergroup_id: string }>
  | Rich<'broadcast', { range: string }>
  | Rich<'color', { value: string }>
  | Rich<'date', { timestamp: number; format: string; url?: string; fallback?: string }>;
type RichRun = { elements: RichSpan[] };
export type RichElement =
  | ({ type: 'rich_text_section' | 'rich_text_preformatted' | 'rich_text_quote' } & RichRun)
  | {
      type: 'rich_text_list';
      style: 'bullet' | 'ordered';
      indent?: number;
      offset?: number;
      elements: RichRun[];
    };
