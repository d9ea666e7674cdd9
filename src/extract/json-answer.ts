/** Opens small answers, which are parsed as a whole: those that commands show. */
import type { z } from 'zod';
import { UnexpectedAnswerError } from '../model/errors.ts';
import { parseJson } from '../model/json.ts';
import { endOfValue, mostLevels } from '../model/json-scan.ts';

/** Most of zod's issues in one error message. */
const mostIssues = 3;

/**
 * Returns a function that parses a body by a schema. It throws `SyntaxError` for a body that is not JSON in UTF-8, and
 * `UnexpectedAnswerError` for JSON that does not match.
 */
export function openedAs<Schema extends z.ZodType>(schema: Schema): (body: Buffer) => z.output<Schema> {
  return (body) => {
    const text = new TextDecoder().decode(body);
    // Printing an answer is recursive and could overflow the stack, so deep nesting is refused here.
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
