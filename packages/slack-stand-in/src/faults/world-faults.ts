import { appRateLimited } from '../payloads/event.ts';
import type { Workspace } from '../workspace.ts';
import { channelOf, findInstallation, findMessage } from '../world/directory.ts';
import type { Installation, Message } from '../world/world.ts';
import type { WorldFault } from './faults.ts';

/** Carries out a fault that changes the world, such as a revoked token or a deleted message. */
export async function changeWorld(
  workspace: Workspace,
  fault: WorldFault,
  stopped: AbortSignal,
): Promise<void> {
  const { world, changes, deliveries, installations, log, membership, socketMode } = workspace;
  switch (fault.name) {
    case 'disconnect':
      return await socketMode.disconnect(fault.reason, fault.graceMs, stopped);
    case 'sockets_cut':
      return socketMode.cut();
    case 'app_removed_from_channel': {
      const channel = channelOf(world, fault.channel);
      const installation = installedIn(workspace, channel.teamId);
      await membership.leave(channel, installation.botUserId);
      return;
    }
    case 'channel_archived':
      channelOf(world, fault.channel).isArchived = true;
      return changes.emit({ type: 'channel', channelId: fault.channel });
    case 'message_deleted':
      await log.remove(messageOf(workspace, fault));
      return;
    case 'edit_window_closed':
      workspace.closedForEdits.add(`${fault.channel}:${messageOf(workspace, fault).ts}`);
      return;
    case 'token_revoked':
      return await installations.revoke(installedIn(workspace, fault.teamId));
    case 'token_expired':
      for (const each of world.installations)
        if (each.botToken === installedIn(workspace, fault.teamId).botToken)
          each.expiresSeconds = 0;
      return;
    case 'app_uninstalled':
      return await installations.uninstall(installedIn(workspace, fault.teamId));
    case 'partial_scopes':
      return installations.grant(installedIn(workspace, fault.teamId), fault.granted);
    case 'app_rate_limited': {
      const payload = appRateLimited(world.app, installedIn(workspace, fault.teamId).teamId);
      await deliveries.send({ kind: 'events_api', payload });
    }
  }
}

function installedIn({ world }: Workspace, teamId = world.teams[0]?.id ?? ''): Installation {
  const installation = findInstallation(world, teamId);
  if (!installation) throw new Error(`the app isn't installed in team ${teamId}`);
  return installation;
}

function messageOf({ world }: Workspace, at: { channel: string; ts: string }): Message {
  const message = findMessage(world, at.channel, at.ts);
  if (!message) throw new Error(`there is no message ${at.ts} in ${at.channel}`);
  return message;
}
