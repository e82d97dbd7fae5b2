import type { JsonObject } from '../lib/json.ts';
import { findInstallation, personOf, teamOf } from '../world/directory.ts';
import type { World } from '../world/world.ts';
import { channelPart, organizationOf } from './interaction.ts';

export type SlashCommand = {
  userId: string;
  /** Where the person typed it. Commands say that right. */
  teamId: string;
  channelId: string;
  command: string;
  text: string;
  responseUrl: string;
  triggerId: string;
};

/** The fields of a slash command. Over HTTP they're a form, so booleans are text. */
export function slashCommand(world: World, command: SlashCommand): JsonObject {
  const person = personOf(world, command.userId);
  const team = teamOf(world, command.teamId);
  const enterprise = organizationOf(world, team.id);
  const isWhole = findInstallation(world, team.id)?.enterpriseId !== undefined;
  return {
    token: world.app.verificationToken,
    team_id: team.id,
    team_domain: team.domain,
    channel_id: command.channelId,
    channel_name: channelPart(world, command.channelId).name,
    user_id: person.id,
    user_name: person.name,
    command: command.command,
    text: command.text,
    api_app_id: world.app.id,
    is_enterprise_install: String(isWhole),
    ...(enterprise && { enterprise_id: enterprise.id, enterprise_name: enterprise.name }),
    response_url: command.responseUrl,
    trigger_id: command.triggerId,
  };
}
