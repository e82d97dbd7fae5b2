import { readdirSync } from 'node:fs';
import type { Delivery } from 'slack-stand-in';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { createLineLogger } from '../../../packages/base/test/support/line-logger.ts';
import {
  hasSharedData,
  readSharedJson,
  sharedPath,
  whySkipped,
} from '../../../packages/slack-stand-in/test/support/shared-data.ts';
import { type JsonObject, poorer } from '../../support/poorer-payloads.ts';
import { startProduct } from '../../support/product/product.ts';

const folder = 'slack/payloads';
const filesOf = (kind: string) =>
  hasSharedData
    ? readdirSync(sharedPath(`${folder}/${kind}`)).map((name) => `${kind}/${name}`)
    : [];
const files = ['event', 'inner_event', 'interactive', 'slash_command', 'socket_envelope'].flatMap(
  filesOf,
);

/**
 * Matches errors that are correct: unknown triggers, people and channels, and the event that the app was uninstalled.
 */
const expected =
  /no place to post the run message|occurred: invalid_arguments|it was revoked, or the app was uninstalled/;

const objectSchema = z.record(z.string(), z.json());
const read = (file: string): JsonObject =>
  objectSchema.parse(readSharedJson(`${folder}/${file}`)) as JsonObject;

/** Wraps an inner event in an envelope with a unique event ID. */
const framed = (event: JsonObject, file: string): JsonObject => ({
  type: 'event_callback',
  event_id: `Ev-${file}`,
  event_time: 1_700_000_000,
  team_id: 'T0123456789',
  api_app_id: 'A0123456789',
  event,
});

/** Replaces the recorded callback IDs, actions and command with ours, so that the app's listeners match. */
function asOurs(payload: JsonObject): JsonObject {
  const { type, actions, command } = payload;
  if (command) return { ...payload, command: '/agent' };
  if (type === 'message_action') return { ...payload, callback_id: 'message-shortcut:run' };
  if (type === 'shortcut') return { ...payload, callback_id: 'global-shortcut:run' };
  if (type !== 'block_actions' || !Array.isArray(actions)) return payload;
  const [action] = actions.map((each) => objectSchema.parse(each) as JsonObject);
  return { ...payload, actions: [{ ...action, action_id: 'run:again' }] };
}

/** Wraps a recorded payload in the delivery that Slack uses for its kind. */
function asDelivery(file: string, change = (payload: JsonObject) => payload): Delivery {
  const given = file.startsWith('socket_envelope/')
    ? (objectSchema.parse(read(file)['payload']) as JsonObject)
    : read(file);
  const payload = file.startsWith('inner_event/') ? framed(given, file) : change(given);
  if ('command' in payload) return { kind: 'slash_commands', payload };
  const isEvent = payload['type'] === 'event_callback' || 'event' in payload || !payload['type'];
  if (isEvent || 'challenge' in payload || file.startsWith('event/')) {
    return { kind: 'events_api', payload };
  }
  return { kind: 'interactive', payload };
}

it.skipIf(!hasSharedData)(
  `Slack's own samples are all acknowledged, also as ours with people that nobody knows (${hasSharedData ? 'read' : whySkipped})`,
  async () => {
    const { workspace, startBot } = await startProduct();
    const { logger, lines } = createLineLogger();
    const bot = await startBot({}, logger);
    const ours = files.filter((file) =>
      /slash_command|message_action|shortcut|block_actions/.test(file),
    );
    expect(files.length).toBeGreaterThan(150);
    expect(ours.length).toBeGreaterThan(25);
    const asSent = ours.map((file) => asDelivery(file, asOurs));
    const deliveries = [
      ...files.map((file) => asDelivery(file)),
      ...asSent,
      // Deliver each payload without each of its members, too. HTTP recognizes a command by `command`, so that one
      // stays.
      ...asSent.flatMap(({ kind, payload }) =>
        [...poorer(payload as JsonObject)]
          .filter((each) => kind !== 'slash_commands' || 'command' in each)
          .map((each) => ({ kind, payload: each })),
      ),
    ];
    for (const delivery of deliveries)
      expect(await workspace.deliver(delivery), delivery.kind).toMatchObject({ acked: true });
    await bot.stop();
    const bad = lines.filter((line) => line.level > 40 && !expected.test(JSON.stringify(line)));
    expect(bad).toEqual([]);
  },
);
