export const entityUrl = 'https://runs.example.com/1';

/** A task as a work object, as an app would send it. */
export const anEntity = {
  entity_type: 'slack#/entities/task',
  url: entityUrl,
  app_unfurl_url: entityUrl,
  external_ref: { id: 'run-1', type: 'run' },
  entity_payload: {
    attributes: { title: { text: 'Count the files' }, display_type: 'Agent run' },
    fields: {
      status: { value: 'In progress', tag_color: 'blue' },
      created_by: { type: 'slack#/types/user', user: { user_id: 'U04ADALOVEL' } },
      date_created: { value: 1_793_536_496 },
    },
    custom_fields: [
      { key: 'changes', label: 'Changes', type: 'string', value: '3 files', link: entityUrl },
    ],
    display_order: ['status', 'changes', 'created_by', 'date_created'],
  },
};

const { app_unfurl_url: _, ...shown } = anEntity;

/** The task for `entity.presentDetails`, with buttons. */
export const entityDetails = {
  ...shown,
  entity_payload: {
    ...shown.entity_payload,
    actions: {
      primary_actions: [{ text: 'Stop', action_id: 'stop', value: 'run-1', style: 'danger' }],
      overflow_actions: [{ text: 'Start again', action_id: 'again', value: 'run-1' }],
    },
  },
};
