import type { Method } from '../method.ts';
import type { WorkspaceParts } from '../workspace-parts.ts';
import { createAuthMethods } from './auth.ts';
import { blocksValidateMethod } from './blocks-validate.ts';
import { createChangeMethods } from './chat-change.ts';
import { createPostMethods } from './chat-post.ts';
import { createUserMethods } from './users.ts';
import { createViewMethods } from './views.ts';

/** Every Web API method that this Slack knows; any other is an `unknown_method`. */
export function createMethods(parts: WorkspaceParts): Method[] {
  const hasHomeTab = parts.manifest.features.app_home?.home_tab_enabled ?? false;
  return [
    ...createAuthMethods(parts),
    ...createPostMethods(parts),
    ...createChangeMethods(parts),
    ...createViewMethods({ ...parts, hasHomeTab }),
    ...createUserMethods(parts),
    blocksValidateMethod,
  ];
}
