import { writeMcpServers } from '../../../src/slack/configuration/mcp-servers.ts';
import { createPostCheck } from '../../../src/slack/posting/channel-checks.ts';
import {
  type FormContent,
  renderStartRunForm,
} from '../../../src/slack/start-run/start-run-form.ts';

const checkPosting = createPostCheck(
  {
    client: { conversations: { info: async () => ({ channel: { is_private: true } }) } },
    granted: { has: () => true },
  } as unknown as Parameters<typeof createPostCheck>[0],
  60_000,
);

const metadata: FormContent['metadata'] = {
  channelId: 'C04ENGINEER',
  origin: { kind: 'command' },
  isExpanded: false,
  isExact: false,
  draftId: '5d1b',
  showsPresets: true,
  defaultEnvironment: { id: 'shop', origin: 'channel setting' },
};
const values: FormContent['values'] = {
  prompt: 'Find out why the checkout is slow.\nOpen a pull request with the fix.',
  environment_id: 'shop',
  channel: 'C04ENGINEER',
};
const whole = {
  ...values,
  title: 'The slow checkout',
  model_id: 'large-2',
  skill_spec: 'acme/skills:review',
  name: 'nightly',
  base_prompt: 'Be brief.',
  mcp_servers: writeMcpServers({
    docs: { url: 'https://mcp.example.com', headers: { Authorization: 'Bearer example' } },
  }),
};
const names = new Map([['shop', 'The web shop']]);

const contents: [name: string, content: FormContent][] = [
  [
    'empty',
    {
      metadata: {
        ...metadata,
        channelId: '',
        showsPresets: false,
        defaultEnvironment: undefined,
      },
      values: {},
    },
  ],
  ['from a command', { metadata, values, names }],
  [
    'from a message with its thread',
    {
      metadata: { ...metadata, origin: { kind: 'message', threadTs: '1.000100' } },
      values: { ...values, prompt: `${values.prompt} Log: `.padEnd(3_000, 'x') },
      names,
      restLength: 1_204,
      threadCheckbox: {
        text: 'Send the thread too (4 messages, 812 characters)',
        isChecked: false,
      },
    },
  ],
  [
    'where the app cannot post',
    {
      metadata,
      values,
      names,
      notices: [`⚠️ ${await checkPosting('C04ENGINEER')}`],
    },
  ],
  ['with everything', { metadata: { ...metadata, isExpanded: true }, values: whole, names }],
];

/** The form that starts a run, opened from several places. */
export const formCases = contents.map(([name, content]) => ({
  name,
  view: renderStartRunForm(content),
}));
