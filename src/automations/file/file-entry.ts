import { cronProblem } from 'base/schedule/cron';
import { isTimeZone } from 'base/time/local-time';
import { agentConfigSchema } from 'runs-client/contract';
import { z } from 'zod';
import {
  type Automation,
  type Definition,
  defaultLimits,
  definitionSchema,
  type Trigger,
  triggerSchema,
} from '../automation.ts';
import { filterText, readFilter } from '../filter.ts';
import { templateProblem } from '../template.ts';

const [schedule, webhook, message, reaction] = triggerSchema.options;

const slackId = (of: string, pattern: RegExp) =>
  z.string().regex(pattern, { error: `must be the ID of ${of}` });

/** Filter as the form shows it, with one condition a line. */
const filterInFile = z.string().transform((text, { issues }) => {
  const filter = readFilter(text);
  if (!('problem' in filter)) return filterText(filter);
  issues.push({ code: 'custom', input: text, message: filter.problem });
  return z.NEVER;
});

/** Triggers with the file's names, which are those of rules and of the runs API. */
const triggerInFile = z.discriminatedUnion('kind', [
  z
    .strictObject({
      kind: schedule.shape.kind,
      cron: schedule.shape.cron,
      time_zone: schedule.shape.timeZone.refine(isTimeZone, {
        error: 'must be a time zone, such as Europe/Berlin',
      }),
      overlap: schedule.shape.overlap.default('skip'),
    })
    .check(({ value, issues }) => {
      const problem = isTimeZone(value.time_zone)
        ? cronProblem({ cron: value.cron, timeZone: value.time_zone })
        : undefined;
      if (problem !== undefined)
        issues.push({ code: 'custom', input: value, path: ['cron'], message: problem });
    }),
  z.strictObject({
    kind: webhook.shape.kind,
    sender: webhook.shape.sender,
    filter: filterInFile.default(''),
  }),
  z.strictObject({
    kind: message.shape.kind,
    text: message.shape.text.default(''),
    people: message.shape.people.default([]),
    bots: message.shape.bots.default([]),
    only_bots: message.shape.onlyBots.default(false),
  }),
  z.strictObject(reaction.shape),
]);

const { prompt, title, preset, show, startsPerHour, activeRuns } = definitionSchema.shape;

const entrySchema = z
  .strictObject({
    workspace: slackId('a workspace', /^T[A-Z0-9]{2,30}$/),
    channel: slackId('a channel', /^[CGD][A-Z0-9]{2,30}$/),
    name: z.string().trim().min(1).max(80),
    owner: slackId('a person', /^[UW][A-Z0-9]{2,30}$/),
    trigger: triggerInFile,
    prompt,
    title: title.default(''),
    preset: preset.default(null),
    config: agentConfigSchema
      .refine(({ mcp_servers: servers }) => servers === undefined, {
        error: "can't have mcp_servers, because they can contain keys; name a preset that has them",
      })
      .default({}),
    show: show.default('message'),
    starts_per_hour: startsPerHour.default(defaultLimits.startsPerHour),
    active_runs: activeRuns.default(defaultLimits.activeRuns),
    /** Left out, a new automation is on, and others stay as they are. */
    paused: z.boolean().optional(),
  })
  .check(({ value, issues }) => {
    for (const field of ['prompt', 'title'] as const) {
      const message = templateProblem(value[field], value.trigger.kind);
      if (message !== undefined)
        issues.push({ code: 'custom', input: value[field], path: [field], message });
    }
  });
/** An automation as a file describes it. */
export type FileEntry = z.infer<typeof entrySchema>;

/** Names an automation in a file: it's unique in its channel. */
export const placeOf = ({ workspace, channel, name }: FileEntry): string =>
  `${workspace} ${channel} ${name}`;

export const automationsFileSchema = z.strictObject({
  automations: z.array(entrySchema).check(({ value, issues }) => {
    const seen = new Set<string>();
    for (const [index, entry] of value.entries()) {
      if (seen.has(placeOf(entry)))
        issues.push({
          code: 'custom',
          input: entry.name,
          path: [index, 'name'],
          message: 'is already in this file, for the same channel',
        });
      seen.add(placeOf(entry));
    }
  }),
});

/** Returns what a file would say about an automation. MCP servers stay out, because they can contain keys. */
export function entryOf(automation: Automation): FileEntry {
  const { definition, teamId, channelId, name, ownerId, pause } = automation;
  const { mcp_servers: _servers, ...config } = definition.config;
  return {
    workspace: teamId,
    channel: channelId,
    name,
    owner: ownerId,
    trigger: triggerEntry(definition.trigger),
    prompt: definition.prompt,
    title: definition.title,
    preset: definition.preset,
    config,
    show: definition.show,
    starts_per_hour: definition.startsPerHour,
    active_runs: definition.activeRuns,
    paused: pause !== null,
  };
}

/** @param earlier what the same owner stored, whose MCP servers stay */
export function definitionOf(entry: FileEntry, earlier: Definition | undefined): Definition {
  const servers = earlier?.config.mcp_servers;
  return {
    trigger: triggerOf(entry.trigger),
    prompt: entry.prompt,
    title: entry.title,
    preset: entry.preset,
    config: { ...entry.config, ...(servers && { mcp_servers: servers }) },
    show: entry.show,
    startsPerHour: entry.starts_per_hour,
    activeRuns: entry.active_runs,
  };
}

function triggerEntry(trigger: Trigger): FileEntry['trigger'] {
  switch (trigger.kind) {
    case 'schedule': {
      const { kind, cron, timeZone, overlap } = trigger;
      return { kind, cron, time_zone: timeZone, overlap };
    }
    case 'message': {
      const { onlyBots, ...others } = trigger;
      return { ...others, only_bots: onlyBots };
    }
    case 'webhook':
      return { ...trigger, filter: filterText(trigger.filter) };
    case 'reaction':
      return trigger;
  }
}

function triggerOf(trigger: FileEntry['trigger']): Trigger {
  switch (trigger.kind) {
    case 'schedule': {
      const { kind, cron, time_zone: timeZone, overlap } = trigger;
      return { kind, cron, timeZone, overlap };
    }
    case 'message': {
      const { only_bots: onlyBots, ...others } = trigger;
      return { ...others, onlyBots };
    }
    case 'webhook': {
      const filter = readFilter(trigger.filter);
      if ('problem' in filter) throw new Error(filter.problem);
      return { ...trigger, filter };
    }
    case 'reaction':
      return trigger;
  }
}
