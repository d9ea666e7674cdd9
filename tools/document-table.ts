/** Tables of figures in documents. */

/**
 * Replaces the table of a document between the mark that names the command it is made by, and the end mark. Throws
 * `RangeError` when the marks are missing.
 */
export function withTable(document: string, command: string, table: string): string {
  const [begin, end] = [`<!-- begin: ${command} -->`, '<!-- end -->'];
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from === -1 || to === -1) throw new RangeError(`expected ${begin} and then ${end} in the document`);
  return `${document.slice(0, from)}${begin}\n\n${table}\n\n${document.slice(to)}`;
}
