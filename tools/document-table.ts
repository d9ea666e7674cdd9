/** Tables of figures in documents. */

/**
 * Replaces the table in a document that stands between two marks: one with the command that makes the table, and one for
 * the end. Throws `RangeError` when a mark is missing.
 */
export function withTable(document: string, command: string, table: string): string {
  const [begin, end] = [`<!-- begin: ${command} -->`, '<!-- end -->'];
  const from = document.indexOf(begin);
  const to = document.indexOf(end, from);
  if (from === -1 || to === -1) throw new RangeError(`expected ${begin} and then ${end} in the document`);
  return `${document.slice(0, from)}${begin}\n\n${table}\n\n${document.slice(to)}`;
}
