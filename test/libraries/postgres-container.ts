/** Postgres in a container, which ends with the tests. */
import './installed.ts';
import { createRequire } from 'node:module';

/** A container to start. */
interface Preparation {
  withTmpFs(options: Readonly<Record<string, string>>): Preparation;
  withCommand(command: readonly string[]): Preparation;
  start(): Promise<{ getConnectionUri(): string; stop(): Promise<unknown> }>;
}

const library: { readonly PostgreSqlContainer: new (image: string) => Preparation } = createRequire(
  import.meta.url,
)('@testcontainers/postgresql');

export const { PostgreSqlContainer } = library;
