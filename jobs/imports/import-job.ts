/** What the imports have in common: a file on the command line, a warehouse, and what is told in the end. */
import { explain } from '../../src/model/errors.ts';
import type { RunReport } from '../../src/model/run-report.ts';
import { openConfiguredWarehouse, type Warehouse } from '../../src/pipeline/runs/open-warehouse.ts';
import { exitCodeOf, type Job, type JobContext } from '../job.ts';
import { tell } from '../tell.ts';

/** What an import ends with. */
interface Imported {
  readonly report: RunReport;
  readonly text: string;
  /** Figures beside those of every run. */
  readonly about: Readonly<Record<string, number>>;
}

/** An import. */
interface ImportKind extends Pick<Job, 'description' | 'example'> {
  readonly importFile: (file: string, context: JobContext, warehouse: Warehouse) => Promise<Imported>;
}

/** The job of an import. What is wrong with a file is told line by line, and nothing of it is imported. */
export function importJob({ description, example, importFile }: ImportKind): Job {
  return {
    name: 'import',
    description,
    example,
    needsPlatform: false,
    options: (command) => command.argument('<file>', 'CSV file in UTF-8; the first line names the columns'),
    prepare({ arguments: [file = ''] }) {
      return async (context) => {
        const warehouse = await openConfiguredWarehouse(context);
        try {
          const { report, text, about } = await importFile(file, context, warehouse);
          const { stoppedBy, summary } = report;
          const { run_id, status, rows, duration_ms } = summary;
          const json = { run_id, status, rows, ...about, duration_ms };
          if (stoppedBy === undefined) return { json, text };
          const error = context.redact(explain(stoppedBy));
          tell(error);
          return { json, text: 'Nothing was imported.', exitCode: exitCodeOf(stoppedBy), error };
        } finally {
          await warehouse.close();
        }
      };
    },
  };
}
