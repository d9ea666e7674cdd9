/** Once per test run: builds the program, starts a server with a migrated template database, and removes them at the end. */
import { resolve } from 'node:path';
import type { TestProject } from 'vitest/node';
import { createTemplate, dropTemplate, type TemplateDatabase } from '../../tools/template-database.ts';
import { buildProgram } from './built-program.ts';
import { startTestServer } from './test-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    testDatabases: { readonly adminUrl: string; readonly template: TemplateDatabase };
    testPrograms: { readonly file: string; readonly hurriedFile: string };
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stack = new AsyncDisposableStack();
  try {
    const built = await buildProgram();
    stack.defer(() => built.remove());
    const { file, hurriedFile } = built;
    project.provide('testPrograms', { file: resolve(process.env.TEST_PROGRAM ?? file), hurriedFile });
    const server = await startTestServer();
    stack.defer(() => server.stop());
    const template = await createTemplate(server.adminUrl);
    stack.defer(() => dropTemplate(server.adminUrl, template));
    project.provide('testDatabases', { adminUrl: server.adminUrl, template });
    process.stderr.write(`tests run on ${server.description}\n`);
    return () => stack.disposeAsync();
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}
