import { additive, reference, table } from '../../model/table.ts';
import { fileExtension, language } from '../dimensions.ts';

/** Grain: organization × day. */
export const factProductivityDaily = table('fact_productivity_daily', {
  measures: additive('files_created', 'files_edited', 'git_commits', 'git_prs_created'),
});

/** Grain: organization × day × file extension. */
export const factFileExtensionDaily = table('fact_file_extension_daily', {
  keys: [reference(fileExtension, ['extension'])],
  measures: additive({ file_operations: 'count' }),
});

/** Grain: organization × day × language. */
export const factLanguageDaily = table('fact_language_daily', {
  keys: [reference(language, ['language'])],
  measures: additive({ file_operations: 'count' }),
});
