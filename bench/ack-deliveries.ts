/** Signed Slack deliveries of realistic size, for the acknowledgement benchmark. */
import { signRequest } from 'slack-stand-in/signing';
import { renderStartRunForm } from '../src/slack/start-run/start-run-form.ts';

export const kinds = ['/agent', '/agent run', 'submission'] as const;
export type Kind = (typeof kinds)[number];

export const signingSecret = 'secret-of-the-benchmark';

export type SignedDelivery = { body: string; headers: Record<string, string> };

const team = { id: 'T04BENCH', domain: 'bench' };
const prompt = 'Fix the login test: it fails about one time in ten. Say why. '.repeat(4);
/** Twenty people in twenty channels. */
const personOf = (number: number) => `U04PERSON${number % 20}`;
const channelOf = (number: number) => `C04CHANNEL${number % 20}`;

function command(number: number, text: string): Record<string, string> {
  return {
    token: 'token',
    team_id: team.id,
    team_domain: team.domain,
    channel_id: channelOf(number),
    channel_name: 'general',
    user_id: personOf(number),
    user_name: 'robin',
    command: '/agent',
    text,
    api_app_id: 'A04BENCH',
    is_enterprise_install: 'false',
    response_url: 'https://hooks.slack.com/commands/none',
    trigger_id: `${process.pid}.${number}.bench`,
  };
}

const typed = (id: string, value: string | null) => ({
  [id]: { value: { type: 'plain_text_input', value } },
});

function submission(number: number): Record<string, string> {
  const channelId = channelOf(number);
  const view = renderStartRunForm({
    metadata: {
      channelId,
      origin: { kind: 'command' },
      isExpanded: false,
      isExact: false,
      draftId: 'of-the-bench',
    },
    values: { prompt: '', channel: channelId },
  });
  const values = {
    ...typed('prompt', prompt),
    ...typed('title', null),
    environment_id: { 'start-run:environment': { type: 'external_select', selected_option: null } },
    channel: { value: { type: 'conversations_select', selected_conversation: channelId } },
    ticks: { value: { type: 'checkboxes', selected_options: [] } },
  };
  const payload = {
    type: 'view_submission',
    team,
    user: { id: personOf(number), username: 'robin', name: 'robin', team_id: team.id },
    api_app_id: 'A04BENCH',
    token: 'token',
    trigger_id: `${process.pid}.${number}.bench`,
    view: {
      ...view,
      id: `V${process.pid}X${number}`,
      team_id: team.id,
      hash: '1.bench',
      state: { values },
      root_view_id: `V${process.pid}X${number}`,
      app_id: 'A04BENCH',
      bot_id: 'B1',
    },
    response_urls: [],
    is_enterprise_install: false,
    enterprise: null,
  };
  return { payload: JSON.stringify(payload) };
}

function fieldsOf(kind: Kind, number: number): Record<string, string> {
  switch (kind) {
    case '/agent':
      return command(number, prompt);
    case '/agent run':
      return command(number, `run ${prompt}`);
    case 'submission':
      return submission(number);
  }
}

/** @param number makes each delivery of a benchmark unique */
export function signedDelivery(kind: Kind, number: number): SignedDelivery {
  const body = new URLSearchParams(fieldsOf(kind, number)).toString();
  const seconds = String(Math.floor(Date.now() / 1000));
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': seconds,
    'x-slack-signature': signRequest(signingSecret, seconds, body),
  };
  return { body, headers };
}
