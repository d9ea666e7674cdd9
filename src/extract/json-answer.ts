/** Answers that are read as a whole: those of commands, which are small. */
import type { z } from 'zod';
import { UnexpectedAnswerError } from '../model/errors.ts';
import { parseJson } from '../model/json.ts';
import { endOfValue, mostLevels } from '../model/json-scan.ts';

/** An answer of many records may be wrong in each of them. */
const mostIssues = 3;

/**
 * Makes a function that opens a body as a schema says. It throws `SyntaxError` for one that is not JSON in UTF-8, and
 * `UnexpectedAnswerError` for other JSON than the schema describes.
 */
export function openedAs<Schema extends z.ZodType>(schema: Schema): (body: Buffer) => z.output<Schema> {
  return (body) => {
    const text = new TextDecoder().decode(body);
    // What is printed is walked through without a bound.
    endOfValue(Buffer.from(text.trimStart()), 0, refuseDepth);
    const parsed = schema.safeParse(parseJson(text).value);
    if (parsed.success) return parsed.data;
    const issues = parsed.error.issues.slice(0, mostIssues);
    const sentences = issues.map(({ path, message }) => `${path.join('.') || 'body'}: ${message}`);
    throw new UnexpectedAnswerError(`the answer is not as documented; ${sentences.join('; ')}`);
  };
}

function refuseDepth(): never {
  throw new UnexpectedAnswerError(`expected at most ${mostLevels} levels of nesting in an answer, got more`);
}
