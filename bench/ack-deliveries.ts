/** Signed Slack deliveries of realistic size, for the acknowledgement benchmark. */
import { signRequest } from 'slack-stand-in/signing';
import { renderStartRunForm } from '../src/slack/start-run/start-run-form.ts';

export const kinds = ['/agent', '/agent run', 'submission'] as const;
export type Kind = (typeof kinds)[number];

export const signingSecret = 'secret-of-the-benchmark';

export type SignedDelivery = { body: string; headers: Record<string, string> };

const team = { id: 'T04BENCH', domain: 'bench' };
const prompt = 'Fix the login test: it fails about one time in ten. Say why. '.repeat(4);

/** The acting person, their channel and the response URL for them. */
export type Sender = { userId: string; channelId: string; responseUrl: string };

type Fields = Record<string, string>;

let triggers = 0;
function newTrigger(): string {
  triggers += 1;
  return `${process.pid}.${triggers}.bench`;
}

export function command({ userId, channelId, responseUrl }: Sender, text: string): Fields {
  return {
    token: 'token',
    team_id: team.id,
    team_domain: team.domain,
    channel_id: channelId,
    channel_name: 'general',
    user_id: userId,
    user_name: 'robin',
    command: '/agent',
    text,
    api_app_id: 'A04BENCH',
    is_enterprise_install: 'false',
    response_url: responseUrl,
    trigger_id: newTrigger(),
  };
}

const typed = (id: string, value: string | null) => ({
  [id]: { value: { type: 'plain_text_input', value } },
});

export function submission({ userId, channelId }: Sender, written: string): Fields {
  const id = `V${newTrigger()}`;
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
    ...typed('prompt', written),
    ...typed('title', null),
    environment_id: { 'start-run:environment': { type: 'external_select', selected_option: null } },
    channel: { value: { type: 'conversations_select', selected_conversation: channelId } },
    ticks: { value: { type: 'checkboxes', selected_options: [] } },
  };
  const payload = {
    type: 'view_submission',
    ...interaction(userId),
    view: {
      ...view,
      id,
      team_id: team.id,
      hash: '1.bench',
      state: { values },
      root_view_id: id,
      app_id: 'A04BENCH',
      bot_id: 'B1',
    },
    response_urls: [],
  };
  return { payload: JSON.stringify(payload) };
}

export const interaction = (userId: string) => ({
  team,
  user: { id: userId, username: 'robin', name: 'robin', team_id: team.id },
  api_app_id: 'A04BENCH',
  token: 'token',
  trigger_id: newTrigger(),
  is_enterprise_install: false,
  enterprise: null,
});

function fieldsOf(kind: Kind, from: Sender): Fields {
  switch (kind) {
    case '/agent':
      return command(from, prompt);
    case '/agent run':
      return command(from, `run ${prompt}`);
    case 'submission':
      return submission(from, prompt);
  }
}

/** @param number chooses one of twenty people and channels */
export function signedDelivery(kind: Kind, number: number): SignedDelivery {
  const from = {
    userId: `U04PERSON${number % 20}`,
    channelId: `C04CHANNEL${number % 20}`,
    responseUrl: 'https://hooks.slack.com/commands/none',
  };
  return sign(new URLSearchParams(fieldsOf(kind, from)).toString());
}

/** @param type content type of the body: a form, or JSON for events */
export function sign(
  body: string,
  type: 'json' | 'x-www-form-urlencoded' = 'x-www-form-urlencoded',
): SignedDelivery {
  const seconds = String(Math.floor(Date.now() / 1000));
  const headers = {
    'content-type': `application/${type}`,
    'x-slack-request-timestamp': seconds,
    'x-slack-signature': signRequest(signingSecret, seconds, body),
  };
  return { body, headers };
}
