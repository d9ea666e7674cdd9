/** All operations of the simulated platform. */
import { analyticsOperations } from './analytics-routes.ts';
import { computersOperations } from './computers-routes.ts';
import { limitsOperations } from './limits-routes.ts';
import type { Operation } from './operation.ts';
import { readinessOperations } from './readiness-routes.ts';
import type { Service } from './service.ts';
import { sessionsOperations } from './sessions-routes.ts';

export function operationsOf(service: Service): Operation[] {
  return [
    ...analyticsOperations(service),
    ...limitsOperations(service),
    ...readinessOperations(service),
    ...sessionsOperations(service),
    ...computersOperations(service),
  ];
}
