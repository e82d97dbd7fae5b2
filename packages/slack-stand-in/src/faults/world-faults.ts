import { appRateLimited } from '../payloads/lifecycle.ts';
import type { WorkspaceParts } from '../workspace-parts.ts';
import { channelOf, findInstallation, findMessage } from '../world/directory.ts';
import type { Installation, Message } from '../world/world.ts';
import type { WorldFault } from './faults.ts';

/** Carries out the faults that change the world. */
export async function changeWorld(
  parts: WorkspaceParts,
  fault: WorldFault,
  stopped: AbortSignal,
): Promise<void> {
  const { world, changes, deliveries, installations, log, membership, socketMode } = parts;
  switch (fault.name) {
    case 'disconnect':
      return await socketMode.disconnect(fault.reason, fault.graceMs, stopped);
    case 'sockets_cut':
      return socketMode.cut();
    case 'app_removed_from_channel': {
      const channel = channelOf(world, fault.channel);
      const installation = installedIn(parts, channel.teamId);
      await membership.leave(channel, installation.botUserId);
      return;
    }
    case 'channel_archived':
      channelOf(world, fault.channel).isArchived = true;
      return changes.emit({ type: 'channel', channelId: fault.channel });
    case 'message_deleted':
      await log.remove(messageOf(parts, fault));
      return;
    case 'edit_window_closed':
      parts.closedForEdits.add(`${fault.channel}:${messageOf(parts, fault).ts}`);
      return;
    case 'token_revoked':
      return await installations.revoke(installedIn(parts, fault.teamId));
    case 'token_expired':
      for (const each of world.installations)
        if (each.botToken === installedIn(parts, fault.teamId).botToken) each.expiresSeconds = 0;
      return;
    case 'app_uninstalled':
      return await installations.uninstall(installedIn(parts, fault.teamId));
    case 'partial_scopes':
      return installations.grant(installedIn(parts, fault.teamId), fault.granted);
    case 'app_rate_limited': {
      const payload = appRateLimited(world.app, installedIn(parts, fault.teamId).teamId);
      await deliveries.send({ kind: 'events_api', payload });
    }
  }
}

function installedIn({ world }: WorkspaceParts, teamId = world.teams[0]?.id ?? ''): Installation {
  const installation = findInstallation(world, teamId);
  if (!installation) throw new Error(`the app isn't installed in team ${teamId}`);
  return installation;
}

function messageOf({ world }: WorkspaceParts, at: { channel: string; ts: string }): Message {
  const message = findMessage(world, at.channel, at.ts);
  if (!message) throw new Error(`there is no message ${at.ts} in ${at.channel}`);
  return message;
}
