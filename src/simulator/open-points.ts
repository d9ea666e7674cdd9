/**
 * Points that the platform's documentation leaves open, as options of the simulator. A client must work with every
 * choice.
 */
import { z } from 'zod';

/** The default port of the simulator. */
export const usualPort = 4010;

const whole = (least: number, most: number) =>
  z.coerce
    .number()
    .pipe(z.int().min(least).max(most))
    .meta({ values: `${least} to ${most}` });

const points = z.strictObject({
  /** Order of the days in an analytics answer (§4.2 rule 4). */
  'days-order': z.enum(['mixed', 'ascending', 'descending']).default('mixed'),
  /** Most days of one analytics request; 0: no limit (§8). */
  'days-at-most': whole(0, 10_000).default(0),
  /** The next cursor of the last page of `/users` and of messages (§4.2, §4.4). */
  'last-cursor': z.enum(['absent', 'empty', 'repeated']).default('absent'),
  /** Order of readiness reports (§4.3). */
  'reports-order': z.enum(['newest', 'oldest', 'mixed']).default('newest'),
  /** Reports per page without a limit in the request (§4.3). */
  'reports-page': whole(1, 10_000).default(20),
  /** Most reports per page (§8). */
  'reports-at-most': whole(1, 10_000).default(100),
  /** What happens to a request with a larger limit than `reports-at-most`. */
  'reports-beyond': z.enum(['clip', 'refuse']).default('clip'),
  /** Order of the messages of a session (§4.4). */
  'messages-order': z.enum(['oldest', 'newest', 'mixed']).default('oldest'),
  /** Whether messages in a list have a role; the documentation shows it for single messages only (§2.2). */
  'listed-role': z.enum(['present', 'absent']).default('present'),
  /** Whether messages have blocks of undocumented types (§2.2). */
  'content-blocks': z.enum(['any', 'text']).default('any'),
  /** The answer to an unknown `startAfter` or cursor: a refusal, an empty page, or the first page. */
  'unknown-start': z.enum(['refuse', 'empty', 'first']).default('refuse'),
  /** Unit of the times of computers and messages (§1). */
  'time-unit': z.enum(['milliseconds', 'seconds']).default('milliseconds'),
  /** The final status of a new computer, also after its install step ran again (§3). */
  'new-computers': z.enum(['mixed', 'active', 'error']).default('mixed'),
  /** Duration of provisioning, in ms. */
  'provisioning-ms': whole(0, 86_400_000).default(60_000),
  /** Whether the list of computers has their steps by default (§4.5). */
  'listed-steps': z.enum(['absent', 'present']).default('absent'),
  /** The status in the answer of install-deps (§4.5). */
  'install-deps': z.enum(['provisioning', 'unchanged']).default('provisioning'),
  /** The answer to a name that another computer has. */
  'same-name': z.enum(['refuse', 'allow']).default('refuse'),
  /** The answer to an undocumented field or parameter. */
  'unknown-names': z.enum(['ignore', 'refuse']).default('ignore'),
  /** The status of a bad request when none is documented (§7). */
  'bad-request': z
    .enum(['400', '422'])
    .default('400')
    .transform((text) => (text === '400' ? 400 : 422)),
  /** Roles with access to operations outside of analytics (§5). */
  'other-roles': z.enum(['all', 'managers']).default('all'),
});

export type OpenPoints = z.output<typeof points>;

/** Choices for some of the points, as texts. */
export type Choices = Partial<Readonly<Record<keyof OpenPoints, string>>>;

/** The choices, and the defaults of the other points. Throws `ZodError` for an invalid choice. */
export function openPointsOf(choices: Choices = {}): OpenPoints {
  return points.parse(choices);
}

/** Reads texts of the form `point=value,point=value`. Adds a sentence to `problems` for each invalid point or value. */
export function readChoices(words: readonly string[], option: string, problems: string[]): Choices {
  const choices: Record<string, string> = {};
  for (const word of words.flatMap((list) => list.split(','))) {
    const [point = '', value] = word.split('=', 2);
    if (!Object.hasOwn(points.shape, point) || value === undefined)
      problems.push(
        `${option}: expected <point>=<value> with a point of ${Object.keys(points.shape).join(', ')}; got ${JSON.stringify(word)}`,
      );
    else if (!isPossible(point, value))
      problems.push(`${option}: expected ${point} to be ${valuesOf(point)}, got ${JSON.stringify(value)}`);
    else choices[point] = value;
  }
  return choices;
}

/** A line for each point, with its values; the default comes first. */
export function describeOpenPoints(): string[] {
  return Object.keys(points.shape).map((point) => `${point}=${valuesOf(point)}`);
}

function isPossible(point: string, value: string): boolean {
  return value !== '' && points.safeParse({ [point]: value }).success;
}

/** The values of a point for people; the default is the first. */
function valuesOf(point: string): string {
  const described: unknown = z.toJSONSchema(points, { io: 'input' }).properties?.[point];
  const { enum: words, default: fallback, values } = shown.parse(described);
  const others = words?.filter((word) => word !== fallback) ?? [values ?? ''];
  return [String(fallback), ...others].join('|');
}

const shown = z.object({
  enum: z.array(z.string()).optional(),
  default: z.union([z.string(), z.number()]),
  values: z.string().optional(),
});
