import { type EncryptedColumnsOf, ownersOf } from 'base/database/tables';
import type { DatabaseSchema } from './schema.ts';

/**
 * Lists the service's encrypted columns, by table. Each column has the name of the column that identifies the value's
 * owner. Queries must select both columns.
 */
export const encryptedColumns: EncryptedColumnsOf<DatabaseSchema> = {
  service_runs: { prompt: 'id', config_json: 'id', status_json: 'id' },
  service_run_changes: { note: 'run_id' },
  service_run_followups: { message: 'run_id' },
  service_run_questions: { question_json: 'question_id', answer_json: 'question_id' },
  service_run_attachments: { part_json: 'run_id' },
  service_dispatches: { token: 'run_id', end_json: 'run_id' },
  service_run_progress: { progress_json: 'run_id' },
  service_conversations: { file_key: 'id' },
  service_publications: { wanted_json: 'id', problem: 'id', remark: 'id' },
  service_schedules: { request_json: 'id' },
  service_artifacts: { data_json: 'uid' },
};

export const owners = ownersOf([{ encryptedColumns }]);
