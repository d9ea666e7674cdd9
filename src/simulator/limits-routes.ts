/** `PUT /api/v0/organization/usage/limits/users` (platform-api.md §4.1). */
import { setLimits } from '../model/platform/credit-limits.ts';
import { accessToOthers } from './access.ts';
import { answer } from './answer.ts';
import { type Operation, operation } from './operation.ts';
import type { Service } from './service.ts';

export function limitsOperations(service: Service): Operation[] {
  const { points, limits } = service;
  return [
    operation(
      {
        ...setLimits,
        // These statuses are documented, so the choice for `bad-request` does not apply.
        refusals: [400, 401, 403, 500],
        badRequest: 400,
        refusesUnknown: points['unknown-names'] === 'refuse',
        isAnalytics: false,
      },
      accessToOthers(service),
      ({ body }) => answer(200, limits.set(body)),
    ),
  ];
}
