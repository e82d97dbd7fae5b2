import type { ServiceRunFilter } from './service-run-filter.ts';

/** `snapshot` is the time of the first page, so that pages fit together while runs change. */
export type ServiceRunPlace = { key: string | number; id: string; snapshot: number };

export type ServiceRunListQuery = {
  filter: ServiceRunFilter;
  sortBy: 'updated_at' | 'created_at' | 'title';
  sortOrder: 'asc' | 'desc';
  limit: number;
  after?: ServiceRunPlace | undefined;
};
