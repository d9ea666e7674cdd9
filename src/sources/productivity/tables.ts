import { additive, reference, rowsOf, table } from '../../model/table.ts';
import { fileExtension, language } from '../dimensions.ts';

/** Grain: organization × day × file extension. */
const factFileExtensionDaily = table('fact_file_extension_daily', {
  keys: [reference(fileExtension, ['extension'])],
  columns: additive({ file_operations: 'count' }),
});

/** Grain: organization × day × language. */
const factLanguageDaily = table('fact_language_daily', {
  keys: [reference(language, ['language'])],
  columns: additive({ file_operations: 'count' }),
});

/** Grain: organization × day. */
export const factProductivityDaily = table('fact_productivity_daily', {
  columns: additive('files_created', 'files_edited', 'git_commits', 'git_prs_created'),
  below: [rowsOf('by_extension', factFileExtensionDaily), rowsOf('by_language', factLanguageDaily)],
});
