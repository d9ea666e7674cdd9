/**
 * What the document of the platform leaves open ("not shown"), as choices of whoever starts the simulator: a client must
 * work with every one of them.
 */
import { z } from 'zod';

/** The port of the simulator where nobody chooses one. */
export const usualPort = 4010;

const whole = (least: number, most: number) =>
  z.coerce
    .number()
    .pipe(z.int().min(least).max(most))
    .meta({ values: `${least} to ${most}` });

const points = z.strictObject({
  /** Order of the days in an analytics answer (§4.2 rule 4). */
  'days-order': z.enum(['mixed', 'ascending', 'descending']).default('mixed'),
  /** Days that one analytics request may span; 0 is any number of them (§8). */
  'days-at-most': whole(0, 10_000).default(0),
  /** What the last page of `/users` and of messages says as next cursor (§4.2, §4.4). */
  'last-cursor': z.enum(['absent', 'empty', 'repeated']).default('absent'),
  /** Order of readiness reports (§4.3). */
  'reports-order': z.enum(['newest', 'oldest', 'mixed']).default('newest'),
  /** Reports on a page where the request names no limit (§4.3). */
  'reports-page': whole(1, 10_000).default(20),
  /** Reports that a page can have (§8). */
  'reports-at-most': whole(1, 10_000).default(100),
  /** What a larger limit does. */
  'reports-beyond': z.enum(['clip', 'refuse']).default('clip'),
  /** Order of the messages of a session (§4.4). */
  'messages-order': z.enum(['oldest', 'newest', 'mixed']).default('oldest'),
  /** Whether messages in a list say their role, which only a single message is documented to do (§2.2). */
  'listed-role': z.enum(['present', 'absent']).default('present'),
  /** Whether messages have blocks of undocumented types (§2.2). */
  'content-blocks': z.enum(['any', 'text']).default('any'),
  /** What a `startAfter` or cursor does that names nothing: refused, an empty page, or the first one. */
  'unknown-start': z.enum(['refuse', 'empty', 'first']).default('refuse'),
  /** Unit of the times of computers and messages (§1). */
  'time-unit': z.enum(['milliseconds', 'seconds']).default('milliseconds'),
  /** How a computer that is created comes out, and how its install-deps does (§3). */
  'new-computers': z.enum(['mixed', 'active', 'error']).default('mixed'),
  /** How long a computer is provisioned. */
  'provisioning-ms': whole(0, 86_400_000).default(60_000),
  /** Whether the list of computers has their steps where nobody says (§4.5). */
  'listed-steps': z.enum(['absent', 'present']).default('absent'),
  /** The status that install-deps answers with (§4.5). */
  'install-deps': z.enum(['provisioning', 'unchanged']).default('provisioning'),
  /** What a name does that another computer has. */
  'same-name': z.enum(['refuse', 'allow']).default('refuse'),
  /** What a field or parameter does that is not documented, where the document does not refuse it. */
  'unknown-names': z.enum(['ignore', 'refuse']).default('ignore'),
  /** The status of a refused request where none is documented (§7). */
  'bad-request': z
    .enum(['400', '422'])
    .default('400')
    .transform((text) => (text === '400' ? 400 : 422)),
  /** Who may call what is not analytics (§5). */
  'other-roles': z.enum(['all', 'managers']).default('all'),
});

export type OpenPoints = z.output<typeof points>;

/** A choice for some of the points, as words. */
export type Choices = Partial<Readonly<Record<keyof OpenPoints, string>>>;

/** The choices with the defaults of the other points. Throws `ZodError` for one that there is not. */
export function openPointsOf(choices: Choices = {}): OpenPoints {
  return points.parse(choices);
}

/**
 * Reads `point=value` words; each may hold several, with commas between them. Adds a sentence to `problems` for each
 * that is none.
 */
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

/** A line for each point with its values, the default first. */
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
