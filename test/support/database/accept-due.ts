import type { NewRequest } from '../../../src/store/requests/request-row.ts';
import { createRequests } from '../../../src/store/requests/requests.ts';
import type { Db } from '../../../src/store/schema.ts';

/** Accepts a request and makes it due, like the post of its message. Returns false if the request exists. */
export async function acceptDue(db: Db, request: NewRequest): Promise<boolean> {
  const isNew = await createRequests(db).accept(request);
  await db.updateTable('requests').set({ due_at: 1 }).where('id', '=', request.id).execute();
  return isNew;
}
