import type { ServiceRunFilter } from './service-run-filter.ts';

/** `snapshot` is the moment at which the list is looked at, so that pages fit together while runs change. */
export type ServiceRunPlace = { key: string | number; id: string; snapshot: number };

export type ServiceRunListQuery = {
  filter: ServiceRunFilter;
  sortBy: 'updated_at' | 'created_at' | 'title';
  sortOrder: 'asc' | 'desc';
  limit: number;
  after?: ServiceRunPlace | undefined;
};
