import { findFaults, toProblems } from '../block-kit/checks/findings.ts';
import type { Triggers } from '../deliveries/triggers.ts';
import { entityErrorSchema, findDetailsProblems, readDetails } from '../entities/entity-schema.ts';
import type { Flexpanes } from '../entities/flexpanes.ts';
import { ApiError } from '../web-api/api-error.ts';
import { argument, defineMethod, type Method } from '../web-api/method.ts';
import { teamsReached } from '../world/directory.ts';
import { rejectProblems } from '../world/message-content.ts';
import type { World } from '../world/world.ts';

/** Creates the method that fills the details pane after a person opened an entity. */
export function createEntityMethods({
  world,
  triggers,
  flexpanes,
}: {
  world: World;
  triggers: Triggers;
  flexpanes: Flexpanes;
}): Method[] {
  return [
    defineMethod({
      name: 'entity.presentDetails',
      tier: 3,
      errors: [
        'invalid_metadata',
        'invalid_trigger_id',
        'entity_metadata_does_not_match_trigger',
        'user_auth_url_missing',
      ],
      args: {
        trigger_id: argument.id,
        metadata: argument.object.optional(),
        error: argument.object.optional(),
        user_auth_required: argument.flag.optional(),
        user_auth_url: argument.text.optional(),
      },
      run: (args, { installation }) => {
        const trigger = triggers.exchange(args.trigger_id, teamsReached(world, installation));
        // Use one error for all unusable triggers, as Slack does.
        if (typeof trigger === 'string' || !trigger.entity)
          throw new ApiError('invalid_trigger_id');
        const { userId, entity } = trigger;
        const externalId = entity.externalRef.id;
        if (args.user_auth_required && !args.user_auth_url)
          throw new ApiError('user_auth_url_missing');
        if (args.error) {
          rejectProblems(
            toProblems('invalid_arguments', findFaults(entityErrorSchema, args.error, ['error'])),
          );
          flexpanes.present(userId, externalId, { error: entityErrorSchema.parse(args.error) });
          return {};
        }
        rejectProblems(findDetailsProblems(args.metadata));
        const details = readDetails(args.metadata);
        if (details.external_ref.id !== externalId || details.url !== entity.url)
          throw new ApiError('entity_metadata_does_not_match_trigger');
        flexpanes.present(userId, externalId, { details });
        return {};
      },
    }),
  ];
}
