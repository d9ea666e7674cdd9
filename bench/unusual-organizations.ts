/** Datasets that the simulator's generator does not make: a day with very many users, many models per user, new hooks. */
import { z } from 'zod';
import type { Day } from '../src/model/day.ts';
import { modelVariants } from '../src/simulator/catalogue.ts';
import { type Dataset, userIdOf } from '../src/simulator/dataset.ts';
import type { ModelTokens } from '../src/simulator/rows.ts';

const anyRow = z.looseObject({});
const idPrefix = 'user_';

/**
 * A dataset in which `crowdedDay` has `users` active users on `/users`: the rows of `base`, repeated with other ids. Other
 * endpoints and days are those of `base`.
 */
export function withCrowd(base: Dataset, crowdedDay: Day, users: number): Dataset {
  const models = base.rows('users', crowdedDay).map((row) => anyRow.parse(row));
  function* crowdAfter(cursor: string | undefined): Iterable<unknown> {
    const first = cursor === undefined ? 0 : Number(userIdOf({ user_id: cursor }).slice(idPrefix.length)) + 1;
    for (let user = first; user < users; user++)
      yield {
        ...models[user % models.length],
        user_id: `${idPrefix}${String(user).padStart(9, '0')}`,
        user_email: `user.${user}@example.com`,
      };
  }
  return {
    version: base.version,
    rows: (endpoint, day) => base.rows(endpoint, day),
    groupedRows: (endpoint, day) => base.groupedRows(endpoint, day),
    usersAfter: (day, cursor) => (day === crowdedDay ? crowdAfter(cursor) : base.usersAfter(day, cursor)),
  };
}

const modelUse = z.object({
  model_id: z.string(),
  model_tier: z.string(),
  billable_tokens: z.number(),
  input_tokens: z.number(),
  output_tokens: z.number(),
});
const tokenRow = z.looseObject({
  by_user: z.array(z.looseObject({ by_model: z.array(modelUse) })),
});

/** Gives every user of `/tokens` at least `modelsPerUser` models; added ones have the figures of the user's first model. */
export function withManyModels(base: Dataset, modelsPerUser: number): Dataset {
  const widened = (row: unknown) => {
    const known = tokenRow.parse(row);
    return {
      ...known,
      by_user: known.by_user.map((user) => ({ ...user, by_model: moreModels(user.by_model, modelsPerUser) })),
    };
  };
  return {
    version: base.version,
    rows: (endpoint, day) =>
      endpoint === 'tokens' ? base.rows(endpoint, day).map(widened) : base.rows(endpoint, day),
    groupedRows: (endpoint, day) => base.groupedRows(endpoint, day),
    usersAfter: (day, cursor) => base.usersAfter(day, cursor),
  };
}

function moreModels(uses: readonly ModelTokens[], count: number): ModelTokens[] {
  const [first] = uses;
  if (first === undefined) return [];
  const isUsed = (id: string, tier: string) =>
    uses.some(({ model_id, model_tier }) => model_id === id && model_tier === tier);
  const others = modelVariants.filter(({ modelId, tier }) => !isUsed(modelId, tier));
  return [
    ...uses,
    ...others.slice(0, Math.max(0, count - uses.length)).map(({ modelId, tier }, index) => ({
      ...first,
      model_id: modelId,
      model_tier: tier,
      input_tokens: first.input_tokens + index,
      output_tokens: first.output_tokens + index,
    })),
  ];
}

/** Gives every day of `/tools` `perDay` hooks that occur on no other day; their commands have so many characters. */
export function withNewHooks(base: Dataset, perDay: number, characters: number): Dataset {
  const hooksOf = (day: Day) =>
    Array.from({ length: perDay }, (_, index) => ({
      event: 'Stop',
      command: `${day} ${index} `.padEnd(characters, 'x'),
      count: 1,
    }));
  return {
    version: base.version,
    rows: (endpoint, day) =>
      endpoint === 'tools'
        ? base.rows(endpoint, day).map((row) => ({ ...anyRow.parse(row), hooks_by_event: hooksOf(day) }))
        : base.rows(endpoint, day),
    groupedRows: (endpoint, day) => base.groupedRows(endpoint, day),
    usersAfter: (day, cursor) => base.usersAfter(day, cursor),
  };
}
