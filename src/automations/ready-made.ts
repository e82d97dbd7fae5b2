import type { Filter, WebhookSender } from './automation.ts';

/** A webhook automation to begin with. Its name is shown in the list of ready-made automations. */
export type ReadyMade = {
  name: string;
  sender: WebhookSender;
  /** Events to select in the sender, in mrkdwn. */
  events: string;
  filter: Filter;
  title: string;
  prompt: string;
};

export const readyMade: readonly ReadyMade[] = [
  {
    name: 'GitHub issue labeled',
    sender: 'github',
    events: 'Select the event *Issues*.',
    filter: [
      [{ field: 'action', is: 'equals', text: 'labeled' }],
      [{ field: 'label.name', is: 'equals', text: 'agent' }],
      // Pull requests are labeled, too, but have no issue.
      [{ field: 'issue.state', is: 'equals', text: 'open' }],
    ],
    title: 'Issue #{{ payload.issue.number }}: {{ payload.issue.title }}',
    prompt:
      'Fix issue #{{ payload.issue.number }} of {{ payload.repository.full_name }}: {{ payload.issue.title }}\n{{ payload.issue.html_url }}\n\nRead the issue first. If it is clear, open a pull request that fixes it and has a test. If not, say what is missing.',
  },
  {
    name: 'GitHub check failed on the default branch',
    sender: 'github',
    events: 'Select the event *Check suites*.',
    filter: [
      [{ field: 'action', is: 'equals', text: 'completed' }],
      [
        { field: 'check_suite.conclusion', is: 'equals', text: 'failure' },
        { field: 'check_suite.conclusion', is: 'equals', text: 'timed_out' },
      ],
      // GitHub leaves out the branch of commits in forks.
      [
        {
          field: 'check_suite.head_branch',
          is: 'equals',
          text: '{{ payload.repository.default_branch }}',
        },
      ],
    ],
    title: 'Checks failed on {{ payload.check_suite.head_branch }}',
    prompt:
      'The checks of {{ payload.check_suite.app.name }} failed in {{ payload.repository.full_name }} on {{ payload.check_suite.head_branch }} at commit {{ payload.check_suite.head_sha }}.\n\nFind the cause. If the code is wrong, open a pull request that fixes it. If a check is unreliable, say which one and why.',
  },
  {
    name: 'Sentry new issue',
    sender: 'sentry',
    events: 'Select *issue* under *Webhooks*.',
    filter: [
      [{ field: 'action', is: 'equals', text: 'created' }],
      // Comments and errors are created, too, but have no issue.
      [{ field: 'data.issue.status', is: 'equals', text: 'unresolved' }],
    ],
    title: 'Sentry: {{ payload.data.issue.title }}',
    prompt:
      'Sentry reports a new issue in {{ payload.data.issue.project.slug }}: {{ payload.data.issue.title }}\n{{ payload.data.issue.culprit }}\n{{ payload.data.issue.web_url }}\n\nFind the cause in the code. If you are sure of it, open a pull request that fixes it and has a test. If not, say what you found.',
  },
  {
    name: 'PagerDuty incident',
    sender: 'pagerduty',
    events: 'Select the event *incident.triggered*.',
    filter: [[{ field: 'event.event_type', is: 'equals', text: 'incident.triggered' }]],
    title: 'Incident: {{ payload.event.data.title }}',
    prompt:
      'PagerDuty reports an incident of {{ payload.event.data.service.summary }}: {{ payload.event.data.title }}\n{{ payload.event.data.html_url }}\n\nLook for the cause in the code and its recent changes. Change nothing. Say what you found, the most likely cause, and what to check next.',
  },
  {
    name: 'Deploy finished',
    sender: 'bearer',
    events:
      'Send `{"status": "success", "environment": "production", "version": "1.2.3"}` at the end of a deploy.',
    filter: [
      [{ field: 'status', is: 'equals', text: 'success' }],
      [{ field: 'environment', is: 'equals', text: 'production' }],
    ],
    title: 'After the deploy of {{ payload.version }}',
    prompt:
      'Version {{ payload.version }} was deployed to {{ payload.environment }}.\n\nRead the changes since the version before. Write short release notes for the team, and say what to watch.',
  },
];
