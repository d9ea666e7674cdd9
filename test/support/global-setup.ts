/** Once per test run: a server, a migrated template database on it, and their end. */
import type { TestProject } from 'vitest/node';
import { createTemplate, dropTemplate, type TemplateDatabase } from '../../tools/template-database.ts';
import { startTestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    testDatabases: { readonly adminUrl: string; readonly template: TemplateDatabase };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await startTestServer();
  try {
    const template = await createTemplate(server.adminUrl);
    project.provide('testDatabases', { adminUrl: server.adminUrl, template });
    process.stderr.write(`tests run on ${server.description}\n`);
    return async () => {
      await dropTemplate(server.adminUrl, template);
      await server.stop();
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
