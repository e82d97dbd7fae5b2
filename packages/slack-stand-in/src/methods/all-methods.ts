import type { Method } from '../web-api/method.ts';
import type { WorkspaceParts } from '../workspace-parts.ts';
import { createSessionMethods } from './agent-sessions.ts';
import { createAppMethods } from './apps.ts';
import { createAssistantMethods } from './assistant-threads.ts';
import { createAuthMethods } from './auth.ts';
import { blocksValidateMethod } from './blocks-validate.ts';
import { createChangeMethods } from './chat-change.ts';
import { createPostMethods } from './chat-post.ts';
import { createUnfurlMethods } from './chat-unfurl.ts';
import { createHistoryMethods } from './conversation-history.ts';
import { createConversationLists } from './conversation-lists.ts';
import { createConversationMethods } from './conversations.ts';
import { createEntityMethods } from './entity.ts';
import { createUploadMethods } from './file-uploads.ts';
import { createFileMethods } from './files.ts';
import { createFunctionMethods } from './functions.ts';
import { createOAuthMethods } from './oauth.ts';
import { createReactionMethods } from './reactions.ts';
import { createTeamMethods } from './team.ts';
import { createUserMethods } from './users.ts';
import { createViewMethods } from './views.ts';

/** All Web API methods. Others are an `unknown_method`. */
export function createMethods(parts: WorkspaceParts): Method[] {
  const appHome = parts.manifest.features.app_home;
  const hasHomeTab = appHome?.home_tab_enabled ?? false;
  const isMessagesTabOpen = appHome?.messages_tab_enabled ?? true;
  return [
    ...createAuthMethods(parts),
    ...createAppMethods(parts),
    ...createOAuthMethods(parts),
    ...createPostMethods({ ...parts, isMessagesTabOpen }),
    ...createChangeMethods(parts),
    ...createUnfurlMethods(parts),
    ...createEntityMethods(parts),
    ...createViewMethods({ ...parts, hasHomeTab }),
    ...createConversationMethods(parts),
    ...createConversationLists(parts),
    ...createHistoryMethods(parts),
    ...createReactionMethods(parts),
    ...createSessionMethods(parts),
    ...createAssistantMethods(parts),
    ...createUserMethods(parts),
    ...createTeamMethods(parts),
    ...createFileMethods(parts),
    ...createUploadMethods(parts),
    ...createFunctionMethods(parts),
    blocksValidateMethod,
  ];
}
