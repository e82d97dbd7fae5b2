import Sqlite from 'libsql';

/** Ends all leases, which saves the wait for those of killed processes. No process may use the file. */
export function endLeases(file: string): void {
  const sqlite = new Sqlite(file);
  const tables = sqlite
    .prepare("select name from sqlite_master where type = 'table' and sql like '%lease_until%'")
    .all() as { name: string }[];
  for (const { name } of tables)
    sqlite.exec(`update ${name} set lease_until = 0 where lease_until > 0`);
  sqlite.close();
}
