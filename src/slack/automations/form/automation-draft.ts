import type { WebClient } from '@slack/web-api';
import type { Automation, Definition } from '../../../automations/automation.ts';
import type { RunRequest } from '../../../store/requests/request-row.ts';
import type { Asker } from '../../people/setting.ts';

/** Initial values of the form, and where values that don't fit into it are read from when it's submitted. */
export type AutomationDraft = {
  name?: string;
  definition?: Partial<Definition>;
  /** Text of a schedule as someone typed it, such as "every weekday at 9:00". */
  when?: string;
} & (
  | { from?: undefined }
  /** The form changes this automation, and its owner stays. */
  | { from: 'automation'; automation: Automation }
  /** Automation whose new owner the person becomes by saving the form. */
  | { from: 'takeover'; automation: Automation }
  /** Finished run to make recurring. */
  | { from: 'run'; request: RunRequest }
);

/**
 * Opens the form in which people create, edit and test an automation. The channel of `asker` is the initial channel.
 * `isOnModal` means that a button in a modal was selected, so the form opens on top of it.
 */
export type OpenAutomationForm = (
  client: WebClient,
  to: { triggerId: string; asker: Asker; isOnModal?: boolean },
  draft: AutomationDraft,
) => Promise<void>;
