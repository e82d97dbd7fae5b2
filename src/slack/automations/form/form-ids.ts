import type { Button } from '@slack/types';
import { button, confirmation } from '../../text/blocks.ts';

/** Action and callback IDs of the form in which people create and edit automations. */
export const automationFormIds = {
  view: 'automations:save',
  trigger: 'automations:trigger',
  sender: 'automations:sender',
  readyMade: 'automations:ready-made',
  environment: 'automations:environment',
  model: 'automations:model',
  preset: 'automations:preset',
  test: 'automations:test',
  startNow: 'automations:start-now',
  replaceSecret: 'automations:replace-secret',
} as const;

/** Renders the button that makes a new secret for a webhook, and shows it once. */
export const replaceSecretButton = (automationId: string): Button =>
  button(automationFormIds.replaceSecret, 'Replace secret', {
    value: automationId,
    confirm: confirmation(
      'Replace the secret?',
      'You get a new secret for the sender. The current one works for 24 more hours. To end it at once, replace it twice.',
      'Replace',
      'Keep it',
    ),
  });
