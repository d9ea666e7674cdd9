/** The common parts of the imports: a file on the command line, a warehouse, and the result. */
import type { RunReport } from '../../src/model/run-report.ts';
import type { OpenSurroundings } from '../../src/pipeline/runs/job-surroundings.ts';
import { withWarehouse } from '../../src/pipeline/runs/with-warehouse.ts';
import type { Job } from '../job.ts';
import { endOf } from '../run-result.ts';

/** The result of an import. */
interface Imported {
  readonly report: RunReport;
  readonly text: string;
  /** Figures that only one of the imports has, for the JSON. */
  readonly about: Readonly<Record<string, number>>;
}

/** An import. */
interface ImportKind extends Pick<Job, 'description' | 'details' | 'example' | 'organizations'> {
  readonly importFile: (file: string, open: OpenSurroundings) => Promise<Imported>;
}

/**
 * Makes the job of an import. If a file has problems, the job reports all of them with their lines, and imports
 * nothing.
 */
export function importJob({ importFile, ...texts }: ImportKind): Job {
  return {
    name: 'import',
    ...texts,
    needsPlatform: false,
    options: (command) => command.argument('<file>', 'CSV file in UTF-8; the first line names the columns'),
    prepare({ arguments: [file = ''] }) {
      return async (context) => {
        const {
          report,
          text,
          about: figures,
        } = await withWarehouse(context, 'writes', (open) => importFile(file, open));
        const { stoppedBy, summary } = report;
        const { run_id, status, rows, duration_ms } = summary;
        const json = { run_id, status, rows, ...figures, duration_ms };
        const shown = stoppedBy === undefined ? text : 'Nothing was imported.';
        return { json, text: shown, ...endOf(stoppedBy, context) };
      };
    },
  };
}
