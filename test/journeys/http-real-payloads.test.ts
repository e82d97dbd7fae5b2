import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { createBot } from '../../src/bot.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { signRequest } from '../../src/local-workspace/signing.ts';
import { startProduct } from '../support/product.ts';
import { hasSharedData, readSharedJson, sharedPath, whySkipped } from '../support/shared-data.ts';

const folder = 'slack/payloads';
const filesOf = (kind: string) =>
  hasSharedData
    ? readdirSync(sharedPath(`${folder}/${kind}`)).map((name) => `${kind}/${name}`)
    : [];

/** Cut down for a unit test to less than Slack ever sends: without the person. */
const notWhole =
  'interactive/interactive.block_actions.message__bolt-python__test_builtins__body.json';

/**
 * Right outcomes for triggers, people and channels that the workspace does not know, for buttons of other apps, and for
 * the news that the app was uninstalled.
 */
const expected =
  /trigger_id|no place for the run message|nobody could be told|the answer to a mention has no place|not acknowledged within 3 seconds|occurred: invalid_arguments|it was revoked, or the app uninstalled/;

const objectSchema = z.record(z.string(), z.unknown());
const read = (file: string) => objectSchema.parse(readSharedJson(`${folder}/${file}`));

/** Inner events come in a frame, each with an id of its own. */
const framed = (event: object, file: string) => ({
  type: 'event_callback',
  event_id: `Ev-${file}`,
  event_time: 1_700_000_000,
  team_id: 'T0123456789',
  api_app_id: 'A0123456789',
  event,
});

/** As if the person had used ours: what has no `callback_id` or actions is as it was. */
function asOurs(payload: Record<string, unknown>): Record<string, unknown> {
  const { type, actions } = payload;
  if (type === 'message_action') return { ...payload, callback_id: 'message-shortcut:run' };
  if (type === 'shortcut') return { ...payload, callback_id: 'global-shortcut:run' };
  if (type !== 'block_actions' || !Array.isArray(actions)) return payload;
  const [action] = actions.map((each) => objectSchema.parse(each));
  return { ...payload, actions: [{ ...action, action_id: 'run:again' }] };
}

/** As Slack's HTTP deliveries carry each kind. */
function asDelivery(file: string, change = asIs): { contentType: string; body: string } {
  const form = (fields: Record<string, unknown>) => ({
    contentType: 'application/x-www-form-urlencoded',
    body: new URLSearchParams(
      Object.entries(fields).map(([key, value]): [string, string] => [key, String(value)]),
    ).toString(),
  });
  const given = file.startsWith('socket_envelope/')
    ? objectSchema.parse(read(file)['payload'])
    : read(file);
  const payload = file.startsWith('inner_event/') ? framed(given, file) : change(given);
  if ('command' in payload) return form({ ...payload, command: '/agent' });
  if (payload['type'] === 'event_callback' || 'event' in payload || 'challenge' in payload) {
    return { contentType: 'application/json', body: JSON.stringify(payload) };
  }
  return form({ payload: JSON.stringify(payload) });
}

const asIs = (payload: Record<string, unknown>) => payload;

const logLineSchema = z.looseObject({ level: z.number(), msg: z.string() });

async function startHttpBot() {
  const { workspace, config } = await startProduct();
  const errors: string[] = [];
  const logger = createLogger('error', {
    write: (line: string) => {
      const { msg } = logLineSchema.parse(JSON.parse(line));
      errors.push(`${msg} ${line}`);
    },
  });
  const { delivery } = config.slack;
  if (delivery.mode !== 'http') throw new Error('these samples are sent over HTTP');
  const bot = createBot(config, logger);
  await bot.start();
  const send = async ({ contentType, body }: { contentType: string; body: string }) => {
    const seconds = String(Math.floor(Date.now() / 1000));
    const headers = {
      'content-type': contentType,
      'x-slack-request-timestamp': seconds,
      'x-slack-signature': signRequest(workspace.signingSecret, seconds, body),
    };
    const url = `http://127.0.0.1:${delivery.port}/slack/events`;
    return (await fetch(url, { method: 'POST', body, headers })).status;
  };
  return { bot, send, errors };
}

describe.skipIf(!hasSharedData)(
  `Slack's own samples (${hasSharedData ? 'read' : whySkipped})`,
  () => {
    it('go through the app without an error, the kinds of yesterday too', {
      timeout: 60_000,
    }, async () => {
      const { bot, send, errors } = await startHttpBot();
      const files = ['event', 'inner_event', 'interactive', 'slash_command', 'socket_envelope']
        .flatMap(filesOf)
        .filter((file) => file !== notWhole);
      expect(files.length).toBeGreaterThan(150);
      const statuses = await Promise.all(
        files.map(async (file) => [file, await send(asDelivery(file))] as const),
      );
      // 404 is Bolt's word for what nobody listens to.
      expect(statuses.filter(([, status]) => status !== 200 && status !== 404)).toEqual([]);
      const ours = statuses.filter(
        ([file]) =>
          /slash_command|^event|events_api/.test(file) &&
          !/function_executed|app_rate_limited/.test(file),
      );
      expect(ours.filter(([, status]) => status !== 200)).toEqual([]);
      const help = asDelivery(
        'slash_command/slash_command__bolt-python__test_payload_utils__slash_command_body.json',
      );
      expect(await send(help)).toBe(200);
      const clicked = files.filter((file) => /message_action|shortcut|block_actions/.test(file));
      expect(clicked.length).toBeGreaterThan(20);
      for (const file of clicked) {
        const status = await send(asDelivery(file, asOurs));
        expect([file, status]).toEqual([file, 200]);
      }
      await bot.stop();
      expect(errors.filter((line) => !expected.test(line))).toEqual([]);
    });
  },
);
