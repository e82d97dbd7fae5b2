import { randomBytes } from 'node:crypto';
import { openDatabase } from 'base/database/database';
import type { Encryption } from 'base/secrets/encryption';
import {
  type Automation,
  type Definition,
  defaultLimits,
  newAutomationId,
} from 'slash-agent/automations/automation';
import { createAutomations } from 'slash-agent/store/automations/automations';
import type { DatabaseSchema } from 'slash-agent/store/schema';
import { botTables } from 'slash-agent/store/tables';

type DemoPlace = {
  databaseUrl: string;
  encryption: Encryption;
  /** True for a new database. Automations that people delete don't come back at the next start. */
  isFirstStart: boolean;
  teamId: string;
  ownerId: string;
};

type Sample = Pick<Automation, 'name' | 'channelId'> &
  Pick<Definition, 'trigger' | 'prompt' | 'title'>;

const deployed: Sample = {
  name: 'Deploy finished',
  channelId: 'C04GENERAL1',
  trigger: {
    kind: 'webhook',
    sender: 'bearer',
    filter: [
      [{ field: 'status', is: 'equals', text: 'success' }],
      [{ field: 'environment', is: 'equals', text: 'production' }],
    ],
  },
  prompt: 'Count the TODO comments of version {{ payload.version }}',
  title: 'Check version {{ payload.version }}',
};

const watched: Sample = {
  name: 'Look into alerts',
  channelId: 'C04ALERTS01',
  trigger: { kind: 'reaction', emoji: 'eyes' },
  prompt: 'Which files could this alert be about?',
  title: '',
};

/**
 * Creates the demo's automations at the first start: 👀 on an alert, and a webhook.
 * @returns the webhook's ID and secret, unless someone deleted it
 */
export async function createDemoAutomations({
  databaseUrl,
  encryption,
  isFirstStart,
  teamId,
  ownerId,
}: DemoPlace): Promise<{ id: string; secret: string } | undefined> {
  const db = await openDatabase<DatabaseSchema>(databaseUrl, [botTables], { encryption });
  try {
    const automations = createAutomations(db);
    const create = ({ name, channelId, trigger, prompt, title }: Sample, secret?: string) =>
      automations.create(
        {
          id: newAutomationId(),
          teamId,
          ownerId,
          channelId,
          name,
          definition: {
            trigger,
            prompt,
            title,
            preset: null,
            config: {},
            show: 'message',
            ...defaultLimits,
          },
          nextAt: null,
          createdAt: Date.now(),
        },
        ownerId,
        secret,
      );
    if (isFirstStart) {
      await create(watched);
      await create(deployed, `whsec_${randomBytes(32).toString('base64')}`);
    }
    const all = await automations.allOf(teamId);
    const webhook = all.find(({ name }) => name === deployed.name);
    const hook = webhook && (await automations.findHook(webhook.id));
    const [secret] = hook?.secrets ?? [];
    return webhook && secret ? { id: webhook.id, secret } : undefined;
  } finally {
    await db.destroy();
  }
}
