import { validateView } from '../block-kit/validate-view.ts';
import type { Triggers } from '../deliveries/triggers.ts';
import type { JsonObject } from '../lib/json.ts';
import { viewPayload } from '../payloads/view.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { findPerson, teamsReached } from '../world/directory.ts';
import { rejectProblems } from '../world/message-content.ts';
import type { ViewError, Views } from '../world/views.ts';
import type { Installation, View, World } from '../world/world.ts';

type ViewsDeps = {
  world: World;
  views: Views;
  triggers: Triggers;
  hasHomeTab: boolean;
};

const triggerErrors = ['exchanged_trigger_id', 'expired_trigger_id', 'invalid_trigger_id'];
const viewErrors = ['duplicate_external_id', 'view_too_large'];

export function createViewMethods(deps: ViewsDeps): Method[] {
  const { world, views, triggers } = deps;
  const fromTrigger = { trigger_id: argument.id, view: argument.object };

  /** Checks a view, then shows it. The check comes first, so that an invalid view doesn't use up the trigger ID. */
  const show =
    (place: 'open' | 'push') =>
    (
      args: { trigger_id: string; view: JsonObject },
      { installation }: { installation: Installation },
    ) => {
      rejectProblems(validateView(args.view, { types: ['modal'] }));
      const trigger = triggers.exchange(args.trigger_id, teamsReached(world, installation));
      if (typeof trigger === 'string') throw new ApiError(trigger);
      const { userId, teamId, currentChannelId } = trigger;
      const owner = { userId, teamId, currentChannelId };
      return answer(world, views[place](owner, args.view));
    };

  return [
    defineMethod({
      name: 'views.open',
      tier: 4,
      errors: [...triggerErrors, ...viewErrors],
      args: fromTrigger,
      run: show('open'),
    }),
    defineMethod({
      name: 'views.push',
      tier: 4,
      errors: [...triggerErrors, ...viewErrors, 'not_found', 'push_limit_reached'],
      args: fromTrigger,
      run: show('push'),
    }),
    defineMethod({
      name: 'views.update',
      tier: 4,
      errors: [...viewErrors, 'hash_conflict', 'not_found'],
      args: {
        view: argument.object,
        view_id: argument.id.optional(),
        external_id: argument.id.optional(),
        hash: argument.text.optional(),
      },
      run: ({ view: content, view_id: id, external_id: externalId, hash }, { installation }) => {
        const view = views.find(teamsReached(world, installation), { id, externalId });
        if (!view) throw new ApiError('not_found');
        rejectProblems(validateView(content, { types: [view.type] }));
        return answer(world, views.update(view, content, hash));
      },
    }),
    publishMethod(deps),
  ];
}

function publishMethod(deps: ViewsDeps): Method {
  const { world, views } = deps;
  return defineMethod({
    name: 'views.publish',
    tier: 4,
    errors: [...viewErrors, 'hash_conflict', 'not_enabled', 'missing_profile_id'],
    args: { user_id: argument.id, view: argument.object, hash: argument.text.optional() },
    run: ({ user_id: userId, view: content, hash }, { installation }) => {
      if (!deps.hasHomeTab) throw new ApiError('not_enabled');
      rejectProblems(validateView(content, { types: ['home'] }));
      const person = findPerson(world, userId);
      if (!person || person.role === 'bot') throw new ApiError('invalid_arguments');
      const owner = { userId, teamId: installation.teamId };
      return answer(world, views.publish(owner, content, hash));
    },
  });
}

function answer(world: World, view: View | ViewError): JsonObject {
  if (typeof view === 'string') throw new ApiError(view);
  return { view: viewPayload(world, view) };
}
