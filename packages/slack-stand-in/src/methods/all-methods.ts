import type { Method } from '../web-api/method.ts';
import type { Workspace } from '../workspace.ts';
import { createAssistantMethods, createSessionMethods } from './agents.ts';
import { createAppMethods, createAuthMethods, createOAuthMethods } from './auth.ts';
import { blocksValidateMethod } from './blocks-validate.ts';
import { createChangeMethods } from './chat-change.ts';
import { createPostMethods } from './chat-post.ts';
import { createUnfurlMethods } from './chat-unfurl.ts';
import { createHistoryMethods } from './conversation-history.ts';
import { createConversationLists, createConversationMethods } from './conversations.ts';
import { createEntityMethods } from './entity.ts';
import { createFileMethods, createUploadMethods } from './files.ts';
import { createFunctionMethods } from './functions.ts';
import { createReactionMethods } from './reactions.ts';
import { createTeamMethods, createUserMethods } from './users.ts';
import { createViewMethods } from './views.ts';

/** Creates all Web API methods. Calls to other methods fail with `unknown_method`. */
export function createMethods(workspace: Workspace): Method[] {
  const { world, manifest, log, views, files, changes, triggers, baseUrl } = workspace;
  const { installations, oauth, socketMode, membership, sessions, flexpanes } = workspace;
  const { workflowSteps, readings, composerPreviews, unfurlDomains } = workspace;
  const { closedForEdits, blockMismatchAfterMarkdown } = workspace;
  const { app_home: appHome } = manifest.features;
  const hasHomeTab = appHome?.home_tab_enabled ?? false;
  const isMessagesTabOpen = appHome?.messages_tab_enabled ?? true;
  return [
    ...createAuthMethods({ world, socketMode, baseUrl }),
    ...createAppMethods({ world, installations }),
    ...createOAuthMethods({ world, oauth }),
    ...createPostMethods({ world, log, isMessagesTabOpen }),
    ...createChangeMethods({ world, log, baseUrl, closedForEdits, blockMismatchAfterMarkdown }),
    ...createUnfurlMethods({ world, log, manifest, unfurlDomains, composerPreviews }),
    ...createEntityMethods({ world, triggers, flexpanes }),
    ...createViewMethods({ world, views, triggers, hasHomeTab }),
    ...createConversationMethods({ world, membership }),
    ...createConversationLists({ world }),
    ...createHistoryMethods({ world }),
    ...createReactionMethods({ world, log }),
    ...createSessionMethods({ world, sessions }),
    ...createAssistantMethods({ world, manifest, changes }),
    ...createUserMethods({ world, baseUrl }),
    ...createTeamMethods({ world }),
    ...createFileMethods({ world, files }),
    ...createUploadMethods({ world, log, files }),
    ...createFunctionMethods({ manifest, workflowSteps, readings }),
    blocksValidateMethod,
  ];
}
