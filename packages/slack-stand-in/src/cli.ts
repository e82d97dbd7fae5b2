#!/usr/bin/env node
import { parseArgs } from 'node:util';
import { createLocalWorkspace, type LocalWorkspace } from './index.ts';
import { readManifest } from './manifest.ts';

const usage = `slack-stand-in: a local Slack for trying and testing Bolt apps

  slack-stand-in --manifest manifest.yml [options]

  --manifest FILE   the app's manifest, YAML or JSON (required)
  --port PORT       where to listen on 127.0.0.1 (default: 3999)
  --http URL        send deliveries to this request URL instead of Socket Mode
  --state FILE      keep messages, Home tabs and installations for the next start
  --help            show this text
`;

const options = {
  manifest: { type: 'string' },
  port: { type: 'string', default: '3999' },
  http: { type: 'string' },
  state: { type: 'string' },
  help: { type: 'boolean', default: false },
} as const;

const settings = (workspace: LocalWorkspace) => `
Open ${workspace.url} to use the workspace. Start your app with:

SLACK_API_URL=${workspace.apiUrl}
SLACK_BOT_TOKEN=${workspace.botToken}
SLACK_APP_TOKEN=${workspace.appToken}
SLACK_SIGNING_SECRET=${workspace.signingSecret}

Give SLACK_API_URL to Bolt as clientOptions.slackApiUrl. Press Ctrl-C to stop.
`;

async function main(): Promise<void> {
  const { values } = parseArgs({ options });
  if (values.help) return void process.stdout.write(usage);
  const port = Number(values.port);
  if (!values.manifest) throw new Error('--manifest is missing');
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new Error(`--port ${values.port} is not a port`);
  const workspace = createLocalWorkspace({
    manifest: readManifest(values.manifest),
    port,
    keepTriggers: true,
    ...(values.state && { stateFile: values.state }),
    ...(values.http && { deliverTo: { mode: 'http', url: values.http } }),
  });
  await workspace.start();
  process.stdout.write(settings(workspace));
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void workspace.stop());
}

await main().catch((error: unknown) => {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message}\n\n${usage}`);
  process.exitCode = 1;
});
