/** IDs of the buttons and choices on the page of automations. */
export const automationActions = {
  open: 'automations:open',
  list: 'automations:list',
  which: 'automations:which',
  next: 'automations:next',
  previous: 'automations:previous',
} as const;
